# SPDX-License-Identifier: Apache-2.0
"""What the command lines of refusals/ find: a daemon that serves FILLED, and a directory with FILES."""

CONFIGURATION = """\
version: 1
seed: "6f1c9a3e5b7d2048"
pools:
  - name: db
    table_size: 251
    backends:
      - {name: db1, address: 10.0.0.11}
services:
  - {listen: "tcp 203.0.113.10:5432", pool: db}
"""

FILLED = ["pool add db --table-size 251", "backend add db/db1 10.0.0.11", "backend add db/db2 10.0.0.12",
          "service add tcp 203.0.113.10:80 --pool db", "pool add kv --scheme slots --table-size 251",
          "backend add kv/a 10.0.1.1", "backend add kv/b 10.0.1.2", "service add tcp 203.0.113.10:6379 --pool kv"]

FILES = {
    "empty": b"",
    "blank": b"\n \n# nothing\n",
    "binary": bytes(range(256)),
    "latin1": b"version: 1\n# caf\xe9\n",
    "half": b'{"version": 1',
    "list": b"- a\n- b\n",
    "good": CONFIGURATION,
    "tab": CONFIGURATION.replace("    table_size", "\ttable_size"),
    "version": CONFIGURATION.replace("version: 1", "version: 2"),
    "unversioned": CONFIGURATION.replace("version: 1\n", ""),
    "grace": CONFIGURATION.replace("table_size: 251", "grace: 1500m"),
    "port": CONFIGURATION.replace(":5432", ":0"),
    "source": CONFIGURATION.replace("table_size: 251", "source: 10.64.0.1/16"),
    "name": CONFIGURATION.replace("name: db1", "name: db 1"),
    "nothing": CONFIGURATION.replace("table_size: 251", "table_size:"),
    "stranger": CONFIGURATION.replace("pool: db}", "pool: bd}"),
    "lines": CONFIGURATION.replace("name: db1", "name: 'd''b\n          1'"),
    "quotes": CONFIGURATION.replace("version: 1", 81 * "'" + "version: 1").replace("pool: db}", "pool: db}'"),
    "escape": CONFIGURATION.replace("name: db1", 'name: "db\\01"'),
    "counts": b"a 5\nb 3\n",
}

# SPDX-License-Identifier: Apache-2.0
"""`slots` against Redis' CLUSTER KEYSLOT."""

import socket

from programs import KEYS, free_ports, lookup, needs

TAGGED = ["{user1000}.following", "{user1000}.followers", "foo{}{bar}", "foo{{bar}}zap", "foo{bar}{zap}", "{}", "{a",
          "a}b{c", "x{y}", "{", "}{", "\u00e4\u00f6\u00fc", "a b c", "123456789"]


def test_redis_keyslot(program, tmp_path):
    redis = needs("redis-server")
    port, = free_ports(1, above=10000)
    path = tmp_path / "redis.sock"
    program(path.exists, redis, "--port", port, "--bind", "127.0.0.1", "--cluster-enabled", "yes", "--dir", tmp_path,
            "--unixsocket", path, "--save", "", "--appendonly", "no")
    keys = KEYS + TAGGED
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(20)
        connection.connect(str(path))
        answers = connection.makefile("rb")
        theirs = []
        for start in range(0, len(keys), 500):
            batch = [key.encode() for key in keys[start:start + 500]]
            connection.sendall(b"".join(b"*3\r\n$7\r\nCLUSTER\r\n$7\r\nKEYSLOT\r\n$%d\r\n%s\r\n" % (len(key), key)
                                        for key in batch))
            for key in batch:
                line = answers.readline()
                assert line.startswith(b":"), line
                theirs.append(int(line[1:]))
    ours = [row["slot"] for row in lookup(keys, "--scheme", "slots", "--members", "a,b,c")]
    assert ours == theirs
    assert len(set(ours)) > 5000

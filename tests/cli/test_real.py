# SPDX-License-Identifier: Apache-2.0
"""The real pair: holdfast and holdfastd on one balancer of a lab."""

import json
import re
import subprocess

import pytest

from command import every_verb, fill

def test_from_nothing_to_a_service(real):
    assert re.fullmatch(r"pool db added: generation \d+\n", real.out("pool add db --table-size 251"))
    real.out("backend add db/db1 10.0.0.11")
    assert re.fullmatch(r"backend db/db2 added: generation \d+, 1\d\d of 251 slots moved \(\d+ %\)\n",
                        real.out("backend add db/db2 10.0.0.12"))
    assert re.fullmatch(r"service tcp 203\.0\.113\.10:80 added: generation \d+\n",
                        real.out("service add tcp 203.0.113.10:80 --pool db"))
    assert re.fullmatch(r"interface eth0 attached: generation \d+\n", real.out("interface attach eth0"))
    status = real.out("status")
    assert re.search(r"^eth0 +native +[0-9a-f]{6}$", status, re.M), status
    assert re.search(r"^tcp 203\.0\.113\.10:80 +db +2/2 ", status, re.M), status
    real.run("status --check")
    listed = real.out("backend list")
    assert re.search(r"^db/db1 +10\.0\.0\.11 +100 +active +unknown +12\d ", listed, re.M), listed
    assert "eth0" in real.out("interface list") and "db" in real.out("pool list")
    for line in ("pool show db", "backend show db/db1", "service show tcp 203.0.113.10:80"):
        assert "db" in real.out(line)


def test_every_weight_and_option_arrives(real):
    fill(real)
    real.out("backend set db/db1 --weight 7 --zone a")
    real.out("pool set db --grace 20s --udp-grace 3s --source 10.64.0.0/16")
    real.out("service set tcp 203.0.113.10:80 --idle 1h30m --track always")
    backend = real.json("backend show db/db1")
    assert (backend["weight"], backend["zone"]) == (7, "a")
    pool = real.json("pool show db")
    assert pool["grace"] == {"tcp": 20, "udp": 3} and pool["source"] == ["10.64.0.0/16"]
    service = real.json("service show tcp 203.0.113.10:80")
    assert (service["idle"], service["track"]) == (5400, "always")


CHOICES = [  # a command line that ends with a wrong word, and the operation that has the same word
    *((f"pool add p --{key.replace('_', '-')} ?", "pool.add", {"name": "p", key: "?"})
      for key in ("scheme", "ring_hash", "ring_owner", "ketama", "encap", "hash")),
    ("interface attach eth0 --mode ?", "interface.attach", {"name": "eth0", "mode": "?"}),
    ("service add tcp 203.0.113.10:80 --pool db --track ?", "service.add",
     {"proto": "tcp", "listen": "203.0.113.10:80", "pool": "db", "track": "?"}),
    ("backend health db/db1 ?", "backend.health", {"pool": "db", "name": "db1", "state": "?"}),
]


@pytest.mark.parametrize("line,operation,arguments", CHOICES)
def test_every_choice_is_one_of_the_daemons(real, line, operation, arguments):
    """Both refuse a word that nobody knows, and name those that they know: the same."""
    real.out("pool add db --table-size 251")
    real.out("backend add db/db1 10.0.0.11")
    ours = real.error(line).rpartition("one of: ")[2].split()
    api = real.api()
    api.request("POST", "/v1/operations", json.dumps({"operation": operation, "arguments": arguments, "dry_run": True}))
    answer = api.getresponse()
    assert answer.status == 400
    theirs = re.split(", | or ", json.loads(answer.read())["error"]["right"])
    assert len(ours) > 1 and sorted(ours) == sorted(theirs)


def test_every_word_for_a_choice_is_covered(cli):
    """No verb has an option with choices that CHOICES does not ask about; those of placement ask no daemon."""
    asked = {re.search(r"(--\S+ )?\?$", line)[0].split()[0] for line, _, _ in CHOICES}
    found = {option for verb in every_verb(cli) if not verb.startswith("placement")
             for option in re.findall(r"^  (--[a-z-]+) [a-z0-9-]+\|", cli.out(f"{verb} --help"), re.M)}
    assert found == asked - {"?"}


def test_dry_run_changes_nothing(real):
    fill(real)
    before = real.out("--json backend list")
    out = real.out("backend add db/db2 10.0.0.12 --dry-run")
    assert "of 251 slots would move" in out and out.endswith("nothing changed\n")
    assert json.loads(before)["backends"][0]["slots"] == real.json("backend list")["backends"][0]["slots"]
    assert "unchanged" in real.out("backend activate db/db1")


def test_refusals_name_the_near_miss(real):
    fill(real)
    assert "did you mean db1?" in real.error("backend drain db/bd1", status=1)
    assert "there already" in real.error("backend add db/db1 10.0.0.99", status=1)
    assert "dbx" in real.error("pool show dbx", status=1)
    assert "203.0.113.10:81" in real.error("service show tcp 203.0.113.10:81", status=1)
    assert "prime" in real.error("pool add p --table-size 252", status=1)


def test_ipv6_services_by_name(real):
    fill(real)
    real.out("service add udp [2001:db8:203::10]:53 --pool db")
    assert "udp [2001:db8:203::10]:53" in real.out("service show udp [2001:db8:203::10]:53")
    assert "removed" in real.out("service remove udp [2001:db8:203::10]:53")


def test_why(real):
    fill(real)
    real.out("interface attach eth0")
    answer = real.out("why tcp 198.51.100.7:40000 203.0.113.10:80")
    assert answer.startswith("verdict: ") and "db/db1" in answer, answer
    assert "no-service" in real.out("why tcp 198.51.100.7:40000 203.0.113.99:80")


def test_detach_all(real):
    fill(real)
    real.out("interface attach eth0")
    assert "interface eth0 detached" in real.out("interface detach --all")
    assert "eth0" not in real.out("interface list")


def test_events(real):
    fill(real)
    listed = real.out("events").splitlines()
    assert re.match(r"TIME +KIND +SUBJECT +EVENT$", listed[0])
    assert any(re.match(r"20\d\d-\d\d-\d\d \d\d:\d\d:\d\d +change ", line) for line in listed), listed
    assert len(real.out("events --limit 1").splitlines()) == 2
    assert {"id", "time", "kind", "subject", "text"} <= set(real.json("events")["events"][0])


def test_events_follow(real):
    fill(real)
    follower = subprocess.Popen(real.holdfast("events --follow --limit 1"), stdout=subprocess.PIPE, text=True)
    try:
        follower.stdout.readline()
        real.out("pool add followed --table-size 251")
        assert "followed" in follower.stdout.readline()
    finally:
        follower.kill()
        follower.wait()
        follower.stdout.close()


def test_upgrade_to_the_same(real):
    fill(real)
    assert re.fullmatch(r"program [0-9a-f]{6} is the daemon's own already: nothing changed\n", real.out("upgrade"))


def test_the_daemon_knows_all_that_the_table_uses(real):
    """And whatever an operation takes can be said on the command line."""
    got = subprocess.run(["curl", "-s", "--unix-socket", real.socket,
                          "http://h/v1/operations"], capture_output=True, text=True, timeout=30).stdout
    operations = {one["operation"]: one["arguments"].replace("?", "").split() for one in json.loads(got)["operations"]}
    used = set()
    for verb in every_verb(real):
        page = real.out(f"help {verb}")
        uses = re.search(r"^In the API: ([a-z]+\.[a-z.]+)$", page, re.M)
        if not uses:
            continue
        used.add(uses.group(1))
        positional = {"name", "pool", "proto", "listen", "configuration", "state", "address", "slots", "backend"}
        for argument in set(operations[uses.group(1)]) - positional:
            assert f"--{argument.replace('_', '-')} " in page + " ", (verb, argument)
    assert used == set(operations)


def test_drain_and_wait(real):
    fill(real)
    real.out("backend add db/db2 10.0.0.12")
    real.out("service set tcp 203.0.113.10:80 --idle 1s")
    out = real.out("backend drain db/db2 --wait --timeout 20s")
    assert "backend db/db2 draining: generation " in out and "db/db2 drained: it can be switched off" in out
    assert re.search(r"^db/db2 .* drained ", real.out("backend list"), re.M)
    assert "active" in real.out("backend activate db/db2")


def test_remove_drains_first(real):
    fill(real)
    real.out("backend add db/db2 10.0.0.12")
    assert "backend db/db2 drains first, then leaves: generation " in real.out("backend remove db/db2")
    assert "backend db/db1 removed: generation " in real.out("backend remove db/db1 --now --force")


def test_slots(real):
    fill(real)
    real.out("backend add db/db2 10.0.0.12")
    shown = real.out("pool slots show db --preferences").splitlines()
    assert re.match(r"SLOTS +OWNER +(OLD-FLOWS +)?PREFERENCES$", shown[0])
    assert re.match(r"0(-\d+)? +db[12] ", shown[1]) and shown[1].endswith(("db1, db2", "db2, db1"))
    ranges = real.json("pool slots show db")["ranges"]
    assert ranges[-1]["last"] == 250 and len(ranges) > 10

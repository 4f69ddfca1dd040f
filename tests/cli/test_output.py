# SPDX-License-Identifier: Apache-2.0
"""Output as operators read it, and the API's JSON as it is."""

import json
import subprocess
import time

import pytest

from fake_daemon import BACKENDS, POOL, STATUS, WHY, changed

STATUS_TEXT = """\
lb1  ready  generation 42, 4m ago: backend drain db/db2
INTERFACE  MODE    PROGRAM
eth0       native  9f3a1c
SERVICE                POOL  UP   NEW/S  PPS  BPS
tcp 203.0.113.10:5432  db    3/4  812    84k  410M
POOL  SCHEME  SLOTS  MOVING       SETTLES   TABLE     HISTORY
db    maglev  65537  16384 (25%)  in 1h56m  c41f09ab  77e0d2b1
FLOWS remembered 7115/1048576, evicted 0 opening 0 established
WARN  db/db4 down 12s: connect refused
"""

BACKENDS_TEXT = """\
POOL/NAME  ADDRESS    WEIGHT  ADMIN     HEALTH  SLOTS  NEW/S  PPS  REMEMBERED  NOTE
db/db1     10.0.0.11     100  active    up      32769    407  40k        3204
db/db2     10.0.0.12     100  draining  up          0      0   4k         811  4m, last heard 2s
db/db3     10.0.0.13     100  active    up      32768    405  40k        3100
db/db4     10.0.0.14     100  active    down        0      0    0           0  12s: connect refused
"""

WHY_TEXT = """\
verdict:      forward to db/db1
service:      tcp 203.0.113.10:5432
pool:         db
hash:         0123456789abcdef
slot:         4711 of 65537
preferences:  db1, db3, db2
owner:        db/db1
backend:      db/db1, the slot's owner
next hop:     02:00:00:00:00:01 on eth0, MTU 1700
outer header: ipip from 10.64.3.4 to 10.0.0.11
program:      9f3a1c0b2d4e5f60
"""


def status_now(**other):
    return {**STATUS, "generation": {**STATUS["generation"], "time": time.time() - 250}, **other}


def test_status(cli, daemon):
    daemon.replies["/v1/status"] = (200, status_now())
    assert cli.out("status") == STATUS_TEXT


def test_backend_list(cli, daemon):
    assert cli.out("backend list") == BACKENDS_TEXT


def test_why(cli, daemon):
    assert cli.out("why tcp 198.51.100.7:40000 203.0.113.10:5432 --interface eth0") == WHY_TEXT
    assert daemon.requests[0][1] == "/v1/why?proto=tcp&src=198.51.100.7:40000&dst=203.0.113.10:5432&interface=eth0"


def test_why_not(cli, daemon):
    daemon.replies["/v1/why"] = (200, {"verdict": "pass", "program": "9f3a1c0b2d4e5f60",
                                       "reason": {"word": "no-service", "sentence": "for no service"}})
    assert cli.out("why udp [2001:db8::7]:4000 [2001:db8::10]:53") == (
        "verdict:      pass to this host's own stack: for no service (no-service)\nprogram:      9f3a1c0b2d4e5f60\n")


@pytest.mark.parametrize("line,path", [
    ("status", "/v1/status"), ("backend list", "/v1/backends"), ("backend show db/db1", "/v1/backends/db/db1"),
    ("pool list", "/v1/pools"), ("pool show db", "/v1/pools/db"), ("interface list", "/v1/interfaces"),
    ("service list", "/v1/services"), ("why tcp 1.2.3.4:5 203.0.113.10:80", "/v1/why"), ("version", "/v1/version"),
    ("backend add db/db9 10.0.0.19", "/v1/operations")])
def test_json_is_the_answer_as_it_is(cli, daemon, line, path):
    assert cli.out(f"--json {line}") == json.dumps(daemon.replies[path][1]) + "\n"


def test_services_are_named_in_paths(cli, daemon):
    for listen in ("203.0.113.10:5432", "[2001:db8::1]:80"):
        daemon.replies[f"/v1/services/tcp/{listen}"] = (200, {**STATUS["services"][0], "idle": 7200, "track": "auto"})
        assert "idle:         2h\n" in cli.out(f"service show tcp {listen}")


@pytest.mark.parametrize("value,shown", [
    (0, "0"), (0.04, "0"), (0.5, "0.5"), (7, "7"), (999.4, "999"), (999.6, "1k"), (1000, "1k"), (4200, "4.2k"),
    (9949, "9.9k"), (9960, "10k"), (84000, "84k"), (999499, "999k"), (999500, "1M"), (1.24e9, "1.2G"),
    (4.1e11, "410G"), (None, "-")])
def test_quantities(cli, daemon, value, shown):
    service = {**STATUS["services"][0], "packets_per_second": value}
    daemon.replies["/v1/services"] = (200, {"services": [service]})
    assert cli.out("service list").splitlines()[1].split()[5] == shown


@pytest.mark.parametrize("seconds,shown", [
    (0, "0s"), (12.9, "12s"), (60, "1m"), (119, "1m"), (3600, "1h"), (6960, "1h56m"), (86400, "1d"), (90061, "1d1h")])
def test_durations(cli, daemon, seconds, shown):
    pool = {**STATUS["pools"][0], "settles_in": seconds}
    daemon.replies["/v1/status"] = (200, status_now(pools=[pool]))
    assert f" in {shown} " in cli.out("status").replace("  ", " ")


def test_change_says_what_happened(cli, daemon):
    assert cli.out("backend add db/db2 10.0.0.12") == (
        "backend db/db2 added: generation 42, 16384 of 65537 slots moved (25 %)\n")


def test_plan_of_a_pool_in_full(cli, daemon):
    reply = changed(dry_run=True)
    reply["plan"]["pools"][0].update(needless=12, new_per_second=203.4, remembered=811)
    daemon.replies["/v1/operations"] = (200, reply)
    assert cli.out("backend add db/db2 10.0.0.12 --dry-run").startswith(
        "pool db: 16384 of 65537 slots would move (25 %), 12 of them between backends that stay, with 203 new flows a "
        "second, 811 remembered flows on them\n")


@pytest.mark.parametrize("rate,told", [
    (None, "an unknown number of new flows a second (UDP is counted only with --track always)"),
    (203.4, "at least 203 new flows a second (UDP is counted only with --track always)")])
def test_a_plan_says_which_new_flows_are_not_counted(cli, daemon, rate, told):
    reply = changed(dry_run=True)
    reply["plan"]["pools"][0].update(new_per_second=rate, flows_unseen=True, remembered=811)
    daemon.replies["/v1/operations"] = (200, reply)
    assert f"(25 %), with {told}, 811 remembered flows on them\n" in cli.out("backend add db/db2 10.0.0.12 --dry-run")


@pytest.mark.parametrize("flows,rate,shown", [(None, None, "- -"), (7, 12.0, "7+ 12+")])
def test_new_flows_that_are_not_counted_are_no_0(cli, daemon, flows, rate, shown):
    object_ = {"packets": 9, "bytes": 10, "packets_per_second": 0, "bits_per_second": 0,
               "flows": flows, "new_per_second": rate, "flows_unseen": True}
    daemon.replies["/v1/counters"] = (200, {"reasons": [], "interfaces": [], "services": [
        {"service": "udp 203.0.113.10:53", **object_}], "backends": [{"pool": "dns", "name": "b1", **object_}]})
    told = [" ".join(line.split()) for line in cli.out("counters --interval 0").splitlines()]
    assert f"udp 203.0.113.10:53 {shown} 9 0 10 0" in told and f"dns/b1 {shown} 9 0 10 0" in told


def test_an_address_that_changes_is_told(cli, daemon):
    reply = changed()
    reply["plan"]["replaced"] = [{"pool": "db", "name": "db2", "before": "10.0.0.12", "after": "10.0.0.14"}]
    daemon.replies["/v1/operations"] = (200, reply)
    told = ("backend db/db2 changes its address: the one at 10.0.0.12 drains first, then leaves; the new one takes its "
            "place\n")
    assert cli.out("backend set db/db2 --address 10.0.0.14").endswith("moved (25 %)\n" + told)
    assert cli.out("backend set db/db2 --address 10.0.0.14 --dry-run").startswith(told)


def test_lists_in_full_have_one_name(cli, daemon):
    daemon.replies["/v1/pools/db"] = (200, {**POOL, "services": ["tcp 203.0.113.10:1", "tcp 203.0.113.10:2"]})
    assert "services:     tcp 203.0.113.10:1\n              tcp 203.0.113.10:2\n" in cli.out("pool show db")


def test_unchanged(cli, daemon):
    daemon.replies["/v1/operations"] = (200, changed(changed=False))
    assert cli.out("backend activate db/db2") == "backend db/db2 unchanged: generation 42\n"


def test_dry_run(cli, daemon):
    daemon.replies["/v1/operations"] = (200, changed(dry_run=True))
    assert cli.out("backend add db/db2 10.0.0.12 --dry-run") == (
        "pool db: 16384 of 65537 slots would move (25 %)\nbackends: 1 added, 0 removed\nnothing changed\n")
    assert daemon.requests[-1][2]["dry_run"] is True


@pytest.mark.parametrize("moved,percent", [(0, "0"), (1, "0.0015"), (655, "1"), (32768, "50"), (65536, "99.99"),
                                           (65537, "100")])
def test_shares_are_honest_at_the_ends(cli, daemon, moved, percent):
    daemon.replies["/v1/operations"] = (200, changed(moved))
    assert f"({percent} %)" in cli.out("backend add db/db2 10.0.0.12")


def test_warnings_go_to_standard_error(cli, daemon):
    daemon.replies["/v1/operations"] = (200, changed(warnings=["db2 has no next hop yet"]))
    done = cli.run("backend add db/db2 10.0.0.12")
    assert done.stderr == "holdfast: warning: db2 has no next hop yet\n"


@pytest.mark.parametrize("other", [
    {"interfaces": [{**STATUS["interfaces"][0], "state": "missing", "problem": "no such interface"}]},
    {"services": [{**STATUS["services"][0], "up": 0}]}, {"problems": ["the flow table is full"]}])
def test_check_finds_it_degraded(cli, daemon, other):
    daemon.replies["/v1/status"] = (200, status_now())
    cli.run("status --check")
    daemon.replies["/v1/status"] = (200, status_now(**other))
    cli.run("status --check", status=1)
    cli.run("status --check --json", status=1)
    cli.run("status")


def test_text_cannot_steer_the_terminal(cli, daemon):
    evil = {**BACKENDS[0], "note": "\x1b[2Jgone\nnext"}
    daemon.replies["/v1/backends"] = (200, {"backends": [evil]})
    assert cli.out("backend list").splitlines()[1].endswith("?[2Jgone?next")


def test_empty_lists_are_headers(cli, daemon):
    daemon.replies["/v1/backends"] = (200, {"backends": []})
    assert cli.out("backend list").split()[0] == "POOL/NAME"


def test_full_disk_is_no_success(cli, daemon):
    with open("/dev/full", "w") as full:
        done = subprocess.run(cli.holdfast("backend list"), stdout=full,
                              stderr=subprocess.PIPE, text=True, timeout=30)
    assert done.returncode == 1 and "could not be written" in done.stderr


def test_why_json(cli, daemon):
    assert cli.json("why tcp 1.2.3.4:5 203.0.113.10:80") == WHY


def test_upgrade(cli, daemon):
    daemon.replies["/v1/upgrade"] = (200, {"before": "9f3a1c0b2d4e5f60", "program": "77ab120b2d4e5f60"})
    assert cli.out("upgrade") == "program 9f3a1c upgraded to 77ab12\n"
    daemon.replies["/v1/upgrade"] = (503, {"error": {"what": "the kernel refused the program", "where": "", "right": ""}})
    assert cli.error("upgrade", status=1) == "the kernel refused the program"


def test_backend_on_its_way_out(cli, daemon):
    daemon.replies["/v1/backends/db/db1"] = (200, {**BACKENDS[0], "based": 7, "remembered": 12, "closing": 2, "heard": 61,
                                                   "deadline": time.time() + 100, "removing": True})
    shown = cli.out("backend show db/db1")
    for line in ("remembered:   12 flows, 2 of them closing", "base of:      7 moving slots", "last heard:   1m ago",
                 "removal:      it leaves the pool when it is drained"):
        assert line + "\n" in shown, shown
    assert "deadline:     20" in shown
    daemon.replies["/v1/backends/db/db1"] = (200, BACKENDS[0])
    assert "deadline" not in cli.out("backend show db/db1")


def test_why_of_a_moving_slot(cli, daemon):
    daemon.replies["/v1/why"] = (200, {**WHY, "moving": True, "base": "db/db2", "hops": ["db/db1", "db/db2"]})
    shown = cli.out("why tcp 198.51.100.7:40000 203.0.113.10:5432")
    assert "moving:       an old flow that is not remembered would go to db/db2\n" in shown
    assert "hops:         db/db1, db/db2\n" in shown

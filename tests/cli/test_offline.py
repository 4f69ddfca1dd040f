# SPDX-License-Identifier: Apache-2.0
"""A dead daemon does not stand between an operator and the traffic."""

import ctypes
import os
import re

import pytest

from harness import HarnessError
from command import fill


FLOWS = ["tcp 198.51.100.7:40000 203.0.113.10:80", "tcp 198.51.100.8:41000 203.0.113.10:80",
         "udp 198.51.100.7:40000 203.0.113.11:5999", "tcp 198.51.100.7:40000 203.0.113.10:81",
         "tcp 198.51.100.7:40000 192.0.2.1:80"]


@pytest.fixture
def orphan(real):
    """An instance that serves, its daemon killed."""
    fill(real)
    real.out("backend add db/db2 10.0.0.12 --weight 300")
    real.out("service add udp 203.0.113.11:5000-5999 --pool db")
    real.out("interface attach eth0")
    real.live = {what: real.json(f"{what}") for what in ("status", "backend list")}
    real.kill()
    return real


def test_status(orphan):
    assert "add --offline" in orphan.error("status", status=4)
    status = orphan.json("status --offline")
    live = orphan.live["status"]
    assert status["state"] == "offline"
    assert status["generation"] == live["generation"]
    for kind, keys in (("interfaces", ("name", "mode", "state", "program")), ("pools", ("name", "scheme", "slots")),
                       ("services", ("service", "pool", "up", "backends"))):
        told = {tuple(one[key] for key in keys) for one in status[kind]}
        assert told == {tuple(one[key] for key in keys) for one in live[kind]}, kind
        assert set(status[kind][0]) == set(live[kind][0]), kind
    assert set(status) == set(live) and status["seed"] == live["seed"] and status["slots"] == live["slots"]
    assert status["clock"] is None and status["flows"] is None
    text = orphan.out("status --offline")
    assert re.search(r"^tcp 203\.0\.113\.10:80 +db +2/2 +- ", text, re.M), text
    assert re.search(r"^udp 203\.0\.113\.11:5000-5999 +db ", text, re.M), text
    orphan.run("status --offline --check")


def test_backend_list(orphan):
    def told(backends):
        return [tuple(one[key] for key in ("pool", "name", "address", "weight", "admin", "slots"))
                for one in sorted(backends, key=lambda one: one["name"])]

    offline = orphan.json("backend list --offline")
    assert told(offline["backends"]) == told(orphan.live["backend list"]["backends"])
    assert set(offline["backends"][0]) == set(orphan.live["backend list"]["backends"][0])
    assert orphan.out("backend list nothing --offline").count("\n") == 1
    assert orphan.out("backend list db --offline").count("\n") == 3


class Entry:
    """A backend's entry in the pinned map, as the program reads it."""

    def __init__(self, pins, number):
        self.libbpf, self.key, self.value = ctypes.CDLL("libbpf.so.1"), ctypes.c_uint32(number), bytes()
        self.map = self.libbpf.bpf_obj_get(str(pins / "maps" / "backends").encode())
        assert self.map >= 0

    def read(self):
        value = ctypes.create_string_buffer(4096)
        assert self.libbpf.bpf_map_lookup_elem(self.map, ctypes.byref(self.key), value) == 0
        return value

    def write(self, value):
        assert self.libbpf.bpf_map_update_elem(self.map, ctypes.byref(self.key), value, ctypes.c_uint64(0)) == 0

    def close(self):
        os.close(self.map)


def test_who_was_removed_is_no_member(real):
    """A daemon that dies right after a removal leaves the entry."""
    fill(real)
    real.out("backend add db/db2 10.0.0.12")
    real.out("backend add db/db3 10.0.0.13")
    entry = Entry(real.pins, real.json("backend show db/db3")["number"])
    left = entry.read()
    assert any(left.raw)
    real.out("backend remove db/db3 --now")
    real.kill()
    entry.write(left)
    entry.close()
    status = real.json("status --offline")
    assert [(one["up"], one["backends"]) for one in status["services"]] == [(2, 2)]
    assert "db3" not in real.out("backend list --offline")


def test_what_is_stated_of_health_is_told(real):
    fill(real)
    real.out("backend add db/db2 10.0.0.12")
    real.out("backend health db/db1 down")
    real.kill()
    backends = real.json("backend list --offline")["backends"]
    assert {one["name"]: one["health"] for one in backends} == {"db1": "down", "db2": "unknown"}
    assert {one["name"]: one["health_author"] for one in backends} == {"db1": "root", "db2": None}
    assert real.json(f"why {FLOWS[0]} --offline")["stated"][0]["backend"] == "db/db1"


def test_without_the_database_names_are_numbers(orphan):
    done = orphan.run("backend list --offline --state-dir /nonexistent")
    assert "names are shown as numbers" in done.stderr
    assert re.search(r"^#/#1 +10\.0\.0\.11 ", done.stdout, re.M), done.stdout
    status = orphan.run("status --offline --state-dir /nonexistent").stdout
    assert re.search(r"^tcp 203\.0\.113\.10:80 +#1 ", status, re.M), status
    assert re.search(r"^udp 203\.0\.113\.11:5000-5999 +#1 ", status, re.M), status


def test_counters(orphan):
    counters = orphan.json("counters --offline")
    assert {one["reason"] for one in counters["reasons"]} > {"no-service", "no-backend", "too-big"}
    assert [one["name"] for one in counters["backends"]] == ["db1", "db2"]
    assert all(one["packets_per_second"] is not None for one in counters["services"] + counters["reasons"])
    assert orphan.out("counters --offline").startswith("REASON")


def test_detach_all(orphan):
    assert "would be detached" in orphan.out("interface detach --all --offline --dry-run")
    first, second = orphan.out("interface detach --all --offline").splitlines()
    assert first == "interface eth0 detached, from the pins alone"
    assert "nothing is attached and no daemon runs" in second and not orphan.pins.exists()
    assert "no interface is attached" in orphan.out("interface detach --all --offline")
    assert "prog/xdp" not in orphan.host.run("ip", "link", "show", "eth0").stdout


def test_detach_all_where_pins_are_damaged(orphan):
    next((orphan.pins / "maps").iterdir()).unlink()
    orphan.error("status --offline", status=1)
    assert "no interface is attached" in orphan.out("interface detach --all --offline")
    assert "prog/xdp" not in orphan.host.run("ip", "link", "show", "eth0").stdout


def test_nothing_is_loaded(cli):
    assert "instance hfc-none has no pins" in cli.error("status --offline --instance hfc-none", status=1)


def test_daemon_that_runs_is_not_disturbed(real):
    fill(real)
    before = real.out("--json pool show db")
    real.out("status --offline")
    real.out("backend list --offline")
    assert real.out("--json pool show db") == before
    try:
        real.run("backend set db/db1 --weight 7")
    except HarnessError as error:
        pytest.fail(f"the daemon no longer changes its database: {error}")


def test_why_says_the_same_without_the_daemon(real):
    fill(real)
    real.out("backend add db/db2 10.0.0.12 --weight 300")
    real.out("service add udp 203.0.113.11:5000-5999 --pool db")
    real.out("interface attach eth0")
    live = [real.json(f"why {flow}") for flow in FLOWS]
    assert [one["verdict"] for one in live[3:]] == ["pass", "pass"]
    real.kill()
    for flow, expected in zip(FLOWS, live):
        told = real.json(f"why {flow} --offline")
        for key in ("verdict", "reason", "service", "pool", "hash", "slot", "slots", "preferences", "owner", "backend",
                    "by", "outer", "program"):
            assert told.get(key) == expected[key], (flow, key)
        assert set(told) == set(expected) and told["hops"] == expected["hops"]

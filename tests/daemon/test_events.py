# SPDX-License-Identifier: Apache-2.0
"""Events: what happened, kept over restarts; and the upgrade of the program under a standing instance."""

import ctypes
import os
import sqlite3

from harness.wait import wait_until
from host import serve_many



def test_events_tell_what_happened_in_order(serving, host):
    events = serving.get("/v1/events")["events"]
    assert [e["id"] for e in events] == sorted(e["id"] for e in events)
    assert events[0]["kind"] == "program" and events[-1]["kind"] == "change"
    assert "interface attach eth0" in events[-1]["text"]
    last = events[-1]["id"]
    serving.operate("backend.drain", pool="db", name="db1")
    (event,) = serving.get(f"/v1/events?after={last}")["events"]
    assert "backend drain db/db1" in event["text"] and event["time"] >= events[-1]["time"]
    assert serving.get(f"/v1/events?after={event['id']}")["events"] == []
    assert [e["id"] for e in serving.get("/v1/events?limit=2")["events"]] == [last, event["id"]]
    host.run("ip", "route", "add", "unreachable", "10.9.0.11/32")
    wait_until(lambda: any(e["kind"] == "next-hop" and e["subject"] == "10.9.0.11"
                      for e in serving.get(f"/v1/events?after={event['id']}")["events"]))


def test_events_outlive_the_daemon(serving):
    serving.operate("backend.drain", pool="db", name="db1")
    serving.stop()
    serving.start()
    texts = [e["text"] for e in serving.get("/v1/events")["events"]]
    assert any("backend drain db/db1" in text for text in texts)
    assert "adopted" in texts[-1]


BEHIND = 1000  # backends of one gateway
FLAPS = 3


def test_a_gateway_that_flaps_is_a_few_lines_and_pushes_no_change_out(daemon):
    serve_many(daemon, BEHIND, "p", "q")
    daemon.operate("backend.drain", pool="p", name="b7")
    reached = lambda: daemon.get("/v1/backends/q/b999")["next_hop"]["resolved"]
    wait_until(reached)
    before = [e for e in daemon.get("/v1/events?limit=10000")["events"] if e["kind"] != "next-hop"]
    began = daemon.log.stat().st_size
    for _ in range(FLAPS):
        daemon.host.peer.run("ip", "link", "set", "r0", "down")
        wait_until(lambda: not reached())
        daemon.host.peer.run("ip", "link", "set", "r0", "up")
        wait_until(reached)
    wait_until(lambda: "reached by eth0" in daemon.get("/v1/events?limit=1")["events"][0]["text"])
    events = daemon.get("/v1/events?limit=10000")["events"]
    with open(daemon.log) as log:
        log.seek(began)
        lines = log.readlines()
    told = [e for e in events if e["kind"] == "next-hop"]
    print(f"{len(told)} events, {len(lines)} lines")
    assert [e for e in events if e["kind"] != "next-hop"][:len(before)] == before
    assert len(told) <= 20 * FLAPS and len(lines) <= 20 * FLAPS
    lost = [e["text"] for e in told if e["subject"] == "10.9.0.11 on eth0" and "cannot be reached" in e["text"]]
    assert f"{2 * BEHIND} backends cannot be reached (interface down): p/b0, q/b0, p/b1 and {2 * BEHIND - 3} more" in lost, told


def test_backends_that_are_drained_together_are_one_event(daemon):
    serve_many(daemon, 50, "p", services=[{"listen": "tcp 203.0.113.10:80", "pool": "p", "idle": "2s"}])
    whole = daemon.get("/v1/export")["configuration"]
    whole["pools"][0]["backends"] = whole["pools"][0]["backends"][:1]
    status, answer = daemon.post("model.apply", {"configuration": whole}, force=True)
    assert status == 200, answer
    wait_until(lambda: len(daemon.get("/v1/backends")["backends"]) == 1, 60)
    told = wait_until(lambda: [e for e in daemon.get("/v1/events")["events"] if e["kind"] == "drain"])
    assert len(told) <= 3 and told[0]["subject"] == "p", told
    assert "backends are drained: they can be switched off: p/b1, p/b10, p/b11 and " in told[0]["text"]


def fill_events(daemon, kind, count):
    """As if they had happened a while ago."""
    daemon.stop()
    with sqlite3.connect(daemon.database) as database:
        database.executemany("INSERT INTO events (time, kind, subject, text) VALUES (?, ?, '', 'x')",
                             [(i, kind) for i in range(count)])
    database.close()
    daemon.start()


def test_each_kind_of_events_is_forgotten_apart(serving):
    changes = [e for e in serving.get("/v1/events?limit=10000")["events"] if e["kind"] == "change"]
    fill_events(serving, "next-hop", 12000)
    serving.operate("backend.drain", pool="db", name="db1")
    events = wait_until(lambda: (found := serving.get("/v1/events?limit=10000")["events"]) and len(found) < 5000 and found)
    assert [e for e in events if e["kind"] == "change"][:len(changes)] == changes
    assert sum(e["kind"] == "next-hop" for e in events) == 2000


def test_numbers_of_events_are_checked(daemon):
    for query in ("after=x", "limit=-1", "limit=1000000", "after="):
        assert daemon.request("GET", "/v1/events?" + query)[0] == 400


def test_an_upgrade_changes_nothing_that_forwards(serving):
    before, pools = serving.get("/v1/interfaces")["interfaces"], serving.get("/v1/pools")
    status, answer = serving.request("POST", "/v1/upgrade", {})
    assert status == 200 and answer["program"] == before[0]["program"] and not answer["changed"], answer
    assert "nothing changed" in serving.get("/v1/events?limit=1")["events"][0]["text"]
    after = serving.get("/v1/interfaces")["interfaces"]
    assert after[0]["state"] == "attached" and after[0]["link_id"] == before[0]["link_id"]
    assert serving.get("/v1/pools") == pools
    why = serving.get("/v1/why?proto=tcp&src=198.51.100.7:40000&dst=203.0.113.10:5432")
    assert why["verdict"] == "forward" and why["backend"]
    assert serving.operate("backend.add", pool="db", name="db4", address="10.9.0.14")["changed"]
    assert serving.request("POST", "/v1/upgrade", {"x": 1})[0] == 400


def pretend_another_build(daemon):
    """Alters the digest of the object in control: hf_control.reserved[0], behind services, abi, flags and flow_seed."""
    libbpf, control = ctypes.CDLL("libbpf.so.1"), ctypes.create_string_buffer(1 << 16)
    key, digest = ctypes.c_uint32(0), ctypes.c_uint64.from_buffer(control, 24)
    map_ = libbpf.bpf_obj_get(str(daemon.pins / "maps" / "control").encode())
    assert map_ >= 0 and libbpf.bpf_map_lookup_elem(map_, ctypes.byref(key), control) == 0
    digest.value ^= 1
    assert libbpf.bpf_map_update_elem(map_, ctypes.byref(key), control, ctypes.c_uint64(0)) == 0
    os.close(map_)


def test_a_start_tells_that_it_replaced_the_program(serving):
    pretend_another_build(serving)
    status, answer = serving.request("POST", "/v1/upgrade", {})
    assert status == 200 and answer["changed"], answer
    pretend_another_build(serving)
    tag = serving.get("/v1/interfaces")["interfaces"][0]["program"]
    serving.kill()
    serving.start()
    told = [event["text"] for event in serving.get("/v1/events")["events"] if event["kind"] == "program"]
    assert told[-1] == f"program {tag} replaced {tag} of another build", told
    serving.kill()
    serving.start()
    assert serving.get("/v1/events?limit=1")["events"][0]["text"] == f"program {tag} adopted"

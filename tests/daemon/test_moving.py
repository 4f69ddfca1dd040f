# SPDX-License-Identifier: Apache-2.0
"""Moving slots, drains and their ends, histories: what time does between two changes."""

import shutil
import subprocess

import pytest

from harness import PYTHON
from harness.wait import wait_until
from voice import why

IDLE = 3


@pytest.fixture
def moving(daemon):
    """A service whose flows are over after three silent seconds, so that slots settle while one waits."""
    daemon.operate("pool.add", name="db", table_size=1021, source="10.64.0.0/16")
    for i in (1, 2, 3):
        daemon.operate("backend.add", pool="db", name=f"db{i}", address=f"10.9.0.1{i}")
    daemon.operate("service.add", proto="tcp", listen="203.0.113.10:5432", pool="db", idle=IDLE)
    daemon.operate("interface.attach", name="eth0")
    wait_until(lambda: not pool(daemon)["moving"])
    return daemon


def pool(daemon):
    return daemon.get("/v1/pools/db")


def backend(daemon, name):
    return daemon.get(f"/v1/backends/db/{name}")


def test_a_drain_moves_its_slots_and_they_settle(moving):
    owned = backend(moving, "db1")["slots"]
    moving.operate("backend.drain", pool="db", name="db1")
    state, drained = pool(moving), backend(moving, "db1")
    assert state["moving"] == owned and 0 <= state["settles_in"] <= IDLE + 1
    assert drained["admin"] == "draining" and drained["slots"] == 0 and drained["based"] == owned
    (line,) = moving.get("/v1/status")["pools"]
    assert line["moving"] == owned and line["settles_in"] is not None
    wait_until(lambda: not pool(moving)["moving"])
    assert pool(moving)["settles_in"] is None
    wait_until(lambda: backend(moving, "db1")["admin"] == "drained")
    assert any(e["kind"] == "settled" for e in moving.get("/v1/events")["events"])


def test_activate_gives_back_exactly_its_slots(moving):
    digest, slots = pool(moving)["digests"]["table"], backend(moving, "db1")["slots"]
    moving.operate("backend.drain", pool="db", name="db1")
    assert pool(moving)["digests"]["table"] == digest, "the placement is that of the members"
    wait_until(lambda: not pool(moving)["moving"])
    moving.operate("backend.activate", pool="db", name="db1")
    assert backend(moving, "db1")["slots"] == slots
    wait_until(lambda: not pool(moving)["moving"])
    assert backend(moving, "db1")["admin"] == "active"


def test_a_removed_backend_drains_and_leaves(moving):
    number = moving.operate("backend.remove", pool="db", name="db1")["generation"]
    gone = backend(moving, "db1")
    assert gone["removing"] and gone["admin"] == "draining" and gone["slots"] == 0
    wait_until(lambda: moving.request("GET", "/v1/backends/db/db1")[0] == 404)
    generation = moving.get("/v1/status")["generation"]
    assert generation["cause"] == "drained db/db1" and generation["number"] > number
    assert generation["author"] == "holdfastd"


def test_after_a_reboot_nobody_is_drained_before_one_has_listened(moving):
    """The flows that a rebooted balancer does not remember may live on any backend that serves old ones."""
    moving.operate("service.set", proto="tcp", listen="203.0.113.10:5432", idle=3600)
    moving.operate("backend.remove", pool="db", name="db1")
    moving.kill()
    shutil.rmtree(moving.pins)
    moving.start()
    assert backend(moving, "db1")["admin"] == "draining"
    moving.kill()
    moving.start()
    assert backend(moving, "db1")["admin"] == "draining", "nor after it was adopted"
    moving.operate("service.set", proto="tcp", listen="203.0.113.10:5432", idle=IDLE)
    wait_until(lambda: moving.request("GET", "/v1/backends/db/db1")[0] == 404)


def test_removed_now_is_gone_now(moving):
    moving.operate("backend.remove", pool="db", name="db1", now=True)
    assert moving.request("GET", "/v1/backends/db/db1")[0] == 404


def test_a_deadline_ends_a_drain(idle):
    """Flows of this service may be silent for an hour, and the deadline does not wait for them."""
    idle.start()
    idle.operate("pool.add", name="db", table_size=1021)
    for i in (1, 2):
        idle.operate("backend.add", pool="db", name=f"db{i}", address=f"10.9.0.1{i}")
    idle.operate("service.add", proto="tcp", listen="203.0.113.10:5432", pool="db", idle=3600)
    idle.operate("backend.drain", pool="db", name="db1", deadline=3)
    state = backend(idle, "db1")
    assert state["admin"] == "draining" and state["deadline"] and state["based"] > 0
    wait_until(lambda: backend(idle, "db1")["based"] == 0)
    wait_until(lambda: backend(idle, "db1")["admin"] == "drained")
    told = wait_until(lambda: [e["text"] for e in idle.get("/v1/events")["events"]
                          if (e["kind"], e["subject"]) == ("drain", "db/db1")][1:] and idle.get("/v1/events")["events"])
    texts = [e["text"] for e in told if e["kind"] == "drain"]
    assert "deadline has passed" in texts[0] and "drained" in texts[1] and len(texts) == 2


def test_down_is_a_drain_of_the_grace(moving):
    moving.operate("pool.set", name="db", grace=3)
    slots = backend(moving, "db1")["slots"]
    moving.operate("backend.health", pool="db", name="db1", state="down")
    down = backend(moving, "db1")
    assert down["health"] == "down" and down["health_rule"] == "down" and down["slots"] == 0
    assert down["based"] == slots
    assert any(line.startswith("db/db1 down ") for line in moving.get("/v1/status")["warnings"])
    wait_until(lambda: backend(moving, "db1")["based"] == 0)
    moving.operate("backend.health", pool="db", name="db1", state="auto")
    assert backend(moving, "db1")["slots"] == slots


def test_a_restart_goes_on_where_it_was(moving):
    moving.operate("service.set", proto="tcp", listen="203.0.113.10:5432", idle=3600)
    moving.operate("backend.drain", pool="db", name="db1")
    before = pool(moving)
    assert before["moving"] and before["settles_in"] > 3500
    moving.kill()
    moving.log.write_text("")
    moving.start()
    after = pool(moving)
    assert after["moving"] == before["moving"] and before["settles_in"] - 30 < after["settles_in"] <= before["settles_in"]
    assert after["digests"] == before["digests"]
    assert "is made what" not in moving.log.read_text()


def test_another_table_size_keeps_the_old_as_its_base(moving):
    answer = moving.operate("pool.set", name="db", table_size=2039)
    assert answer["plan"]["pools"][0]["rebuilt"]
    state = pool(moving)
    assert state["table_size"] == 2039 and state["moving"]
    wait_until(lambda: not pool(moving)["moving"])


def test_a_balancer_that_missed_changes_loads_its_neighbours_state(make_daemon, moving, tmp_path):
    neighbour = make_daemon(moving.instance + "-b", tmp_path / "b").start()
    exported = moving.get("/v1/export?state=1")["configuration"]
    exported["interfaces"] = []
    assert neighbour.post("model.apply", {"configuration": exported}, force=True)[0] == 200
    assert pool(neighbour)["digests"] == pool(moving)["digests"]
    moving.operate("backend.add", pool="db", name="db4", address="10.9.0.14")
    moving.operate("backend.set", pool="db", name="db2", weight=50)
    assert pool(neighbour)["digests"]["history"] != pool(moving)["digests"]["history"]
    exported = moving.get("/v1/export?state=1")["configuration"]
    exported["interfaces"] = []
    assert neighbour.post("model.apply", {"configuration": exported}, force=True)[0] == 200
    assert pool(neighbour)["digests"] == pool(moving)["digests"]


def test_history_outlives_restart_and_reboot(moving):
    moving.operate("backend.set", pool="db", name="db2", weight=50)
    digests = pool(moving)["digests"]
    assert digests["history"] != "0000000000000000"
    moving.kill()
    shutil.rmtree(moving.pins)
    moving.start()
    assert pool(moving)["digests"] == digests


def test_a_rollback_keeps_the_history(moving):
    number = moving.get("/v1/status")["generation"]["number"]
    moving.operate("backend.set", pool="db", name="db2", weight=50)
    status, answer = moving.request("POST", "/v1/rollback", {"generation": number, "force": True})
    assert status == 200, answer
    history = moving.get("/v1/export?state=1")["configuration"]["history"]
    assert any("db2*50" in record["members"] for record in history), history


def test_numbers_are_not_given_again_while_a_flow_may_carry_them(moving):
    numbers = {b["number"] for b in moving.get("/v1/backends/db")["backends"]}
    moving.operate("backend.remove", pool="db", name="db1", now=True)
    moving.operate("backend.add", pool="db", name="db9", address="10.9.0.18")
    assert backend(moving, "db9")["number"] not in numbers


SPEAK = """
import select, socket, sys
from scapy.all import Ether, IP, TCP, raw
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
s.bind(("r0", 0))
def say(flags):
    for port in sys.argv[2:]:
        s.send(raw(Ether(dst=sys.argv[1], src="02:00:00:00:00:01") / IP(src="198.51.100.7", dst="203.0.113.10")
                   / TCP(sport=int(port), dport=5432, flags=flags)))
say("A")
print("spoken", flush=True)
sys.stdin.readline()
while not select.select([sys.stdin], [], [], 0.2)[0]:
    say("PA")
say("FA")
"""


class Speaker:
    """Old flows to the service: each speaks once at first, then five times a second after go(), and ends by end()."""

    def __init__(self, host, ports):
        self.process = subprocess.Popen(host.peer.inside(PYTHON, "-c", SPEAK, host.mac("eth0"), *ports),
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout.readline() == "spoken\n"

    def go(self):
        self.process.stdin.write("go\n")
        self.process.stdin.flush()

    def end(self):
        self.process.communicate(timeout=60)


def test_old_flows_stay_until_they_end(moving, host):
    """The balancer learns of old flows by their packets, remembers them, and waits for them alone."""
    ports = [port for port in range(2000, 2300) if why(moving, port)["backend"] == "db/db1"][:20]
    assert len(ports) == 20
    speaker = Speaker(host, ports)
    try:
        assert backend(moving, "db1")["remembered"] == 0, "settled slots remember nothing"
        before = backend(moving, "db1")["packets"]
        moving.operate("backend.remove", pool="db", name="db1")
        assert why(moving, ports[0])["backend"] != "db/db1" and why(moving, ports[0])["base"] == "db/db1"
        digests = pool(moving)["digests"]
        speaker.go()
        wait_until(lambda: backend(moving, "db1")["remembered"] == 20)
        wait_until(lambda: 0 < pool(moving)["moving"] <= 20)  # the slots of flows that live are all that still move
        state = backend(moving, "db1")
        assert state["remembered"] == 20 and state["closing"] == 0 and state["admin"] == "draining"
        assert state["heard"] <= 5 and state["packets"] > before
        assert why(moving, ports[0])["backend"] == "db/db1" and why(moving, ports[0])["by"] == "remembered"
        status, answer = moving.post("backend.add", {"pool": "db", "name": "db1", "address": "10.9.0.11"}, dry_run=True)
        assert answer["plan"]["pools"][0]["remembered"] == 20
        flows = moving.get("/v1/status")["flows"]
        assert flows["remembered"] == 20 and flows["entered"] == 20 and flows["evicted_established"] == 0
    finally:
        speaker.end()
    wait_until(lambda: moving.request("GET", "/v1/backends/db/db1")[0] == 404)
    # Another balancer's flows end at another time: while one of them has left and the other not, the tables are equal.
    assert pool(moving)["digests"] == digests

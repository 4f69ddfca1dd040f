# SPDX-License-Identifier: Apache-2.0
"""What ends something looks first: each test lets something happen between the look and the end."""

import time

import pytest

from harness.wait import wait_until
from voice import Voice, why

HOUR = 3600
FLOWS = 12


@pytest.fixture
def voice(host, daemon):
    """Four backends, of which db4 came last: its slots are moving, and will be for an hour."""
    daemon.operate("pool.add", name="db", table_size=1021, source="10.64.0.0/16")
    for i in (1, 2, 3):
        daemon.operate("backend.add", pool="db", name=f"db{i}", address=f"10.9.0.1{i}")
    daemon.operate("service.add", proto="tcp", listen="203.0.113.10:5432", pool="db", idle=HOUR)
    daemon.operate("interface.attach", name="eth0")
    daemon.operate("backend.add", pool="db", name="db4", address="10.9.0.14")
    voice = Voice(host)
    yield voice
    voice.end()


def backend(daemon, name):
    return daemon.get(f"/v1/backends/db/{name}")


def owned_by(daemon, name, count=FLOWS):
    """Ports whose slots this backend owns."""
    owners = {slot: r["owner"] for r in daemon.get("/v1/pools/db/slots")["ranges"] for slot in range(r["first"], r["last"] + 1)}
    ports = [port for port in range(2000, 2400) if owners[why(daemon, port)["slot"]] == name]
    assert len(ports) >= count
    return ports[:count]


def events(daemon, kind):
    return [e["text"] for e in daemon.get("/v1/events")["events"] if e["kind"] == kind]


def test_flows_that_open_between_a_count_and_a_removal_are_waited_for(daemon, voice):
    ports = owned_by(daemon, "db4")
    wait_until(lambda: backend(daemon, "db4")["remembered"] == 0)  # and so it was counted less than a second ago
    voice.say("S", ports)
    daemon.operate("backend.remove", pool="db", name="db4")
    first = backend(daemon, "db4")
    assert first["admin"] == "draining", first
    voice.say("A", ports)
    wait_until(lambda: backend(daemon, "db4")["remembered"] == FLOWS)
    assert backend(daemon, "db4")["admin"] == "draining"
    assert not [text for text in events(daemon, "drain") if text.startswith("drained")]
    voice.say("F", ports)
    wait_until(lambda: daemon.request("GET", "/v1/backends/db/db4")[0] == 404)


def test_a_backend_that_only_the_old_table_leads_to_is_waited_for(daemon, voice):
    """It drained before its pool got another table: silent old flows are its own for an hour still."""
    daemon.operate("backend.drain", pool="db", name="db1")
    assert backend(daemon, "db1")["based"] > 0
    daemon.operate("pool.set", name="db", table_size=2039)
    daemon.operate("backend.remove", pool="db", name="db1")
    assert backend(daemon, "db1")["based"] == 0, "no slot of the new table leads to it"
    wait_until(lambda: backend(daemon, "db1").get("counted", 0) is not None)
    assert backend(daemon, "db1")["admin"] == "draining"


IDLE = 3
MANY_FLOWS = 4 << 20  # entries of the flow table, so that a count takes its time, and is not made at every look


def wait_for_second():
    """Until a second of the clock that slots are stamped with has just begun; which it is."""
    while time.monotonic() % 1 > 0.2:
        time.sleep(0.01)
    return int(time.monotonic())


def hear_just_before_ripeness(daemon, voice, name, early):
    """Adds a backend, and so early before its slots are ripe lets the daemon count, and then old flows speak that were
    silent until now. Returns the base of each by port, None where the machine was too slow."""
    began = wait_for_second()
    daemon.operate("backend.add", pool="db", name=name, address=f"10.9.0.1{name[2:]}")
    ports = owned_by(daemon, name)
    bases = {port: why(daemon, port)["base"] for port in ports}
    time.sleep(max(0, began + IDLE - early - time.monotonic()))
    daemon.get("/v1/status")  # the daemon counts
    voice.say("A", ports)
    return bases if time.monotonic() < began + IDLE - 0.02 else None


def test_flows_that_are_heard_between_a_count_and_ripeness_stay(idle, host):
    """Old flows that speak for the first time just before their slots are ripe are remembered: those do not settle."""
    idle.start("--max-flows", MANY_FLOWS)
    idle.kill()
    wait_for_second()
    idle.start("--max-flows", MANY_FLOWS)  # so that it looks for ripe slots early in each second
    idle.operate("pool.add", name="db", table_size=1021, source="10.64.0.0/16")
    idle.operate("backend.add", pool="db", name="db1", address="10.9.0.11")
    idle.operate("service.add", proto="tcp", listen="203.0.113.10:5432", pool="db", idle=IDLE)
    idle.operate("interface.attach", name="eth0")
    voice = Voice(host)
    try:
        tries = (hear_just_before_ripeness(idle, voice, f"db{i}", 0.2 * (i - 1)) for i in range(2, 9))
        bases = next(bases for bases in tries if bases)
        time.sleep(1.1)  # it looks once a second whether slots are ripe

        def has_settled():
            voice.say("A", bases)
            return idle.get("/v1/pools/db")["moving"] <= FLOWS

        wait_until(has_settled)
        voice.say("A", bases)
        told = {port: why(idle, port) for port in bases}
        assert {port: flow["backend"] for port, flow in told.items()} == bases
        assert {flow["by"] for flow in told.values()} == {"remembered"}
    finally:
        voice.end()

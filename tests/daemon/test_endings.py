# SPDX-License-Identifier: Apache-2.0
"""What ends something looks first: each test lets something happen between the look and the end."""

import pytest

from daemon import until
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
    until(lambda: backend(daemon, "db4")["remembered"] == 0)  # and so it was counted less than a second ago
    voice.say("S", ports)
    daemon.operate("backend.remove", pool="db", name="db4")
    first = backend(daemon, "db4")
    assert first["admin"] == "draining", first
    voice.say("A", ports)
    until(lambda: backend(daemon, "db4")["remembered"] == FLOWS)
    assert backend(daemon, "db4")["admin"] == "draining"
    assert not [text for text in events(daemon, "drain") if text.startswith("drained")]
    voice.say("F", ports)
    until(lambda: daemon.request("GET", "/v1/backends/db/db4")[0] == 404)

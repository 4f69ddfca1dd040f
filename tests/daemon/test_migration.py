# SPDX-License-Identifier: Apache-2.0
"""A pool that migrates to another table: its old flows live in the old one, whatever else changes meanwhile."""

import subprocess

import pytest

from harness import PYTHON
from harness.wait import wait_until
from voice import why

IDLE = 600
PORTS = tuple(range(2000, 2100))

SPEAK = """
import socket, sys
from scapy.all import Ether, IP, TCP, raw

s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
s.bind(("r0", 0))
for port in sys.argv[2:]:
    s.send(raw(Ether(dst=sys.argv[1], src="02:00:00:00:00:01") / IP(src="198.51.100.7", dst="203.0.113.10")
               / TCP(sport=int(port), dport=5432, flags="A")))
"""


@pytest.fixture
def serving(daemon):
    """Two backends, and a service whose flows may be silent for ten minutes."""
    daemon.operate("pool.add", name="db", table_size=1021)
    for i in (1, 2):
        daemon.operate("backend.add", pool="db", name=f"db{i}", address=f"10.9.0.1{i}")
    add_service(daemon)
    daemon.operate("interface.attach", name="eth0")
    return daemon


def add_service(daemon):
    daemon.operate("service.add", proto="tcp", listen="203.0.113.10:5432", pool="db", idle=IDLE)


def homes(daemon):
    """Where each flow lives: where it would open now, or where it is remembered."""
    return {port: why(daemon, port)["backend"] for port in PORTS}


def speak(daemon, host):
    """Each of the old flows sends a packet, and is remembered where that went."""
    subprocess.run(host.peer.inside(PYTHON, "-c", SPEAK, host.mac("eth0"), *PORTS), check=True, timeout=60)
    wait_until(lambda: daemon.get("/v1/status")["flows"]["entered"] == len(PORTS))


def drain_all(daemon):
    for name in ("db1", "db2"):
        daemon.post("backend.drain", {"pool": "db", "name": name}, force=True)


def restart(daemon):
    daemon.kill()
    daemon.start()


def drop_and_add_service(daemon):
    status, answer = daemon.post("service.remove", {"proto": "tcp", "listen": "203.0.113.10:5432"}, force=True)
    assert status == 200, answer
    daemon.operate("backend.set", pool="db", name="db1", weight=50)
    add_service(daemon)


LATER_CHANGES = {
    "another change": lambda daemon: daemon.operate("pool.set", name="db", grace=7),
    "another backend": lambda daemon: daemon.operate("backend.add", pool="db", name="db3", address="10.9.0.13"),
    "a restart": restart,
    "a second migration": lambda daemon: daemon.operate("pool.set", name="db", table_size=509),
    "a migration back": lambda daemon: daemon.operate("pool.set", name="db", table_size=1021),
    "a service that goes and comes": drop_and_add_service,
}


@pytest.mark.parametrize("change", LATER_CHANGES)
def test_silent_flows_stay_where_all_backends_drain(serving, host, change):
    """Every slot of the new table is without an owner then, and the old table alone says where flows live."""
    before = homes(serving)
    assert set(before.values()) == {"db/db1", "db/db2"}
    drain_all(serving)
    serving.operate("pool.set", name="db", table_size=2039)
    LATER_CHANGES[change](serving)
    speak(serving, host)
    assert homes(serving) == before


def test_silent_flows_stay_where_weights_are_all_nothing(serving, host):
    before = homes(serving)
    for name in ("db1", "db2"):
        status, answer = serving.post("backend.set", {"pool": "db", "name": name, "weight": 0}, force=True)
        assert status == 200, answer
    serving.operate("pool.set", name="db", table_size=2039)
    serving.operate("pool.set", name="db", grace=7)
    speak(serving, host)
    assert homes(serving) == before


def test_silent_flows_of_moving_slots_outlive_their_services_absence(serving, host):
    """A service that is removed by mistake comes back with its connections, those of a draining backend too."""
    before = homes(serving)
    serving.operate("backend.drain", pool="db", name="db1")
    drop_and_add_service(serving)
    restart(serving)
    old = [port for port in PORTS if before[port] == "db/db1"]
    subprocess.run(host.peer.inside(PYTHON, "-c", SPEAK, host.mac("eth0"), *old), check=True, timeout=60)
    wait_until(lambda: serving.get("/v1/status")["flows"]["entered"] == len(old))
    assert {port: why(serving, port)["backend"] for port in old} == {port: "db/db1" for port in old}


def test_a_backend_is_not_drained_while_the_old_table_may_lead_to_it(serving):
    """The new table does not name a backend that takes no new flows; its old flows are silent for up to ten minutes."""
    serving.operate("backend.drain", pool="db", name="db1")
    serving.operate("pool.set", name="db", table_size=2039)
    serving.operate("backend.remove", pool="db", name="db1")
    counted = serving.get("/v1/status")["uptime"]
    wait_until(lambda: serving.get("/v1/status")["uptime"] > counted + 3)  # it is looked at each second
    assert serving.get("/v1/backends/db/db1")["admin"] == "draining"


def test_a_pool_that_carries_hops_no_more_is_not_written_again(serving):
    """Nor is one whose backends serve nobody: no hops are read back as no hops."""
    serving.operate("pool.set", name="db", encap="gue")
    serving.operate("pool.set", name="db", encap="ipip")
    serving.operate("pool.add", name="gone", table_size=251, encap="gue")
    serving.operate("backend.add", pool="gone", name="g1", address="10.9.0.14")
    serving.operate("backend.disable", pool="gone", name="g1")
    serving.kill()
    serving.log.write_text("")
    serving.start()
    assert "is made what" not in serving.log.read_text()

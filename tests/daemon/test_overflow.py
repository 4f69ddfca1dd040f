# SPDX-License-Identifier: Apache-2.0
"""A flow table that is too small: status says so while connections find no room, and what to do."""

import subprocess

from harness import PYTHON
from harness.wait import wait_until

PLACES, SYNS = 64, 2000

OPEN = """
import socket, struct, sys
link, count = bytes.fromhex(sys.argv[1].replace(":", "")), int(sys.argv[2])
out = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
out.bind(("r0", 0))
head = link + bytes.fromhex("02000000c001") + bytes.fromhex("0800")
addresses = socket.inet_aton("198.51.100.7") + socket.inet_aton("203.0.113.10")
ip = struct.pack(">BBHHHBBH", 0x45, 0, 40, 0, 0, 64, 6, 0) + addresses
for port in range(2000, 2000 + count):
    out.send(head + ip + struct.pack(">HHIIBBHHH", port, 5432, 1, 0, 0x50, 2, 1024, 0, 0))
"""


def open_connections(host, count):
    subprocess.run(host.peer.inside(PYTHON, "-c", OPEN, host.mac("eth0"), count), check=True, timeout=60)


def problems(daemon):
    return [p for p in daemon.get("/v1/status")["problems"] if "flow table" in p]


def test_status_warns_while_connections_find_no_room(idle, host):
    idle.start("--max-flows", str(PLACES))
    idle.operate("pool.add", name="db", table_size=1021, source="10.64.0.0/16")
    for i in (1, 2, 3):
        idle.operate("backend.add", pool="db", name=f"db{i}", address=f"10.9.0.1{i}")
    idle.operate("service.add", proto="tcp", listen="203.0.113.10:5432", pool="db")
    idle.operate("interface.attach", name="eth0")
    idle.operate("backend.drain", pool="db", name="db1")
    assert not problems(idle)
    open_connections(host, SYNS)
    (told,) = wait_until(lambda: problems(idle))
    flows = idle.get("/v1/status")["flows"]
    assert flows["remembered"] <= flows["limit"] == PLACES and flows["unfit"] > PLACES
    assert f"--max-flows {2 * PLACES}" in told and f"{flows['unfit']} new connections" in told
    assert any(e["kind"] == "flow-table" and "is full" in e["text"] for e in idle.get("/v1/events")["events"])
    wait_until(lambda: not problems(idle))
    assert idle.get("/v1/status")["flows"]["unfit"] == flows["unfit"]
    wait_until(lambda: any("room again" in e["text"] for e in idle.get("/v1/events")["events"]))

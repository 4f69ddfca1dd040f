# SPDX-License-Identifier: Apache-2.0
"""From an older build to this one, and not back: OLD=DIR names the older build's directory of programs."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from harness import BUILD
from harness.wait import wait_until

OLD = os.environ.get("OLD")
pytestmark = pytest.mark.skipif(not OLD, reason="no older build: OLD=DIR")

# A packet of a connection every 200 microseconds, to each of the services in turn, until standard input ends.
STREAM = """
import select, socket, struct, sys

raw = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
raw.bind(("r0", 0))
head = bytes.fromhex(sys.argv[1].replace(":", "")) + b"\\2\\0\\0\\0\\0\\2\\x08\\0"
frames = [head + struct.pack(">BBHHHBBH4s4s", 0x45, 0, 40, 0, 0, 64, 6, 0, bytes([198, 51, 100, 7]),
                             bytes([203, 0, 113, 1 + i % 5]))
          + struct.pack(">HHIIBBHHH", 4000 + i, 1000 + 5 * (i // 5), 1, 1, 0x50, 0x10, 100, 0, 0) + bytes(6)
          for i in range(int(sys.argv[2]))]
sent = 0
while not select.select([sys.stdin], [], [], 0.0002)[0]:
    sent += raw.send(frames[sent // 60 % len(frames)])
print(sent // 60)
"""


def seen(daemon):
    return sum(service["packets"] for service in daemon.get("/v1/counters")["services"])


def test_packets_find_their_services_through_the_upgrade(idle):
    services = 100
    idle.build = Path(OLD)
    idle.start()
    seed = idle.get("/v1/status")["seed"]
    pool = {"name": "p", "backends": [{"name": "b", "address": "10.9.0.11"}]}
    idle.operate("model.apply", configuration={
        "version": 1, "seed": seed, "interfaces": [{"name": "eth0"}], "pools": [pool],
        "services": [{"listen": f"tcp 203.0.113.{1 + i % 5}:{1000 + 5 * (i // 5)}", "pool": "p"}
                     for i in range(services)]})
    stream = subprocess.Popen(idle.host.peer.inside(sys.executable, "-c", STREAM, idle.host.mac("eth0"), services),
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        wait_until(lambda: seen(idle) > 1000)
        idle.stop()
        idle.build = BUILD
        idle.start()
        began = seen(idle)
        wait_until(lambda: seen(idle) > began + 1000)
        idle.operate("service.add", proto="tcp", listen="203.0.113.1:7", pool="p")
        began = seen(idle)
        wait_until(lambda: seen(idle) > began + 1000)
    finally:
        sent = int(stream.communicate("", timeout=20)[0])
    wait_until(lambda: seen(idle) >= sent - 5)
    missed = {reason["reason"]: reason["packets"] for reason in idle.get("/v1/counters")["reasons"]}
    assert missed["no-service"] == 0
    idle.stop()
    idle.build = Path(OLD)
    assert "have layout" in idle.refused()

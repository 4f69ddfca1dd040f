# SPDX-License-Identifier: Apache-2.0
"""Packets of a client to the service of these tests, sent when a test says so and not later."""

import subprocess

from harness import PYTHON

CLIENT, VIP, PORT = "198.51.100.7", "203.0.113.10", 5432

SPEAK = """
import socket, sys
from scapy.all import Ether, IP, TCP, raw

mac, client, vip, dport = sys.argv[1:]
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
s.bind(("r0", 0))
print("ready", flush=True)
for line in sys.stdin:
    flags, *ports = line.split()
    for port in ports:
        s.send(raw(Ether(dst=mac, src="02:00:00:00:00:01") / IP(src=client, dst=vip)
                   / TCP(sport=int(port), dport=int(dport), flags=flags)))
    print("said", flush=True)
"""


class Voice:
    """say("S", ports) returns when one packet of each port has been handed to the balancer's link."""

    def __init__(self, host):
        self.process = subprocess.Popen(
            host.peer.inside(PYTHON, "-c", SPEAK, host.mac("eth0"), CLIENT, VIP, PORT),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout.readline() == "ready\n"

    def say(self, flags, ports):
        self.process.stdin.write(f"{flags} {' '.join(map(str, ports))}\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "said\n"

    def end(self):
        self.process.communicate(timeout=60)


def why(daemon, port):
    return daemon.get(f"/v1/why?proto=tcp&src={CLIENT}:{port}&dst={VIP}:{PORT}")

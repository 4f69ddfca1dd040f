# SPDX-License-Identifier: Apache-2.0
"""What a veth hands over of that XDP sends depends on its other end. `check` says of each what packets find out."""

import json
import re
import subprocess

import pytest

from harness import PASS, PYTHON
from harness.wait import wait_until
from voice import Voice

PORTS = range(5000, 5010)
LISTEN = """
import socket, sys, time
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
s.bind((sys.argv[1], 0))
s.settimeout(0.2)
print("ready", flush=True)
end, wanted, got = time.monotonic() + float(sys.argv[2]), int(sys.argv[3]), 0
while time.monotonic() < end and got < wanted:
    try:
        frame = s.recv(2000)
    except TimeoutError:
        continue
    got += frame[12:14] == b"\\x08\\x00" and frame[23] == 4  # wrapped
print(got)
"""


class Way:
    """A backend behind eth0, where its clients' packets come in, or behind eth1."""

    def __init__(self, daemon, out):
        self.daemon, self.host, self.out, self.far = daemon, daemon.host, out, {"eth0": "r0", "eth1": "r1"}[out]
        if out == "eth1":
            self.host.run("ip", "link", "add", "eth1", "type", "veth", "peer", "name", "r1", "netns", self.host.peer.netns)
            self.host.run("ip", "addr", "add", "10.8.0.1/24", "dev", "eth1")
            self.host.peer.run("ip", "addr", "add", "10.8.0.11/24", "dev", "r1")
            for namespace, name in ((self.host, "eth1"), (self.host.peer, "r1")):
                namespace.run("ip", "link", "set", name, "up")
        self.host.peer.run("ethtool", "-K", self.far, "gro", "off")

    def serve(self, **options):
        self.daemon.operate("pool.add", name="db", source="10.64.0.0/16")
        self.daemon.operate("backend.add", pool="db", name="db1", address={"eth0": "10.9.0.11", "eth1": "10.8.0.11"}[self.out])
        self.daemon.operate("service.add", proto="tcp", listen="203.0.113.10:5432", pool="db")
        self.daemon.operate("interface.attach", name="eth0", **options)
        wait_until(lambda: self.daemon.get("/v1/backends/db/db1")["next_hop"]["resolved"])

    def arrive(self, expected):
        """Whether what is sent to the service comes out of the other end."""
        seconds = 20 if expected else 2
        ear = subprocess.Popen(self.host.peer.inside(PYTHON, "-c", LISTEN, self.far, seconds, len(PORTS)),
                               stdout=subprocess.PIPE, text=True)
        try:
            assert ear.stdout.readline() == "ready\n"
            voice = Voice(self.host)
            voice.say("S", PORTS)
            voice.end()
            return int(ear.communicate(timeout=60)[0]) == len(PORTS)
        finally:
            ear.kill()
            ear.wait()

    def found(self, *words, under=()):
        """What `check` says of the way to the backend, but of its MTU."""
        findings = json.loads(self.daemon.run(["--json", "check", *words], status=None, under=under).stdout)["findings"]
        return [each for each in findings if each["subject"] == "backend db/db1" and "MTU" not in each["what"]]


@pytest.mark.parametrize("out, there, arrives", [
    ("eth0", "nothing", False), ("eth0", "gro", False), ("eth0", "generic", False), ("eth0", "native", True),
    ("eth1", "nothing", False), ("eth1", "gro", True), ("eth1", "generic", False), ("eth1", "native", True)])
def test_check_says_what_packets_find_out(daemon, out, there, arrives):
    way = Way(daemon, out)
    if there == "gro":
        way.host.peer.run("ethtool", "-K", way.far, "gro", "on")
    elif there != "nothing":
        way.host.peer.run("ip", "link", "set", way.far, {"native": "xdpdrv", "generic": "xdpgeneric"}[there], "obj", PASS,
                          "sec", "xdp")
    way.serve()
    assert way.arrive(arrives) == arrives
    found = way.found()
    assert [each["severity"] for each in found] == ([] if arrives else ["fault"]), found
    assert arrives or (f"its other end, {way.far}," in found[0]["what"] and out in found[0]["what"])


@pytest.mark.parametrize("out", ["eth0", "eth1"])
def test_what_check_advises_helps(daemon, out):
    way = Way(daemon, out)
    way.serve()
    (fault,) = way.found()
    command = re.search(r"at the other end: ([^,]*)", fault["right"])[1].replace("FILE", str(PASS))
    way.host.peer.run(*command.split())
    assert not way.found() and way.arrive(True)


def test_generic_mode_which_check_advises_helps_too(daemon):
    way = Way(daemon, "eth0")
    way.serve()
    (fault,) = way.found()
    for words in re.findall(r"holdfast (interface [a-z]+ eth0(?: --mode generic)?)", fault["right"]):
        done = daemon.run(words, status=None)
        assert done.returncode == 0, done.stderr
    assert not way.found() and way.arrive(True)


def test_an_end_that_cannot_be_looked_at_is_said_to_be_so(daemon):
    """GRO may be all that it has, and whoever asks may not look into the other namespace."""
    way = Way(daemon, "eth0")
    way.host.peer.run("ethtool", "-K", way.far, "gro", "on")
    way.serve()
    (note,) = way.found(under=("setpriv", "--bounding-set=-net_admin,-sys_admin", "--inh-caps=-net_admin,-sys_admin"))
    assert note["severity"] == "note" and "cannot be looked at" in note["what"] and note["right"]

# SPDX-License-Identifier: Apache-2.0
"""Whose frames are balanced: those for the interface's MAC address and for what else it was told to receive, from the
moment at which the kernel knows of it, daemon or none. Frames for other hosts, which a veth takes too, are not.

The router sends to whatever MAC address its neighbour entry says."""

import itertools
import json

import pytest

from harness import servers
from harness.lab import serve_pool
from harness.layout import reasons
from harness.wait import wait_until
from counters import packets_by_reason

VIPS = ("203.0.113.10", "2001:db8:203::10")
OTHER_MAC = next(number for number, (word, _) in reasons().items() if word == "other-mac")
STRANGER = "02:00:00:00:99:99"
numbers = itertools.count(1)


def url(vip):
    return f"http://[{vip}]/" if ":" in vip else f"http://{vip}/"


class Served:
    def __init__(self, lab, daemon):
        self.lab, self.daemon = lab, daemon

    def send_to(self, mac):
        """Whoever sends to lb1 sends to this MAC address from now on."""
        for address in (self.lab.lb1.address, self.lab.lb1.address6):
            self.lab.router.run("ip", "neigh", "replace", address, "lladdr", mac, "dev", self.lab.lb1.far, "nud", "permanent")

    def others(self):
        return packets_by_reason(self.daemon.instance)[OTHER_MAC]

    def answers(self, timeout=5):
        for vip in VIPS:
            assert self.lab.c1.curl(url(vip), timeout=timeout)

    def is_silent(self):
        """Whether no VIP answers."""
        return not any(self.lab.c1.run("curl", "-s", "-m", "1", "-g", url(vip), check=False).stdout for vip in VIPS)

    def link(self, *words):
        self.lab.lb1.run("ip", "link", *words)


@pytest.fixture(scope="module")
def running(lab):
    for backend in lab.backends:
        backend.attach_receiver()
    daemon = lab.lb1.daemon().start()
    serve_pool(daemon, lab.backends)
    daemon.run(f"service add tcp [{VIPS[1]}]:80 --pool db")
    wait_until(lambda: all(lab.c1.run("curl", "-s", "-m", "1", "-g", url(vip), check=False).stdout for vip in VIPS), 20,
               "the VIPs answer")
    return Served(lab, daemon)


@pytest.fixture(params=["alive", "dead"])
def served(running, request):
    """Everything as it was, and the daemon alive or dead."""
    if request.param == "dead":
        running.daemon.kill()
    yield running
    if not running.daemon.process.alive():
        running.daemon.start()


@pytest.fixture
def own(running):
    """The interface's MAC address, which is its own again afterwards."""
    lb1 = running.lab.lb1
    mac = json.loads(lb1.run("ip", "-json", "link", "show", "eth0").stdout)[0]["address"]
    yield mac
    running.link("set", "eth0", "address", mac)
    running.send_to(mac)



def test_frames_for_others_are_left_to_the_stack(served, own):
    served.send_to(own)
    served.answers()
    before = served.others()
    served.send_to(STRANGER)
    assert served.is_silent()
    counted = served.others() - before
    assert counted >= 2
    served.send_to(own)
    served.answers()
    assert served.others() - before == counted


def test_the_interface_gets_another_address(served, own):
    """A connection that is open goes on, and new ones come."""
    mac = f"02:00:00:00:55:{next(numbers):02x}"
    traffic = servers.start_traffic(served.lab.c1, "connect", VIPS[0], 80, "--rate", 50, "--count", 200)
    served.link("set", "eth0", "address", mac)
    served.send_to(mac)
    before = served.others()
    for _ in range(3):
        served.answers()
    assert traffic.result(60)["failed"] == 0
    assert served.others() == before
    served.send_to(STRANGER)
    assert served.is_silent()


def test_a_macvlan_comes_and_goes(served, own):
    """As keepalived's virtual MAC address does."""
    mac = f"02:00:00:00:56:{next(numbers):02x}"
    served.send_to(mac)
    assert served.is_silent()
    served.link("add", "vrrp", "link", "eth0", "address", mac, "type", "macvlan", "mode", "private")
    try:
        served.link("set", "vrrp", "up")
        before = served.others()
        served.answers()
        served.send_to(own)
        served.answers()
        assert served.others() == before
    finally:
        served.link("del", "vrrp")
    served.send_to(mac)
    wait_until(served.is_silent, 20, "the address is another host's now")


def test_many_addresses_of_one_interface(served, own):
    """More than the data plane has words for."""
    macs = [f"02:00:00:00:57:{number:02x}" for number in range(8)]
    for mac in macs:
        served.lab.lb1.run("bridge", "fdb", "add", mac, "dev", "eth0", "self", "permanent")
    try:
        for mac in macs:
            served.send_to(mac)
            served.answers()
    finally:
        for mac in macs:
            served.lab.lb1.run("bridge", "fdb", "del", mac, "dev", "eth0", "self")


def test_the_bridge_that_it_belongs_to(running, own):
    """Made while no daemon runs; the stack sees nothing of its port any more."""
    mac = f"02:00:00:00:58:{next(numbers):02x}"
    running.daemon.kill()
    try:
        running.link("add", "name", "seg0", "address", mac, "type", "bridge")
        running.link("set", "eth0", "master", "seg0")
        running.send_to(mac)
        running.answers()
        running.send_to(STRANGER)
        assert running.is_silent()
    finally:
        running.link("del", "seg0")
        running.send_to(own)
        running.daemon.start()


def test_why_asks_about_frames_for_this_host(running, own):
    assert running.daemon.json(f"why tcp 198.51.100.11:40123 {VIPS[0]}:80")["verdict"] == "forward"
    assert "other-mac" in running.daemon.run("counters --interval 0").stdout

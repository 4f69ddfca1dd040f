# SPDX-License-Identifier: Apache-2.0
"""The receiver as `holdfast receiver attach` fills its maps: what is for this host is taken, all else is left alone."""

import itertools
import json
import os
import subprocess
from contextlib import contextmanager

import pytest
from scapy.layers.l2 import Ether

from harness.command import CommandLine
from dataplane import DROP, PASS, TCP, TX, mac_bytes
from frames import VIPS, network, transport
from libbpf import Program
from test_hops import FAMILIES, HERE, LB_MAC, SELF, gue, inner_packet, kept
from test_receiver import on_the_wire

NIC = "hfr0"
ADDRESSES = {4: f"{SELF[4]}/24", 6: f"{SELF[6]}/64"}
SOURCES = {4: "10.99.0.1", 6: "fd00:99::1"}
ALLOWED = ("10.99.0.0/24", "fd00:99::/64")
ELSEWHERE = {4: "10.0.0.77", 6: "fd00::77"}


def ip(*words):
    subprocess.run(["ip", *words], check=True)


@contextmanager
def address(text, device=NIC):
    ip("addr", "add", text, "dev", device, *(["nodad"] if ":" in text else []))
    try:
        yield
    finally:
        ip("addr", "del", text, "dev", device)


class Attached:
    def __init__(self):
        self.program = None

    @staticmethod
    def say(*words, status=(0,)):
        done = CommandLine("/run").run(words, status=None)
        assert done.returncode in status, done.stderr
        return done.stdout

    def attach(self, sources=ALLOWED, *options):
        self.say("receiver", "attach", NIC, "--from", *sources, *options)
        inode = os.stat("/proc/thread-self/ns/net").st_ino
        self.close()
        self.program = Program.pinned(f"/sys/fs/bpf/holdfast/receiver/{inode}/{NIC}/prog")
        return self

    def check(self):
        """What `receiver check` says of the receiver."""
        found = json.loads(self.say("--json", "receiver", "check", NIC, status=(0, 1)))["findings"]
        return [one["what"] for one in found]

    def verdicts(self):
        (receiver,) = json.loads(self.say("--json", "receiver", "list"))["receivers"]
        return {word: count for word, count in receiver["verdicts"].items() if count}

    def expect(self, frame, word, out=None, action=PASS):
        before = self.verdicts()
        assert self.program.run(frame) == (action, frame if out is None else out)
        after = self.verdicts()
        risen = {name for name in after if after[name] != before.get(name, 0)}
        assert risen - {"not-wrapped"} == {word} - {"not-wrapped"}, "the hosts' own packets are not wrapped"
        assert after[word] > before.get(word, 0)

    def takes(self, frame, inner):
        self.expect(frame, "accepted", kept(frame, inner))

    def close(self):
        if self.program:
            os.close(self.program.fd)
        self.program = None


@pytest.fixture
def nic(namespace):
    ip("link", "add", NIC, "address", HERE, "type", "veth", "peer", "name", "hfr1")
    try:
        ip("link", "set", NIC, "up")
        ip("link", "set", "hfr1", "up")
        for text in ADDRESSES.values():
            ip("addr", "add", text, "dev", NIC, *(["nodad"] if ":" in text else []))
        with address(f"{VIPS[4]}/32", "lo"), address(f"{VIPS[6]}/128", "lo"):
            yield
    finally:
        ip("link", "del", NIC)


@pytest.fixture
def receiver(nic):
    receiver = Attached().attach()
    yield receiver
    receiver.close()
    receiver.say("receiver", "detach", NIC)


def to(destination, source=None, inner=4, **fields):
    """A wrapped packet to this outer destination, and what is in it."""
    family = 6 if ":" in destination else 4
    packet = bytes(network(inner) / transport(TCP) / b"data")
    return on_the_wire(packet, source or SOURCES[family], dst=destination, **fields), packet


def with_mac(frame, mac):
    return mac_bytes(mac) + frame[6:]


# The family belongs to an address -------------------------------------------------------------------------------


@pytest.mark.parametrize("source", ("::ffff:10.99.0.1", "::10.99.0.1", "a63:1::"))
def test_an_ipv6_source_is_no_ipv4_source(receiver, source):
    receiver.attach(["10.99.0.0/24"])
    receiver.expect(to(SELF[6], source)[0], "bad-source", action=DROP)
    receiver.takes(*to(SELF[4]))


def test_all_of_one_family_is_none_of_the_other(receiver):
    for family, other in ((4, 6), (6, 4)):
        receiver.attach(["0.0.0.0/0" if family == 4 else "::/0"])
        receiver.takes(*to(SELF[family]))
        receiver.expect(to(SELF[other])[0], "bad-source", action=DROP)
    receiver.attach(["0.0.0.0/0"])
    receiver.expect(to(SELF[6], "::ffff:10.99.0.1")[0], "bad-source", action=DROP)
    receiver.attach(["0.0.0.0/0", "::/0"])
    for family in FAMILIES:
        receiver.takes(*to(SELF[family]))


def test_an_ipv6_destination_is_no_ipv4_vip(receiver):
    inner = network(6, destination=f"::ffff:{VIPS[4]}") / transport(TCP)
    receiver.expect(on_the_wire(inner, dst=SELF[4]), "not-a-vip", action=DROP)


def test_an_ipv6_hop_takes_no_ipv4_route(receiver):
    """Only the route of the hop's own family may refuse it."""
    ip("route", "add", "unreachable", "10.66.0.0/16")
    try:
        receiver.attach()
        inner = inner_packet(4, sport=999)
        refused = gue(inner, hops=["10.66.0.5"])
        verdict, _ = receiver.program.run(refused)
        assert verdict == DROP
        before = receiver.verdicts()
        assert receiver.program.run(gue(inner, 6, hops=["::ffff:10.66.0.5"]))[0] == TX
        assert receiver.verdicts()["passed-on"] == before.get("passed-on", 0) + 1
    finally:
        ip("route", "del", "unreachable", "10.66.0.0/16")


# Tunnels to other hosts -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("family, inner", itertools.product(FAMILIES, FAMILIES))
def test_tunnels_to_other_hosts_are_left_alone(receiver, family, inner):
    """Whoever sends them, and whatever is in them."""
    for source in (SOURCES[family], "192.0.2.1" if family == 4 else "2001:db8:2::1"):
        receiver.expect(to(ELSEWHERE[family], source, inner)[0], "not-ours")
        receiver.expect(to(ELSEWHERE[family], source, inner)[0][:-30], "not-ours")
    packet = inner_packet(inner, sport=999)
    receiver.expect(gue(packet, family, destination=ELSEWHERE[family]), "not-ours")
    receiver.takes(*to(SELF[family], inner=inner))


@pytest.mark.parametrize("destination", ("10.0.0.255", "255.255.255.255", "224.0.0.5", "10.0.0.0", "ff02::1", "ff05::1:3"))
def test_tunnels_to_many_hosts_are_left_alone(receiver, destination):
    receiver.expect(to(destination)[0], "not-ours")


@pytest.mark.parametrize("text", ("192.0.2.11/32", "2001:db8:11::1/128"))
@pytest.mark.parametrize("device", ("lo", NIC, "hfr1"))
def test_every_address_of_the_host_counts(receiver, text, device):
    frame, inner = to(text.split("/")[0])
    receiver.expect(frame, "not-ours")
    with address(text, device):
        receiver.attach()
        receiver.takes(frame, inner)


@pytest.mark.parametrize("prefix, one, outside", (("192.0.2.0/28", "192.0.2.9", "192.0.2.16"),
                                                  ("2001:db8:11::/64", "2001:db8:11::9", "2001:db8:12::9")))
def test_prefixes_that_are_the_hosts_count(receiver, prefix, one, outside):
    ip("route", "add", "local", prefix, "dev", "lo")
    try:
        receiver.attach()
        receiver.takes(*to(one))
        receiver.expect(to(outside)[0], "not-ours")
    finally:
        ip("route", "del", "local", prefix, "dev", "lo")


def test_another_tables_local_routes_do_not_count(receiver):
    """A transparent proxy has such a route for the packets that it marks."""
    ip("route", "add", "local", "0.0.0.0/0", "dev", "lo", "table", "100")
    try:
        receiver.attach()
        receiver.expect(to(ELSEWHERE[4])[0], "not-ours")
    finally:
        ip("route", "flush", "table", "100")


def test_an_address_of_the_container_counts(receiver):
    """With --netns the receiver stands for that network namespace too."""
    name = f"hfr{os.getpid()}"
    ip("netns", "add", name)
    try:
        ip("-n", name, "link", "set", "lo", "up")
        for text in ("192.0.2.12/32", f"{VIPS[4]}/32"):
            ip("-n", name, "addr", "add", text, "dev", "lo")
        receiver.attach(ALLOWED, "--netns", name)
        receiver.takes(*to("192.0.2.12"))
        receiver.takes(*to(SELF[4]))
        receiver.expect(to(ELSEWHERE[4])[0], "not-ours")
    finally:
        ip("netns", "del", name)


CHANGED = "the host's addresses have changed since they were last read"


def test_check_reads_the_addresses_again(receiver):
    frame, inner = to("192.0.2.11")
    with address("192.0.2.11/32"):
        receiver.expect(frame, "not-ours")
        assert any(CHANGED in what for what in receiver.check())
        assert not any(CHANGED in what for what in receiver.check())
        receiver.takes(frame, inner)
    assert any(CHANGED in what for what in receiver.check())
    receiver.expect(frame, "not-ours")
    receiver.takes(*to(SELF[4]))


# Frames for other hosts -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("family", FAMILIES)
def test_frames_for_other_hosts_are_left_alone(receiver, family):
    for mac in ("02:00:00:00:04:02", "02:00:00:00:00:aa", "00:00:00:00:00:00"):
        frame = with_mac(to(SELF[family])[0], mac)
        receiver.expect(frame, "other-mac")
        receiver.expect(with_mac(to(SELF[family], "192.0.2.1" if family == 4 else "2001:db8:2::1")[0], mac), "other-mac")
        receiver.expect(with_mac(gue(inner_packet(4, sport=999), family), mac), "other-mac")


@pytest.mark.parametrize("mac", ("ff:ff:ff:ff:ff:ff", "01:00:5e:00:00:01", "33:33:00:00:00:01", "03:00:00:00:04:01"))
def test_frames_for_many_are_neither_taken_nor_answered(receiver, mac):
    for family in FAMILIES:
        receiver.expect(with_mac(to(SELF[family])[0], mac), "not-unicast")
        receiver.expect(with_mac(gue(inner_packet(4, sport=999), family), mac), "not-unicast")


def test_what_is_no_tunnel_is_none_whatever_its_mac_address(receiver):
    for mac in (HERE, "ff:ff:ff:ff:ff:ff", "02:00:00:00:04:02"):
        receiver.expect(bytes(Ether(dst=mac) / network(4) / transport(TCP)), "not-wrapped")


def test_macvlan_devices_are_this_host(receiver):
    mac = "02:00:00:00:04:99"
    added = subprocess.run(["ip", "link", "add", "hfr2", "link", NIC, "address", mac, "type", "macvlan"], check=False,
                           capture_output=True, text=True)
    if added.returncode:
        pytest.skip(f"no macvlan: {added.stderr}")
    frame, inner = to(SELF[4])
    ip("link", "set", "hfr2", "up")
    receiver.attach()
    receiver.takes(with_mac(frame, mac), inner)
    packet, hop = inner_packet(4, sport=999), "192.0.2.50"
    receiver.expect(gue(packet, hops=[hop], macs=(mac, LB_MAC)), "passed-on",
                    gue(packet, hops=[hop], next_hop=1, destination=hop, macs=(LB_MAC, mac), ttl=63), TX)
    ip("link", "del", "hfr2")
    receiver.check()
    receiver.expect(with_mac(frame, mac), "other-mac")


def test_check_reads_the_mac_address_again(receiver):
    mac = "02:00:00:00:04:55"
    frame, inner = to(SELF[4])
    ip("link", "set", NIC, "address", mac)
    receiver.expect(with_mac(frame, mac), "other-mac")
    assert any("MAC addresses" in what for what in receiver.check())
    receiver.takes(with_mac(frame, mac), inner)
    receiver.expect(frame, "other-mac")
    assert not any("MAC addresses" in what for what in receiver.check())

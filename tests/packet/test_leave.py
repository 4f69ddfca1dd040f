# SPDX-License-Identifier: Apache-2.0
"""What is not forwarded: left to the stack untouched, or dropped under its name; never aborted."""

import itertools
import random
from contextlib import contextmanager

import pytest
from scapy.layers.inet import ICMP, IP
from scapy.layers.inet6 import IPv6, IPv6ExtHdrDestOpt, IPv6ExtHdrFragment, ICMPv6EchoRequest, ICMPv6ND_NS
from scapy.layers.l2 import ARP, Dot1Q, Ether

from dataplane import DROP, PASS, REDIRECT, TCP, TX, UDP, DataPlane, verdicts
from frames import CLIENT_MAC, LINK_MAC, VIPS, client_frame, network, transport

FAMILIES = (4, 6)
ELSEWHERE = {4: "203.0.113.11", 6: "2001:db8::11"}


@contextmanager
def counted(plane, reason, frames):
    """These frames, and nothing else, are counted under this reason."""
    before = plane.reasons()
    yield
    after = plane.reasons()
    changed = {word: (after[word][0] - before.get(word, (0, 0))[0], after[word][1] - before.get(word, (0, 0))[1])
               for word in after if after[word] != before.get(word)}
    assert changed == {reason: (len(frames), sum(map(len, frames)))}


def expect(plane, frame, reason):
    verdict = {word: verdict for word, verdict in verdicts().values()}[reason]
    with counted(plane, reason, [frame]):
        assert plane.program.run(frame) == (verdict, frame)


def ethernet(payload, destination=LINK_MAC):
    return bytes(Ether(src=CLIENT_MAC, dst=destination) / payload)


@pytest.mark.parametrize("payload", [
    ARP(pdst="203.0.113.10"), Dot1Q(vlan=5) / network(4) / transport(TCP), b"\x88\xcc" + b"\0" * 40,
], ids=["arp", "vlan", "lldp"])
def test_not_ip(plane, payload):
    frame = ethernet(payload) if not isinstance(payload, bytes) else ethernet(b"")[:12] + payload
    expect(plane, frame, "not-ip")


@pytest.mark.parametrize("destination", ["ff:ff:ff:ff:ff:ff", "01:00:5e:00:00:01", "33:33:ff:00:00:10"])
@pytest.mark.parametrize("family", FAMILIES)
def test_not_unicast(plane, family, destination):
    expect(plane, ethernet(network(family) / transport(UDP), destination), "not-unicast")


def test_neighbour_solicitation_is_not_ours(plane):
    expect(plane, ethernet(IPv6(src="fe80::1", dst="ff02::1:ff00:10") / ICMPv6ND_NS(tgt=VIPS[6]), "33:33:ff:00:00:10"),
           "not-unicast")


@pytest.mark.parametrize("family, proto", itertools.product(FAMILIES, (TCP, UDP)))
def test_other_addresses_and_ports(plane, family, proto):
    expect(plane, client_frame(family, proto, 10, destination=ELSEWHERE[family]), "no-service")
    expect(plane, client_frame(family, proto, 10, dport=8080), "no-service")


@pytest.mark.parametrize("first", [0x44, 0x40, 0x05, 0x35, 0x65])
def test_bad_ipv4_header(plane, first):
    frame = bytearray(client_frame(4, TCP, 30))
    frame[14] = first
    expect(plane, bytes(frame), "bad-header")


@pytest.mark.parametrize("version", [0, 4, 5, 7, 15])
def test_bad_ipv6_version(plane, version):
    frame = bytearray(client_frame(6, TCP, 30))
    frame[14] = version << 4
    expect(plane, bytes(frame), "bad-header")


@pytest.mark.parametrize("total", [0, 19])
def test_ipv4_length_shorter_than_its_header(plane, total):
    frame = bytearray(client_frame(4, TCP, 30))
    frame[16:18] = total.to_bytes(2, "big")
    expect(plane, bytes(frame), "bad-header")


@pytest.mark.parametrize("family, proto", itertools.product(FAMILIES, (TCP, UDP)))
def test_truncated_at_every_length(plane, family, proto):
    """Frames cut off at every length from 14 to 80 bytes, for a VIP and for another address."""
    header = 34 if family == 4 else 54
    for length in range(14, 81):
        for destination in (VIPS, ELSEWHERE):
            frame = client_frame(family, proto, 80, destination=destination[family])[:length]
            reason = "bad-header" if length < header else "truncated" if destination is VIPS else "no-service"
            expect(plane, frame, reason)


@pytest.mark.parametrize("family, proto", itertools.product(FAMILIES, (TCP, UDP)))
def test_promises_more_than_there_is(plane, family, proto):
    """The shortest frames that are whole are forwarded; a length that promises one byte more is a truncation."""
    frame = client_frame(family, proto, 0)
    assert plane.program.run(frame)[0] == TX
    at = 16 if family == 4 else 18
    longer = bytearray(frame)
    longer[at:at + 2] = (int.from_bytes(frame[at:at + 2], "big") + 1).to_bytes(2, "big")
    expect(plane, bytes(longer), "truncated")


@pytest.mark.parametrize("family, proto", itertools.product(FAMILIES, (TCP, UDP)))
def test_length_that_cuts_off_the_transport_header(plane, family, proto):
    """What lies behind the packet's own length is padding, not a port."""
    at, header = (16, 20) if family == 4 else (18, 0)
    for room in range(20 if proto == TCP else 8):
        frame = bytearray(client_frame(family, proto, 40))
        frame[at:at + 2] = (header + room).to_bytes(2, "big")
        expect(plane, bytes(frame), "truncated")


@pytest.mark.parametrize("flags, offset", [("MF", 0), ("MF", 100), (0, 100)], ids=["first", "middle", "last"])
def test_fragments(plane, flags, offset):
    for proto, destination in itertools.product((TCP, UDP), (VIPS, ELSEWHERE)):
        reason = "fragment" if destination is VIPS else "no-service"
        four = network(4, destination=destination[4], flags=flags, frag=offset, proto=proto) / transport(proto)
        expect(plane, ethernet(four), reason)
        six = IPv6ExtHdrFragment(offset=offset, m=flags == "MF", id=3) / transport(proto)
        expect(plane, ethernet(network(6, destination=destination[6]) / six), reason)


def test_extension_headers_without_end(plane):
    headers = IPv6ExtHdrDestOpt()
    for _ in range(6):
        headers = headers / IPv6ExtHdrDestOpt()
    expect(plane, ethernet(network(6) / headers / transport(TCP)), "extensions")
    expect(plane, ethernet(network(6, destination=ELSEWHERE[6]) / headers / transport(TCP)), "no-service")


def test_extension_headers_cut_off(plane):
    whole = ethernet(network(6) / IPv6ExtHdrDestOpt() / IPv6ExtHdrDestOpt() / transport(TCP) / (b"x" * 30))
    for length in range(54, len(whole)):
        expect(plane, whole[:length], "truncated")


def test_other_protocols_of_a_vip(plane):
    for family, proto in itertools.product(FAMILIES, (2, 47, 50, 132)):
        fields = {"proto": proto} if family == 4 else {"nh": proto}
        expect(plane, ethernet(network(family, **fields) / (b"\0" * 40)), "vip-other")
        expect(plane, ethernet(network(family, destination=ELSEWHERE[family], **fields) / (b"\0" * 40)), "no-service")


def test_echo_is_answered_by_the_host(plane):
    expect(plane, ethernet(network(4) / ICMP(type=8) / b"ping"), "vip-other")
    expect(plane, ethernet(network(6) / ICMPv6EchoRequest(data=b"ping")), "vip-other")
    expect(plane, ethernet(network(4, destination=ELSEWHERE[4]) / ICMP(type=8) / b"ping"), "no-service")


def test_any_bytes(plane):
    """Frames damaged at random: passed untouched, dropped, or wrapped; never aborted, and always counted."""
    chance = random.Random(7)
    whole = [client_frame(f, p, 20, dport=d) for f, p, d in itertools.product(FAMILIES, (TCP, UDP), (80, 81, 82))]
    whole += [ethernet(network(4) / ICMP(type=3, code=4) / IP(src=VIPS[4], dst="198.51.100.7") / transport(TCP))]
    seen = set()
    for _ in range(6000):
        frame = bytearray(chance.choice(whole))
        for _ in range(chance.randrange(1, 5)):
            frame[chance.randrange(12, min(70, len(frame)))] = chance.randrange(256)
        frame = bytes(frame[:chance.randrange(14, len(frame) + 1)] if chance.random() < 0.3 else frame)
        before = sum(packets for packets, _ in plane.reasons().values())
        verdict, out = plane.program.run(frame)
        assert verdict in (PASS, DROP, TX, REDIRECT)
        assert sum(packets for packets, _ in plane.reasons().values()) - before == (verdict in (PASS, DROP))
        assert out == frame if verdict in (PASS, DROP) else out.endswith(frame[14:])
        seen.add(verdict)
    assert seen == {PASS, DROP, TX}


def test_an_empty_data_plane_passes_everything(namespace):
    plane = DataPlane()
    try:
        for family, proto in itertools.product(FAMILIES, (TCP, UDP)):
            expect(plane, client_frame(family, proto, 10), "no-service")
    finally:
        plane.close()

# SPDX-License-Identifier: Apache-2.0
"""What routers on the way mark in the outer header comes through to the inner one: RFC 6040, figure 4."""

import itertools

import pytest
from scapy.layers.inet import IP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import GRE

from dataplane import PASS, TX
from frames import network, transport
from test_hops import FAMILIES, TCP, gue, inner_packet, sent_on
from test_receiver import on_the_wire, receiver  # noqa: F401 (a fixture)

NOT_ECT, ECT_1, ECT_0, CE = range(4)
DROPPED = None
OUTER = (NOT_ECT, ECT_0, ECT_1, CE)  # the order of the figure's columns
FIGURE_4 = {
    NOT_ECT: (NOT_ECT, NOT_ECT, NOT_ECT, DROPPED),
    ECT_0: (ECT_0, ECT_0, ECT_1, CE),
    ECT_1: (ECT_1, ECT_1, ECT_1, CE),
    CE: (CE, CE, CE, CE),
}
MATRIX = [(outer, inner, outcome) for inner, row in FIGURE_4.items() for outer, outcome in zip(OUTER, row)]
SOURCES = {4: "10.99.0.1", 6: "fd00:99::1"}


def marked(frame, ecn, header=14):
    """The frame with this mark in the IP header that begins there. Scapy makes the checksum anew."""
    is_ipv4 = frame[header] >> 4 == 4
    packet = (IP if is_ipv4 else IPv6)(frame[header:])
    if is_ipv4:
        packet.tos, packet.chksum = packet.tos & ~3 | ecn, None
    else:
        packet.tc = packet.tc & ~3 | ecn
    return frame[:header] + bytes(packet)


def wrapped_as(encap, outer, inner):
    if encap == "gue":
        return gue(inner, outer, hops=[])
    if encap == "gre":
        shim = GRE(proto=0x0800 if bytes(inner)[0] >> 4 == 4 else 0x86DD)
        return on_the_wire(bytes(shim / bytes(inner)), SOURCES[outer], **{"proto" if outer == 4 else "nh": 47})
    return on_the_wire(inner, SOURCES[outer])


@pytest.mark.parametrize("encap, outer, inner", itertools.product(("ip", "gre", "gue"), FAMILIES, FAMILIES))
def test_every_pair_of_marks(receiver, encap, outer, inner):
    for outer_mark, inner_mark, outcome in MATRIX:
        for dscp in (0, 0x2E, 0x3F):
            packet = bytes(network(inner, tos=dscp << 2 | inner_mark) / transport(TCP) / b"data")
            frame = marked(wrapped_as(encap, outer, packet), outer_mark)
            if outcome is DROPPED:
                receiver.expect(frame, "ce-not-ect")
                continue
            expected = bytes(network(inner, tos=dscp << 2 | outcome) / transport(TCP) / b"data")
            ethertype = b"\x08\x00" if inner == 4 else b"\x86\xdd"
            receiver.expect(frame, "accepted", frame[:12] + ethertype + expected)


def test_the_checksum_is_right_wherever_it_wraps(receiver):
    for inner_mark, identification in itertools.product((ECT_0, ECT_1), range(0, 0x10000, 251)):
        packet = network(4, tos=inner_mark, id=identification) / transport(TCP)
        frame = marked(on_the_wire(packet), CE)
        expected = network(4, tos=CE, id=identification) / transport(TCP)
        receiver.expect(frame, "accepted", frame[:14] + bytes(expected))
    start = int.from_bytes(bytes(network(4, tos=ECT_0, id=0) / transport(TCP))[10:12], "big")
    for checksum in (0x0000, 0x0001, 0x0002, 0xFFFE):
        identification = (start - checksum) % 0xFFFF
        packet = bytes(network(4, tos=ECT_0, id=identification) / transport(TCP))
        assert int.from_bytes(packet[10:12], "big") == checksum
        frame = marked(on_the_wire(packet), CE)
        receiver.expect(frame, "accepted", frame[:14] + marked(packet, CE, 0))


@pytest.mark.parametrize("outer, inner", itertools.product(FAMILIES, FAMILIES))
def test_a_mark_survives_on_the_way_to_the_next_hop(receiver, outer, inner):
    """The last hop takes it in: until then nothing changes but what a router changes."""
    for outer_mark, inner_mark, outcome in MATRIX:
        packet = inner_packet(inner, sport=999, tos=inner_mark)
        verdict, sent = receiver.program.run(marked(gue(packet, outer), outer_mark))
        assert (verdict, sent) == (TX, marked(sent_on(packet, outer), outer_mark))
        last = marked(gue(packet, outer, next_hop=2), outer_mark)
        if outcome is DROPPED:
            receiver.expect(last, "ce-not-ect")
        else:
            verdict, out = receiver.program.run(last)
            assert (verdict, out[14:]) == (PASS, bytes(inner_packet(inner, sport=999, tos=outcome)))

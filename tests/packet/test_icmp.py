# SPDX-License-Identifier: Apache-2.0
"""ICMP errors about what a backend sent go to that backend: the quoted tuple, reversed, is the client's."""

import itertools

import pytest
from scapy.layers.inet import ICMP, IP
from scapy.layers.inet6 import (ICMPv6DestUnreach, ICMPv6PacketTooBig, ICMPv6ParamProblem, ICMPv6TimeExceeded, IPv6,
                                IPv6ExtHdrFragment)
from scapy.layers.l2 import Ether

from dataplane import DROP, PASS, TCP, TX, UDP
from frames import BACKENDS, CLIENT_MAC, CLIENTS, LINK_MAC, VIPS, chosen_backend, flow_hash, transport, wrapped
from test_leave import counted, expect

ROUTER = {4: "192.0.2.1", 6: "2001:db8:1::1"}
ERRORS = {4: [ICMP(type=3, code=4, nexthopmtu=1400), ICMP(type=3, code=1), ICMP(type=11), ICMP(type=12)],
          6: [ICMPv6DestUnreach(), ICMPv6PacketTooBig(mtu=1400), ICMPv6TimeExceeded(), ICMPv6ParamProblem()]}


def quoted(family, proto, sport=40000, dport=80, source=None):
    """As a backend sends it to its client."""
    header = IP if family == 4 else IPv6
    packet = header(src=source or VIPS[family], dst=CLIENTS[family]) / transport(proto, dport, sport)
    return bytes(packet)


def error_frame(family, error, about, destination=None):
    header = IP if family == 4 else IPv6
    packet = header(src=ROUTER[family], dst=destination or VIPS[family]) / error / about
    return bytes(Ether(src=CLIENT_MAC, dst=LINK_MAC) / packet)


@pytest.mark.parametrize("family, proto", itertools.product((4, 6), (TCP, UDP)))
def test_errors_follow_the_flow(plane, family, proto):
    for error, dport in itertools.product(ERRORS[family], (80, 81)):
        for sport in range(40000, 40020):
            hash_ = flow_hash(family, proto, sport, dport)
            frame = error_frame(family, error, quoted(family, proto, sport, dport))
            assert plane.program.run(frame) == (TX, wrapped(frame, BACKENDS[chosen_backend(hash_, dport)], hash_))


@pytest.mark.parametrize("proto", (TCP, UDP))
def test_eight_quoted_bytes_are_enough(plane, proto):
    """RFC 792 promises no more."""
    about = quoted(4, proto)[:28]
    frame = error_frame(4, ERRORS[4][0], about)
    hash_ = flow_hash(4, proto)
    assert plane.program.run(frame) == (TX, wrapped(frame, BACKENDS[chosen_backend(hash_)], hash_))


def test_a_quoted_first_fragment_has_its_ports(plane):
    about = IPv6(src=VIPS[6], dst=CLIENTS[6]) / IPv6ExtHdrFragment(offset=0, m=1) / transport(UDP, 80, 40000)
    frame = error_frame(6, ERRORS[6][0], bytes(about))
    hash_ = flow_hash(6, UDP)
    assert plane.program.run(frame) == (TX, wrapped(frame, BACKENDS[chosen_backend(hash_)], hash_))
    about = IP(src=VIPS[4], dst=CLIENTS[4], flags="MF") / transport(UDP, 80, 40000)
    frame = error_frame(4, ERRORS[4][0], bytes(about))
    hash_ = flow_hash(4, UDP)
    assert plane.program.run(frame) == (TX, wrapped(frame, BACKENDS[chosen_backend(hash_)], hash_))


def test_a_quoted_later_fragment_has_none(plane):
    about = IPv6(src=VIPS[6], dst=CLIENTS[6]) / IPv6ExtHdrFragment(offset=9, m=1, nh=UDP) / (b"x" * 40)
    expect(plane, error_frame(6, ERRORS[6][0], bytes(about)), "fragment")
    about = IP(src=VIPS[4], dst=CLIENTS[4], frag=9, proto=UDP) / (b"x" * 40)
    expect(plane, error_frame(4, ERRORS[4][0], bytes(about)), "fragment")


@pytest.mark.parametrize("family", (4, 6))
def test_truncated_quotes(plane, family):
    whole = error_frame(family, ERRORS[family][0], quoted(family, TCP))
    for length in range(34 if family == 4 else 54, len(whole)):
        expect(plane, whole[:length], "truncated")


@pytest.mark.parametrize("family", (4, 6))
def test_errors_that_are_not_about_a_service(plane, family):
    other = {4: "203.0.113.99", 6: "2001:db8::99"}[family]
    error = ERRORS[family][0]
    expect(plane, error_frame(family, error, quoted(family, TCP, source=other)), "vip-other")
    expect(plane, error_frame(family, error, quoted(family, TCP, dport=8080)), "no-service")
    expect(plane, error_frame(family, error, quoted(family, TCP, source=other), destination=other), "no-service")


def test_other_icmp_passes(plane):
    for type_ in set(range(0, 20)) - {3, 11, 12}:
        frame = error_frame(4, ICMP(type=type_), quoted(4, TCP))
        with counted(plane, "vip-other", [frame]):
            assert plane.program.run(frame) == (PASS, frame)


def test_a_broken_quote_is_no_tuple(plane):
    frame = bytearray(error_frame(4, ERRORS[4][0], quoted(4, TCP)))
    frame[14 + 20 + 8] = 0x44
    expect(plane, bytes(frame), "vip-other")
    assert plane.program.run(bytes(frame))[0] != DROP

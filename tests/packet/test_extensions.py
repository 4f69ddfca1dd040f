# SPDX-License-Identifier: Apache-2.0
"""IPv6 extension headers: the receiver steps over what the balancer steps over, outside and inside, and never over a
fragment's."""

import itertools

import pytest
from scapy.layers.inet6 import ICMPv6DestUnreach, ICMPv6PacketTooBig, IPv6, IPv6ExtHdrDestOpt, PadN
from scapy.packet import Raw

from dataplane import TCP, TX, UDP
from frames import BACKENDS, CLIENTS, EXTENSIONS, FRAGMENTS, VIPS, chosen_backend, flow_hash, network, transport, wrapped
from test_attached_receiver import nic, receiver  # noqa: F401 (fixtures)
from test_hops import FAMILIES, HERE, LB_MAC, gue, kept
from test_icmp import ERRORS, error_frame
from test_receiver import on_the_wire

HOP = "2001:db8:50::2"
all_headers = pytest.mark.parametrize("headers", EXTENSIONS.values(), ids=EXTENSIONS)
all_fragments = pytest.mark.parametrize("headers", FRAGMENTS.values(), ids=FRAGMENTS)


def behind(headers, frame):
    """The frame with these extension headers behind its (outer) IPv6 header."""
    outer, headers = IPv6(frame[14:54]), headers.copy()
    headers.lastlayer().nh = frame[20]
    del outer.nh, outer.plen
    return frame[:14] + bytes(outer / headers / Raw(frame[54:]))


def wrappings(inner):
    packet = bytes(network(inner) / transport(TCP) / b"data")
    yield on_the_wire(packet, "fd00:99::1"), packet
    yield on_the_wire(b"\0\0\x08\0" + packet if inner == 4 else b"\0\0\x86\xdd" + packet, "fd00:99::1", nh=47), packet
    yield gue(packet, 6, hops=[]), packet


@all_headers
@pytest.mark.parametrize("inner", FAMILIES)
def test_behind_the_outer_header(receiver, headers, inner):
    for frame, packet in wrappings(inner):
        frame = behind(headers, frame)
        receiver.expect(frame, "accepted", kept(frame, packet))


@all_headers
def test_the_outer_ones_go_on_with_the_packet(receiver, headers):
    inner = network(4) / transport(TCP, sport=999) / b"data"
    receiver.expect(behind(headers, gue(inner, 6, hops=[HOP])), "passed-on",
                    behind(headers, gue(inner, 6, hops=[HOP], next_hop=1, destination=HOP, macs=(LB_MAC, HERE), ttl=63)), TX)


@all_fragments
def test_a_fragment_of_a_wrapped_packet_is_left_alone(receiver, headers):
    for frame, _ in wrappings(4):
        receiver.expect(behind(headers, frame), "not-wrapped")


def test_outer_ones_without_end_or_cut_off_are_left_alone(receiver):
    seven, long = IPv6ExtHdrDestOpt(), IPv6ExtHdrDestOpt(options=[PadN(optdata=b"\0" * 200)] * 5)
    for _ in range(6):
        seven = seven / IPv6ExtHdrDestOpt()
    for frame, _ in wrappings(4):
        for headers in (seven, long):
            receiver.expect(behind(headers, frame), "not-wrapped")
        whole = behind(EXTENSIONS["destination"], frame)
        for length in range(54, 62):
            receiver.expect(whole[:length], "not-wrapped")


@all_headers
def test_a_packet_without_a_socket_goes_on(receiver, headers):
    """Its TCP header is found behind its own extension headers."""
    for outer, hop in ((4, "192.0.2.50"), (6, HOP)):
        inner = network(6) / headers / transport(TCP, sport=999) / b"data"
        receiver.expect(gue(inner, outer, hops=[hop]), "passed-on",
                        gue(inner, outer, hops=[hop], next_hop=1, destination=hop, macs=(LB_MAC, HERE), ttl=63), TX)


@all_fragments
def test_a_fragment_inside_is_kept(receiver, headers):
    """Where its connection is cannot be known."""
    inner = network(6) / headers / transport(TCP, sport=999) / b"data"
    frame = gue(inner, 6, hops=[HOP])
    receiver.expect(frame, "accepted", kept(frame, bytes(inner)))


@pytest.mark.parametrize("headers", [*EXTENSIONS.values(), FRAGMENTS["first fragment"]],
                         ids=[*EXTENSIONS, "first fragment"])
def test_the_balancer_steps_over_those_that_an_error_quotes(plane, headers):
    for proto, error in itertools.product((TCP, UDP), (ICMPv6DestUnreach(), ICMPv6PacketTooBig(mtu=1400))):
        about = IPv6(src=VIPS[6], dst=CLIENTS[6]) / headers / transport(proto, 80, 40000)
        frame = error_frame(6, error, bytes(about))
        hash_ = flow_hash(6, proto)
        assert plane.program.run(frame) == (TX, wrapped(frame, BACKENDS[chosen_backend(hash_)], hash_))


def test_later_fragments_that_an_error_quotes_have_no_ports(receiver):
    """What lies where the ports would be must not send the error on."""
    for family, hop in ((4, "192.0.2.50"), (6, HOP)):
        about = network(family, source=VIPS[family], destination=CLIENTS[family])
        if family == 4:
            about.frag, about.proto = 9, TCP
        else:
            about = about / FRAGMENTS["later"]
        inner = error_frame(family, ERRORS[family][0], bytes(about / transport(TCP, 80, 999)))[14:]
        frame = gue(inner, family, hops=[hop])
        receiver.expect(frame, "accepted", kept(frame, inner))

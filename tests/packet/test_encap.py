# SPDX-License-Identifier: Apache-2.0
"""The other encapsulations: GUE with hops, GRE, and a new destination MAC alone."""

import ipaddress
import itertools
import struct

import pytest
from scapy.layers.inet import IP, UDP as UDPHeader
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Ether

from harness.words import slot_word
from dataplane import DROP, TCP, TX, UDP, Backend, moving, now, words
from frames import BACKENDS, LINK_MAC, SIZE, chosen_backend, client_frame, flow_hash, traffic_class
from test_icmp import ERRORS, error_frame, quoted

FAMILIES = (4, 6)
PORTS = {4: 80, 6: 81}
SEEDS = {4: 0x0123456789ABCDEF, 6: 0xFEDCBA9876543210}


def outer(backend, frame, proto, hash_):
    tos = traffic_class(frame)
    if ":" in backend.address:
        return IPv6(src=backend.source, dst=backend.address, tc=tos, fl=hash_ >> 12 & 0xFFFFF, hlim=64, nh=proto)
    return IP(src=backend.source, dst=backend.address, tos=tos, ttl=64, id=0, flags="DF", proto=proto)


def inner_proto(frame):
    return 41 if frame[12:14] == b"\x86\xdd" else 4


def gue_frame(frame, backend, hash_, hops=(), port=19523):
    """As holdfast/gue.h draws it."""
    addresses = [ipaddress.ip_address(BACKENDS[hop].address).packed for hop in hops]
    is_ipv6 = ":" in backend.address
    words = 1 + sum(map(len, addresses)) // 4
    gue = struct.pack(">BBHHBB", words, inner_proto(frame), 0, 1 if is_ipv6 else 0, 0, len(hops)) + b"".join(addresses)
    payload = gue + frame[14:]
    udp = UDPHeader(sport=0xC000 | hash_ >> 8 & 0x3FFF, dport=port, chksum=0, len=8 + len(payload))
    return bytes(Ether(src=LINK_MAC, dst=backend.mac) / outer(backend, frame, 17, hash_) / udp / payload)


def use(plane, encap, **options):
    for number, backend in BACKENDS.items():
        plane.set_backend(number, backend.address, backend.source, backend.mac, encap=encap, ordinal=(number - 1) % 4,
                          **options)


@pytest.fixture
def gue(fresh):
    """Slots whose hops are all four backends of their family, the owner first."""
    use(fresh, "gue")
    for pool, backends in ((1, (1, 2, 3, 4)), (2, (5, 6, 7, 8))):
        words = []
        for i in range(SIZE):
            owner = backends[i % 4]
            fresh.set_hops(owner, [owner, *[b for b in backends if b != owner]])
            words.append(slot_word(owner, hops=owner))
        fresh.set_table(2 + pool, words, pool=pool, seed=SEEDS[4 if pool == 1 else 6])
    return fresh


def others(chosen):
    backends = (1, 2, 3, 4) if chosen < 5 else (5, 6, 7, 8)
    return [b for b in backends if b != chosen]


@pytest.mark.parametrize("family, backends, proto", itertools.product(FAMILIES, FAMILIES, (TCP, UDP)))
def test_gue_names_the_other_hops(gue, family, backends, proto):
    dport = PORTS[backends]
    for payload, sport in itertools.product((0, 1, 17, 512, 1300), range(100, 108)):
        frame = client_frame(family, proto, payload, sport, dport, tos=sport)  # DSCP and ECN go outside, too
        hash_ = flow_hash(family, proto, sport, dport)
        chosen = chosen_backend(hash_, dport)
        expected = gue_frame(frame, BACKENDS[chosen], hash_, others(chosen))
        assert gue.program.run(frame) == (TX, expected)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_syn_carries_no_hops(gue, family):
    for flags, hops in (("S", False), ("SE", False), ("SA", True), ("A", True), ("R", True), ("FA", True)):
        frame = client_frame(family, TCP, 0, flags=flags)
        hash_ = flow_hash(family, TCP)
        chosen = chosen_backend(hash_)
        expected = gue_frame(frame, BACKENDS[chosen], hash_, others(chosen) if hops else ())
        assert gue.program.run(frame) == (TX, expected)


@pytest.mark.parametrize("family", FAMILIES)
def test_icmp_errors_carry_hops(gue, family):
    frame = error_frame(family, ERRORS[family][0], quoted(family, TCP))
    hash_ = flow_hash(family, TCP)
    chosen = chosen_backend(hash_)
    assert gue.program.run(frame) == (TX, gue_frame(frame, BACKENDS[chosen], hash_, others(chosen)))


@pytest.mark.parametrize("port", (1, 19523, 65535))
def test_gue_port(gue, port):
    use(gue, "gue", port=port)
    frame, hash_ = client_frame(4, TCP), flow_hash(4, TCP)
    chosen = chosen_backend(hash_)
    assert gue.program.run(frame) == (TX, gue_frame(frame, BACKENDS[chosen], hash_, others(chosen), port))


@pytest.mark.parametrize("hops, last_answers, first, expected", [
    ([1, 2, 3], False, 1, [2, 3]), ([1, 2, 3], False, 3, [1, 2]), ([2, 3], False, 1, [2, 3]), ([1], False, 1, []),
    ([], False, 1, []), ([1, 2, 3, 4, 9, 10, 11], False, 1, [2, 3, 4, 9, 10, 11]),
    ([2, 3, 4, 9, 10, 11, 12], False, 1, [2, 3, 4, 9, 10, 11]), ([2, 3, 4, 9, 10, 11, 12], True, 1, [2, 3, 4, 9, 10, 12]),
    ([2, 3, 4, 9, 10, 11, 1], True, 1, [2, 3, 4, 9, 10, 11]), ([1, 5, 2, 6], False, 1, [2]),
])
def test_which_hops(fresh, hops, last_answers, first, expected):
    """The chosen backend is the outer destination and in no list; a full list loses its last, or the one before."""
    from frames import Backend
    use(fresh, "gue")
    for number in (9, 10, 11, 12):
        fresh.set_backend(number, f"10.0.0.{number}", "10.99.0.1", encap="gue")
    fresh.set_hops(7, hops, last_answers)
    fresh.set_table(3, [moving(first, first, hops=7)] * SIZE, pool=1, seed=SEEDS[4])
    frame, hash_ = client_frame(4, TCP), flow_hash(4, TCP)
    table = {**BACKENDS, **{n: Backend(f"10.0.0.{n}", "", "") for n in (9, 10, 11, 12)}}
    verdict, out = fresh.program.run(frame)
    count = out[14 + 20 + 8 + 7]
    found = [".".join(map(str, out[50 + 4 * i:54 + 4 * i])) for i in range(count)]
    assert verdict == TX and found == [table[n].address for n in expected]
    assert out.endswith(frame[14:]) and len(out) == len(frame) + 36 + 4 * count


def test_a_remembered_flow_names_its_backend_first(fresh):
    use(fresh, "gue")
    fresh.set_hops(7, [2, 1, 3, 4])
    first = fresh.set_table(3, [moving(2, 1, hops=7)] * SIZE, pool=1, seed=SEEDS[4])
    fresh.set_since(first, SIZE, now())
    frame, hash_ = client_frame(4, TCP), flow_hash(4, TCP)
    for _ in range(2):
        assert fresh.program.run(frame) == (TX, gue_frame(frame, BACKENDS[1], hash_, [2, 3, 4]))


def test_gue_counts_its_hops_towards_the_mtu(gue):
    use(gue, "gue", mtu=1400)
    room = 1400 - 20 - 8 - 8 - 12 - 28
    for payload, verdict in ((room, TX), (room + 1, DROP)):
        assert gue.program.run(client_frame(4, UDP, payload))[0] == verdict
    assert set(gue.reasons()) == {"too-big"}


@pytest.mark.parametrize("family, backends, proto", itertools.product(FAMILIES, FAMILIES, (TCP, UDP)))
def test_gre(fresh, family, backends, proto):
    use(fresh, "gre")
    dport = PORTS[backends]
    for payload, tos in itertools.product((0, 1, 17, 512), (0, 1, 2, 3, 0xB9)):
        frame = client_frame(family, proto, payload, dport=dport, tos=tos)
        hash_ = flow_hash(family, proto, dport=dport)
        backend = BACKENDS[chosen_backend(hash_, dport)]
        payload = b"\0\0" + frame[12:14] + frame[14:]
        expected = bytes(Ether(src=LINK_MAC, dst=backend.mac) / outer(backend, frame, 47, hash_) / payload)
        assert fresh.program.run(frame) == (TX, expected)


@pytest.mark.parametrize("family, proto", itertools.product(FAMILIES, (TCP, UDP)))
def test_l2(fresh, family, proto):
    use(fresh, "l2", mtu=1500)
    for payload in (0, 1, 17, 1400):
        frame = client_frame(family, proto, payload)
        backend = BACKENDS[chosen_backend(flow_hash(family, proto))]
        head = bytes.fromhex((backend.mac + LINK_MAC).replace(":", ""))
        assert fresh.program.run(frame) == (TX, head + frame[12:])
    frame = client_frame(family, proto, 1500)
    assert fresh.program.run(frame) == (DROP, frame)
    assert set(fresh.reasons()) == {"too-big"}


@pytest.mark.parametrize("encap", ("ip", "gre", "gue"))
@pytest.mark.parametrize("mask", (0, 12))
def test_a_checksum_is_that_of_the_source_it_covers(fresh, encap, mask):
    """A backend's source changes by a store of its own, under packets' eyes."""
    use(fresh, encap, src_mask=mask)
    for number in (1, 2, 3, 4):
        record = Backend.from_buffer_copy(fresh.maps["backends"].lookup(number))
        record.src[:] = words("192.0.2.0")
        fresh.maps["backends"].update(number, record)
    verdict, frame = fresh.program.run(client_frame(4, UDP, 5))
    assert verdict == TX
    outer_header = IP(frame[14:34])
    sent = outer_header.chksum
    del outer_header.chksum
    assert IP(bytes(outer_header)).chksum == sent
    assert ipaddress.ip_address(outer_header.src) in ipaddress.ip_network(f"192.0.2.0/{32 - mask}", strict=False)

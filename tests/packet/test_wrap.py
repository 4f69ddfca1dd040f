# SPDX-License-Identifier: Apache-2.0
"""Packets of services: wrapped for the right backend, to the last byte."""

import itertools
import socket
import subprocess

import pytest
from scapy.layers.inet import IP, IPOption_NOP
from scapy.layers.l2 import Ether

import flowhash
from harness.words import pool_word
from dataplane import DROP, PASS, REDIRECT, TCP, TX, UDP
from frames import (BACKENDS, CLIENT_MAC, EXTENSIONS, LINK_MAC, SIZE, chosen_backend, client_frame, flow_hash, network,
                    transport, wrapped)

FAMILIES = (4, 6)
PORTS = {4: 80, 6: 81}  # of the services whose backends have this family


@pytest.mark.parametrize("backends", FAMILIES)
@pytest.mark.parametrize("proto", (TCP, UDP))
@pytest.mark.parametrize("family", FAMILIES)
def test_every_size(plane, family, proto, backends):
    """Every family in every family, TCP and UDP, sizes even and odd."""
    dport = PORTS[backends]
    for payload in (0, 1, 2, 3, 17, 26, 27, 511, 512, 1000, 1399, 1440):
        frame = client_frame(family, proto, payload, dport=dport)
        hash_ = flow_hash(family, proto, dport=dport)
        assert plane.program.run(frame) == (TX, wrapped(frame, BACKENDS[chosen_backend(hash_, dport)], hash_)), payload


@pytest.mark.parametrize("family, backends", itertools.product(FAMILIES, FAMILIES))
def test_every_tos(plane, family, backends):
    """RFC 6040, normal mode: DSCP and ECN go outside as they are inside."""
    dport = PORTS[backends]
    hash_ = flow_hash(family, UDP, dport=dport)
    for tos in range(256):
        frame = client_frame(family, UDP, 3, dport=dport, tos=tos)
        assert plane.program.run(frame) == (TX, wrapped(frame, BACKENDS[chosen_backend(hash_, dport)], hash_)), tos


@pytest.mark.parametrize("family, proto", itertools.product(FAMILIES, (TCP, UDP)))
def test_flows_spread_and_stay(plane, family, proto):
    """Each flow goes where its hash says, whatever its flags, and every backend has its share."""
    shares = dict.fromkeys(range(1, 5), 0)
    for sport in range(20000, 20400):
        hash_ = flow_hash(family, proto, sport)
        chosen = chosen_backend(hash_)
        for flags in ("S", "A", "FA", "R"):
            frame = client_frame(family, proto, 5, sport, flags=flags)
            assert plane.program.run(frame) == (TX, wrapped(frame, BACKENDS[chosen], hash_))
        shares[chosen] += 1
    assert min(shares.values()) > 60


def test_ethernet_padding_stays(plane):
    frame = client_frame(4, UDP, 1).ljust(60, b"\xee")
    hash_ = flow_hash(4, UDP)
    assert plane.program.run(frame) == (TX, wrapped(frame, BACKENDS[chosen_backend(hash_)], hash_))


@pytest.mark.parametrize("length", range(1, 11))
def test_ipv4_options(plane, length):
    packet = IP(src="198.51.100.7", dst="203.0.113.10", options=[IPOption_NOP()] * 4 * length)
    for proto in (TCP, UDP):
        frame = bytes(Ether(src=CLIENT_MAC, dst=LINK_MAC) / packet / transport(proto))
        hash_ = flow_hash(4, proto)
        assert frame[14] & 0xF == 5 + length
        assert plane.program.run(frame) == (TX, wrapped(frame, BACKENDS[chosen_backend(hash_)], hash_))


@pytest.mark.parametrize("headers", EXTENSIONS.values(), ids=EXTENSIONS)
@pytest.mark.parametrize("proto", (TCP, UDP))
def test_ipv6_extension_headers(plane, headers, proto):
    frame = bytes(Ether(src=CLIENT_MAC, dst=LINK_MAC) / network(6) / headers / transport(proto) / b"payload")
    hash_ = flow_hash(6, proto)
    assert plane.program.run(frame) == (TX, wrapped(frame, BACKENDS[chosen_backend(hash_)], hash_))


def test_source_spreads_by_flow(fresh):
    """The hash fills the bits of src_mask, and the checksum follows."""
    for number, backend in BACKENDS.items():
        source = "10.99.0.0" if number < 5 else "fd00:99::"
        fresh.set_backend(number, backend.address, source, backend.mac, src_mask=16, ordinal=0)
    seen = {4: set(), 6: set()}
    for sport, family in itertools.product(range(30000, 30200), FAMILIES):
        dport = PORTS[family]
        hash_ = flow_hash(4, TCP, sport, dport)
        low = hash_.to_bytes(8, "little")[2:4]
        source = f"10.99.{low[0]}.{low[1]}" if family == 4 else f"fd00:99::{low.hex()}"
        backend = BACKENDS[chosen_backend(hash_, dport)]
        expected = type(backend)(backend.address, source, backend.mac)
        frame = client_frame(4, TCP, 2, sport, dport)
        assert fresh.program.run(frame) == (TX, wrapped(frame, expected, hash_))
        seen[family].add(source)
    assert len(seen[4]) > 190 and len(seen[6]) > 190


def test_source_policy(fresh):
    """By client address alone: one slot for all a client's ports and protocols, and other clients elsewhere."""
    fresh.set_table(3, [i % 4 + 1 for i in range(SIZE)], pool=1, seed=5, policy="source")
    for family, base in ((4, "198.51.100."), (6, "2001:db8:ffff::")):
        slots = set()
        for client in range(1, 60):
            hash_ = flowhash.flow_hash(f"{base}{client}", "::", 0, 0, 0, 5, "source")
            slots.add(flowhash.slot_index(hash_, SIZE))
            for proto, sport in itertools.product((TCP, UDP), (1000, 2000)):
                frame = client_frame(family, proto, 1, sport, source=f"{base}{client}")
                assert fresh.program.run(frame) == (TX, wrapped(frame, BACKENDS[chosen_backend(hash_)], hash_))
        assert len(slots) > 45


def test_a_new_table_is_one_word(fresh):
    """Pointing the pool's word at another table moves the flows; pointing it back brings them back."""
    frame, hash_ = client_frame(4, TCP), flow_hash(4, TCP)
    before = fresh.program.run(frame)
    fresh.set_table(3, [7] * 11, pool=1, seed=0x0123456789ABCDEF)
    assert fresh.program.run(frame) == (TX, wrapped(frame, BACKENDS[7], hash_))
    fresh.maps["pools"].update(1, pool_word(1, 2).to_bytes(8, "little"))
    assert fresh.program.run(frame) == before


@pytest.mark.parametrize("family", FAMILIES)
def test_mtu(fresh, family):
    """As large as the path allows, and not a byte more."""
    backend = BACKENDS[1] if family == 4 else BACKENDS[5]
    fresh.set_table(3, [1 if family == 4 else 5] * SIZE, pool=1, seed=0x0123456789ABCDEF)
    fresh.set_backend(1 if family == 4 else 5, backend.address, backend.source, backend.mac, mtu=1400)
    room = 1400 - (20 if family == 4 else 40) - 28
    frame = client_frame(4, UDP, room)
    assert fresh.program.run(frame) == (TX, wrapped(frame, backend, flow_hash(4, UDP)))
    frame = client_frame(4, UDP, room + 1)
    assert fresh.program.run(frame) == (DROP, frame)
    assert fresh.reasons() == {"too-big": (1, len(frame))}


def test_another_link(fresh):
    """Out of the interface by which it came in, or by redirect; and named when that cannot be."""
    subprocess.run(["ip", "link", "add", "packet0", "type", "veth", "peer", "name", "packet1"], check=True)
    try:
        ifindex = socket.if_nametoindex("packet0")
        backend = BACKENDS[1]
        fresh.set_table(3, [1] * SIZE, pool=1, seed=0x0123456789ABCDEF)
        fresh.set_backend(1, backend.address, backend.source, backend.mac, link=2)
        frame = client_frame(4, TCP)
        expected = wrapped(frame, backend, flow_hash(4, TCP)).replace(bytes.fromhex(LINK_MAC.replace(":", "")),
                                                                      bytes.fromhex("020000000002"), 1)
        fresh.set_link(2, "02:00:00:00:00:02", ifindex=ifindex, flags=0)
        assert fresh.program.run(frame) == (DROP, expected)
        assert fresh.reasons() == {"redirect": (1, len(frame))}
        fresh.maps["egress"].update(2, ifindex.to_bytes(4, "little"))
        assert fresh.program.run(frame) == (REDIRECT, expected)
        fresh.set_link(2, "02:00:00:00:00:02", ifindex=1, flags=0)  # lo, where test runs come in
        assert fresh.program.run(frame) == (TX, expected)
    finally:
        subprocess.run(["ip", "link", "del", "packet0"], check=True)


@pytest.mark.parametrize("fault, reason", [("unresolved", "next-hop"), ("link gone", "next-hop"),
                                           ("no owner", "no-backend"), ("no table", "no-table")])
def test_nowhere_to_go(fresh, fault, reason):
    backend = BACKENDS[1]
    fresh.set_table(3, [0 if fault == "no owner" else 1] * SIZE, pool=1, seed=1)
    if fault == "unresolved":
        fresh.set_backend(1, backend.address, backend.source, mac=None)
    if fault == "link gone":
        fresh.set_backend(1, backend.address, backend.source, backend.mac, link=9)
    if fault == "no table":
        fresh.maps["pools"].update(1, bytes(8))
    for family, proto in itertools.product(FAMILIES, (TCP, UDP)):
        frame = client_frame(family, proto, 9)
        assert fresh.program.run(frame) == (DROP, frame)
    assert fresh.reasons()[reason][0] == 4 and len(fresh.reasons()) == 1


def test_other_services_pass(plane):
    for family, proto in itertools.product(FAMILIES, (TCP, UDP)):
        frame = client_frame(family, proto, 9, dport=82)
        assert plane.program.run(frame) == (PASS, frame)

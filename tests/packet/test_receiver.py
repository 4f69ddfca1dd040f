# SPDX-License-Identifier: Apache-2.0
"""The receiver: unwraps what the balancer wrapped, for its VIPs, from its sources; all else by its name."""

import ipaddress
import itertools

import pytest
from scapy.layers.inet import IP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import ARP, Ether

from harness import BUILD
from harness.layout import constants, struct
from dataplane import DROP, PASS, TCP, TX, UDP, mac_bytes, verdicts
from frames import BACKENDS, CLIENT_MAC, VIPS, client_frame, network, transport
from libbpf import Object


OBJECT = "bpf/receiver.bpf.o"
Address, Prefix, Mac = (struct(f"hf_receiver_{name}", OBJECT) for name in ("address", "prefix", "mac"))
FAMILY_BITS = constants("receiver.h")["HF_RECEIVER_FAMILY_BITS"]


def address_key(address):
    address = ipaddress.ip_address(address)
    return Address(family=address.version, bytes=tuple(address.packed.ljust(16, b"\0")))


def prefix_key(prefix):
    prefix = ipaddress.ip_network(prefix)
    return Prefix(bits=FAMILY_BITS + prefix.prefixlen, address=address_key(prefix.network_address))


class Receiver:
    def __init__(self, sources=("10.99.0.0/24", "fd00:99::/64"), vips=VIPS.values()):
        self.object = Object(BUILD / OBJECT)
        self.program = self.object.programs["receive_linear"]
        for source in sources:
            self.object.maps["prefixes"].update(prefix_key(source), b"\1")
        for vip in vips:
            self.object.maps["vips"].update(address_key(vip), b"\1")
        for address in ("10.0.0.0/28", "fd00::/124"):  # of all backends
            self.object.maps["addresses"].update(prefix_key(address), b"\1")
        for backend in BACKENDS.values():
            self.object.maps["macs"].update(Mac(bytes=tuple(mac_bytes(backend.mac))), b"\1")
        self.words = verdicts("receiver.h")

    def verdicts(self):
        values = {word: sum(int.from_bytes(v, "little") for v in self.object.maps["verdicts"].lookup_each(number))
                  for number, (word, _) in self.words.items()}
        return {word: value for word, value in values.items() if value}

    def expect(self, frame, word, out=None, action=None):
        action = action or {word: action for word, action in self.words.values()}[word]
        before = self.verdicts()
        assert self.program.run(frame) == (action, frame if out is None else out)
        assert self.verdicts() == {**before, word: before.get(word, 0) + 1}


@pytest.fixture(scope="module")
def receiver(namespace):
    receiver = Receiver()
    yield receiver
    receiver.object.close()


def on_the_wire(inner, source="10.99.0.1", **fields):
    """A wrapped packet as it arrives, its inner packet given as bytes or as scapy builds it."""
    proto = 4 if bytes(inner)[0] >> 4 == 4 else 41
    if ":" in source:
        outer = IPv6(**{"src": source, "dst": "fd00::1", "nh": proto, **fields})
    else:
        outer = IP(**{"src": source, "dst": "10.0.0.1", "proto": proto, "flags": "DF", **fields})
    return bytes(Ether(src=CLIENT_MAC, dst="02:00:00:00:04:01") / outer / bytes(inner))


@pytest.mark.parametrize("family, proto, dport", itertools.product((4, 6), (TCP, UDP), (80, 81)))
def test_round_trip(plane, receiver, family, proto, dport):
    """Wrapped by the balancer and unwrapped here, a packet is what it was."""
    for payload in (0, 1, 17, 512, 1399):
        frame = client_frame(family, proto, payload, dport=dport)
        verdict, sent = plane.program.run(frame)
        assert verdict == TX
        receiver.expect(sent, "accepted", sent[:12] + frame[12:])


def test_padding_stays_behind(receiver):
    inner = bytes(network(4) / transport(UDP))
    frame = on_the_wire(inner).ljust(80, b"\xee")
    receiver.expect(frame, "accepted", frame[:14] + frame[34:])


def test_outer_options(receiver):
    inner = bytes(network(4) / transport(TCP))
    for length in range(1, 11):
        frame = on_the_wire(inner, options=[dataplane_nop()] * 4 * length)
        receiver.expect(frame, "accepted", frame[:14] + inner)


def dataplane_nop():
    from scapy.layers.inet import IPOption_NOP
    return IPOption_NOP()


@pytest.mark.parametrize("source, word", [
    ("10.99.0.1", "accepted"), ("10.99.0.255", "accepted"), ("10.99.1.0", "bad-source"), ("10.98.255.255", "bad-source"),
    ("fd00:99::1", "accepted"), ("fd00:99:0:1::1", "bad-source"), ("fd00:98::1", "bad-source"),
    ("::ffff:10.99.0.1", "bad-source"), ("::10.99.0.1", "bad-source"), ("a63:1::", "bad-source"),
])
def test_sources(receiver, source, word):
    for family in (4, 6):
        inner = bytes(network(family) / transport(TCP) / b"data")
        frame = on_the_wire(inner, source)
        ethertype = b"\x08\x00" if family == 4 else b"\x86\xdd"
        receiver.expect(frame, word, frame[:12] + ethertype + inner if word == "accepted" else None)


def test_no_prefix_allows_nobody(namespace):
    receiver = Receiver(sources=())
    try:
        for source in ("10.99.0.1", "0.0.0.0", "255.255.255.255", "::", "fd00:99::1"):
            receiver.expect(on_the_wire(network(4) / transport(TCP), source), "bad-source")
    finally:
        receiver.object.close()


def test_the_longest_prefixes_are_all_bits(namespace):
    receiver = Receiver(sources=("10.99.0.1/32", "fd00:99::1/128"))
    try:
        inner = network(4) / transport(TCP)
        for source, word in (("10.99.0.2", "bad-source"), ("fd00:99::2", "bad-source"), ("10.99.0.0", "bad-source")):
            receiver.expect(on_the_wire(inner, source), word)
        frame = on_the_wire(inner, "10.99.0.1")
        receiver.expect(frame, "accepted", frame[:14] + frame[34:])
    finally:
        receiver.object.close()


def test_only_to_vips(receiver):
    for family, destination in ((4, "203.0.113.11"), (4, "127.0.0.1"), (6, "2001:db8::11"), (6, "::1")):
        receiver.expect(on_the_wire(network(family, destination=destination) / transport(TCP)), "not-a-vip")


@pytest.mark.parametrize("family", (4, 6))
def test_inner_that_cannot_be_read(receiver, family):
    inner = bytes(network(family) / transport(TCP))
    need = 20 if family == 4 else 40
    for length in range(1, need):
        receiver.expect(on_the_wire(inner[:length], **({"proto": 4 if family == 4 else 41})), "bad-inner")
    for first in ({0x44, 0x55, 0x65} if family == 4 else {0x45, 0x70}):
        receiver.expect(on_the_wire(bytes([first]) + inner[1:], proto=4 if family == 4 else 41), "bad-inner")


@pytest.mark.parametrize("family, proto", itertools.product((4, 6), (TCP, UDP)))
def test_plain_packets_are_left_alone(receiver, family, proto):
    receiver.expect(client_frame(family, proto, 10), "not-wrapped")
    receiver.expect(client_frame(family, proto, 10, source="10.99.0.1" if family == 4 else "fd00:99::1"),
                    "not-wrapped")


def test_what_is_no_ip_is_left_alone(receiver):
    receiver.expect(bytes(Ether(src=CLIENT_MAC, dst="ff:ff:ff:ff:ff:ff") / ARP(pdst="10.0.0.1")), "not-wrapped")


def test_fragments_of_wrapped_packets_are_left_alone(receiver):
    inner = bytes(network(4) / transport(TCP) / (b"x" * 64))
    for fields in ({"flags": "MF"}, {"flags": 0, "frag": 5}):
        receiver.expect(on_the_wire(inner, **fields), "not-wrapped")


def test_every_length(receiver):
    """Cut off anywhere, a wrapped frame has a verdict, and only a whole inner header is believed."""
    for family, source in itertools.product((4, 6), ("10.99.0.1", "fd00:99::1")):
        whole = on_the_wire(network(family) / transport(TCP), source)
        outer, inner = 14 + (20 if "." in source else 40), 20 if family == 4 else 40
        for length in range(14, len(whole)):
            word = "not-wrapped" if length < outer else "bad-inner" if length < outer + inner else "accepted"
            cut = whole[:length]
            ethertype = b"\x08\x00" if family == 4 else b"\x86\xdd"
            receiver.expect(cut, word, cut[:12] + ethertype + cut[outer:] if word == "accepted" else None)
    assert DROP != PASS and len(BACKENDS) == 8

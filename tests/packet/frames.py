# SPDX-License-Identifier: Apache-2.0
"""Frames that clients send, and what is expected to come of them: all built by scapy."""

import logging
from dataclasses import dataclass

logging.getLogger("scapy").setLevel(logging.ERROR)

from scapy.config import conf  # noqa: E402
from scapy.layers.inet import IP, TCP as TCPHeader, UDP as UDPHeader  # noqa: E402
from scapy.layers.inet6 import (IPv6, IPv6ExtHdrDestOpt, IPv6ExtHdrFragment, IPv6ExtHdrHopByHop,  # noqa: E402
                                IPv6ExtHdrRouting, PadN)
from scapy.layers.l2 import Ether  # noqa: E402
from scapy.packet import Raw  # noqa: E402

import flowhash  # noqa: E402
from dataplane import TCP  # noqa: E402

conf.ipv6_enabled = True

CLIENT_MAC, LINK_MAC = "02:00:00:00:00:aa", "02:00:00:00:00:01"
VIPS = {4: "203.0.113.10", 6: "2001:db8::10"}
CLIENTS = {4: "198.51.100.7", 6: "2001:db8:ffff::7"}
SEEDS = {80: 0x0123456789ABCDEF, 81: 0xFEDCBA9876543210}
SIZE = 251


# What a packet for a port may carry between its IPv6 header and that of TCP or UDP, and what hides the ports.
EXTENSIONS = {
    "hop-by-hop": IPv6ExtHdrHopByHop(options=PadN(optdata=b"\0" * 4)),
    "destination": IPv6ExtHdrDestOpt(options=PadN(optdata=b"\0" * 20)),
    "routing": IPv6ExtHdrRouting(type=0, segleft=0),
    "atomic fragment": IPv6ExtHdrFragment(offset=0, m=0, id=7),
    "five of them": IPv6ExtHdrHopByHop() / IPv6ExtHdrDestOpt() / IPv6ExtHdrRouting() / IPv6ExtHdrFragment() /
    IPv6ExtHdrDestOpt(),
    "hundreds of bytes": IPv6ExtHdrDestOpt(options=[PadN(optdata=b"\0" * 200)] * 4),
}
FRAGMENTS = {"first fragment": IPv6ExtHdrFragment(offset=0, m=1, id=7), "later": IPv6ExtHdrFragment(offset=9, m=0, id=7)}


@dataclass
class Backend:
    address: str
    source: str
    mac: str


BACKENDS = {
    **{i: Backend(f"10.0.0.{i}", "10.99.0.1", f"02:00:00:00:04:{i:02x}") for i in range(1, 5)},
    **{i: Backend(f"fd00::{i}", "fd00:99::1", f"02:00:00:00:06:{i:02x}") for i in range(5, 9)},
}


def network(family, source=None, destination=None, tos=0, **fields):
    source, destination = source or CLIENTS[family], destination or VIPS[family]
    if family == 4:
        return IP(src=source, dst=destination, tos=tos, ttl=61, **fields)
    return IPv6(src=source, dst=destination, tc=tos, hlim=61, fl=0x12345, **fields)


def transport(proto, sport=40000, dport=80, flags="A"):
    if proto == TCP:
        return TCPHeader(sport=sport, dport=dport, flags=flags, seq=1, ack=2)
    return UDPHeader(sport=sport, dport=dport)


def client_frame(family, proto, payload=0, sport=40000, dport=80, flags="A", **fields):
    """payload: how many bytes, or the bytes."""
    payload = bytes(i & 0xFF for i in range(payload)) if isinstance(payload, int) else payload
    packet = network(family, **fields) / transport(proto, sport, dport, flags)
    return bytes(Ether(src=CLIENT_MAC, dst=LINK_MAC) / (packet / Raw(payload) if payload else packet))


def flow_hash(family, proto, sport=40000, dport=80, source=None):
    return flowhash.flow_hash(source or CLIENTS[family], VIPS[family], sport, dport, proto, SEEDS[dport])


def chosen_backend(hash_, dport=80):
    return flowhash.slot_index(hash_, SIZE) % 4 + (1 if dport == 80 else 5)


def traffic_class(frame):
    return frame[15] if frame[14] >> 4 == 4 else (frame[14] << 4 | frame[15] >> 4) & 0xFF


def wrapped(frame, backend, hash_):
    """What a frame becomes on its way to a backend."""
    inner, tos = frame[14:], traffic_class(frame)
    is_ipv6 = frame[12:14] == b"\x86\xdd"
    length = (int.from_bytes(frame[18:20], "big") + 40) if is_ipv6 else int.from_bytes(frame[16:18], "big")
    proto = 41 if is_ipv6 else 4
    ether = Ether(src=LINK_MAC, dst=backend.mac)
    if ":" in backend.address:
        outer = IPv6(src=backend.source, dst=backend.address, tc=tos, fl=hash_ >> 12 & 0xFFFFF, hlim=64, nh=proto,
                     plen=length)
    else:
        outer = IP(src=backend.source, dst=backend.address, tos=tos, ttl=64, id=0, flags="DF", proto=proto,
                   len=length + 20)
    return bytes(ether / outer) + inner


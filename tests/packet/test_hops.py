# SPDX-License-Identifier: Apache-2.0
"""The receiver's choice: keep a packet, or send it to the next hop that it names. With real sockets on real VIPs."""

import ipaddress
import itertools
import select
import socket
import struct
import subprocess
import time

import pytest
from scapy.layers.inet import ICMP, IP, TCP as TCPHeader, UDP as UDPHeader
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Ether

from dataplane import TCP, TX, UDP, mac_bytes
from frames import BACKENDS, CLIENT_MAC, CLIENTS, EXTENSIONS, VIPS, client_frame, network, transport
from test_icmp import ERRORS, ROUTER, error_frame, quoted
from test_receiver import receiver  # noqa: F401 (a fixture)

FAMILIES = (4, 6)
HERE, LB_MAC = BACKENDS[1].mac, CLIENT_MAC
HOPS = {4: ["10.0.0.2", "10.0.0.3"], 6: ["fd00::2", "fd00::3"]}
BALANCERS = {4: "10.99.0.1", 6: "fd00:99::1"}
SELF = {4: "10.0.0.1", 6: "fd00::1"}


def gue(inner, family=4, hops=None, next_hop=0, destination=None, port=19523, checksum=0, macs=(HERE, LB_MAC), ttl=64,
        **head):
    """A packet as the balancer sends it, or as a receiver has sent it on."""
    inner = bytes(inner)
    addresses = b"".join(ipaddress.ip_address(hop).packed for hop in (HOPS[family] if hops is None else hops))
    count = len(addresses) // (4 if family == 4 else 16)
    fields = {"version_length": 1 + len(addresses) // 4, "proto": 4 if inner[0] >> 4 == 4 else 41, "flags": 0,
              "type": family == 6, "next": next_hop, "count": count, **head}
    private = struct.pack(">BBHHBB", *fields.values()) + addresses
    udp = UDPHeader(sport=50000, dport=port, chksum=checksum, len=8 + len(private) + len(inner))
    destination = destination or SELF[family]
    outer = IP(src=BALANCERS[4], dst=destination, flags="DF", id=0, ttl=ttl, proto=17) if family == 4 \
        else IPv6(src=BALANCERS[6], dst=destination, hlim=ttl, nh=17)
    return bytes(Ether(dst=macs[0], src=macs[1]) / outer / udp / (private + inner))


def sent_on(inner, family=4, next_hop=1, ttl=63):
    """What comes of gue(inner, family, next_hop=next_hop - 1): with the next hop as its destination, and one hop older."""
    return gue(inner, family, next_hop=next_hop, destination=HOPS[family][next_hop - 1], macs=(LB_MAC, HERE), ttl=ttl)


def kept(frame, inner):
    inner = bytes(inner)
    return frame[:12] + (b"\x08\x00" if inner[0] >> 4 == 4 else b"\x86\xdd") + inner


def inner_packet(family, proto=TCP, flags="A", sport=40000, payload=b"data", **fields):
    return network(family, **fields) / transport(proto, sport, flags=flags) / payload


@pytest.fixture(scope="module")
def host(namespace):
    """The VIPs and the clients are addresses of this host, and it listens on port 80 of both VIPs."""
    with open("/proc/sys/net/ipv4/tcp_syncookies", "w", encoding="ascii") as sysctl:
        sysctl.write("1")
    addresses = [*VIPS.values(), *CLIENTS.values()]
    for address in addresses:
        subprocess.run(["ip", "addr", "add", address, "dev", "lo", *(["nodad"] if ":" in address else [])], check=True)
    listeners = {}
    for family, kind in ((4, socket.AF_INET), (6, socket.AF_INET6)):
        listeners[family] = socket.socket(kind, socket.SOCK_STREAM)
        listeners[family].setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listeners[family].bind((VIPS[family], 80))
        listeners[family].listen(64)
    yield listeners
    for listener in listeners.values():
        listener.close()
    for address in addresses:
        subprocess.run(["ip", "addr", "del", address, "dev", "lo"], check=True)


@pytest.fixture
def connection(host, request):
    family = request.param
    client = socket.socket(host[family].family, socket.SOCK_STREAM)
    client.bind((CLIENTS[family], 0))
    client.connect((VIPS[family], 80))
    server, _ = host[family].accept()
    yield family, client, server
    client.close()
    server.close()


@pytest.mark.parametrize("outer, family", itertools.product(FAMILIES, FAMILIES))
def test_a_packet_without_a_socket_goes_to_the_next_hop(receiver, host, outer, family):
    inner = inner_packet(family, sport=999)
    for index in range(2):
        frame = gue(inner, outer, next_hop=index)
        receiver.expect(frame, "passed-on", sent_on(inner, outer, index + 1), TX)


@pytest.mark.parametrize("outer, family", itertools.product(FAMILIES, FAMILIES))
def test_the_last_hop_keeps_it(receiver, host, outer, family):
    inner = inner_packet(family, sport=999)
    for next_hop in (2, 3, 255):
        frame = gue(inner, outer, next_hop=next_hop)
        receiver.expect(frame, "accepted-last", kept(frame, inner))


@pytest.mark.parametrize("outer", FAMILIES)
def test_a_packet_that_is_passed_on_grows_older(receiver, host, outer):
    """Like a router, the receiver takes one off TTL or hop limit; what it keeps may be of any age."""
    inner = inner_packet(4, sport=999)
    for ttl in (255, 128, 64, 2):
        receiver.expect(gue(inner, outer, ttl=ttl), "passed-on", sent_on(inner, outer, ttl=ttl - 1), TX)
    for ttl in (0, 1):
        receiver.expect(gue(inner, outer, ttl=ttl), "ttl-expired")
        frame = gue(inner, outer, ttl=ttl, next_hop=2)
        receiver.expect(frame, "accepted-last", kept(frame, inner))


@pytest.mark.parametrize("outer", FAMILIES)
def test_a_packet_that_names_no_hops_is_kept(receiver, host, outer):
    inner = inner_packet(4, sport=999)
    frame = gue(inner, outer, hops=[])
    receiver.expect(frame, "accepted", kept(frame, inner))
    frame = gue(inner, outer, hops=[], version_length=0)
    whole = frame[:14 + (28 if outer == 4 else 48) + 4] + bytes(inner)
    receiver.expect(whole, "accepted", kept(whole, inner))


def test_every_packet_ends_somewhere(receiver, host):
    """From hop to hop a packet comes to its last hop, which keeps it."""
    inner, frame = inner_packet(4, sport=999), None
    frame = gue(inner, 4)
    for visited in itertools.count(1):
        verdict, out = receiver.program.run(frame)
        if verdict != TX:
            break
        frame = mac_bytes(HERE) + out[6:]  # a router's part
    assert visited == len(HOPS[4]) + 1 and out == kept(frame, inner)


@pytest.mark.parametrize("family, flags", itertools.product(FAMILIES, ("S", "SE")))
def test_a_syn_is_kept(receiver, host, family, flags):
    inner = inner_packet(family, flags=flags, sport=999, payload=b"")
    frame = gue(inner)
    receiver.expect(frame, "accepted", kept(frame, inner))


@pytest.mark.parametrize("family", FAMILIES)
def test_udp_is_kept(receiver, host, family):
    inner = inner_packet(family, UDP)
    frame = gue(inner)
    receiver.expect(frame, "accepted", kept(frame, inner))


@pytest.mark.parametrize("connection", FAMILIES, indirect=True)
def test_a_connection_is_kept_in_all_its_states(receiver, connection):
    family, client, server = connection
    sport = client.getsockname()[1]

    def keeps():
        for flags in ("A", "PA", "FA", "R", "SA"):
            inner = inner_packet(family, flags=flags, sport=sport)
            frame = gue(inner, family)
            receiver.expect(frame, "accepted-socket", kept(frame, inner))

    keeps()
    other = inner_packet(family, sport=sport + 1 if sport < 65535 else sport - 1)
    receiver.expect(gue(other, family), "passed-on", sent_on(other, family), TX)
    server.shutdown(socket.SHUT_WR)  # FIN_WAIT2
    keeps()
    client.close()
    deadline = time.monotonic() + 5
    while server.recv(1) and time.monotonic() < deadline:
        pass
    server.close()  # TIME_WAIT
    keeps()


@pytest.mark.parametrize("connection", FAMILIES, indirect=True)
def test_icmp_errors_by_what_they_quote(receiver, connection):
    family, client, _ = connection
    for sport, word in ((client.getsockname()[1], "accepted-socket"), (998, "passed-on")):
        for error in ERRORS[family]:
            inner = error_frame(family, error, quoted(family, TCP, sport))[14:]
            frame = gue(inner, family)
            if word == "passed-on":
                receiver.expect(frame, word, sent_on(inner, family), TX)
            else:
                receiver.expect(frame, word, kept(frame, inner))
    echo = network(4) / ICMP(type=8) / b"ping"
    frame = gue(echo)
    receiver.expect(frame, "accepted", kept(frame, echo))


@pytest.mark.parametrize("headers", EXTENSIONS.values(), ids=EXTENSIONS)
@pytest.mark.parametrize("connection", (6,), indirect=True)
def test_a_connection_is_found_behind_extension_headers(receiver, connection, headers):
    sport = connection[1].getsockname()[1]
    about = bytes(IPv6(src=VIPS[6], dst=CLIENTS[6]) / headers / transport(TCP, 80, sport))
    own = [network(6) / headers / transport(TCP, sport) / b"data"]
    errors = [IPv6(src=ROUTER[6], dst=VIPS[6]) / headers / error / about for error in ERRORS[6]]
    for inner in own + errors:
        frame = gue(inner, 6)
        receiver.expect(frame, "accepted-socket", kept(frame, inner))


class Wire:
    """Sends a SYN from nowhere to the VIP, and sees what the listener answers."""

    def __init__(self):
        self.tap = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x0800))
        self.tap.bind(("lo", 0))
        self.raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)

    def close(self):
        self.tap.close()
        self.raw.close()

    def open(self, source, sport):
        """Returns the sequence number of the SYN-ACK."""
        syn = IP(src=source, dst=VIPS[4]) / TCPHeader(sport=sport, dport=80, flags="S", seq=1000)
        self.raw.sendto(bytes(syn), (VIPS[4], 0))
        deadline = time.monotonic() + 5
        while time.monotonic() < deadline:
            if not select.select([self.tap], [], [], 1)[0]:
                continue
            frame = self.tap.recv(2048)
            ip, tcp = frame[14:34], frame[34:54]
            if ip[9] == TCP and ip[12:16] == socket.inet_aton(VIPS[4]) and tcp[13] == 0x12 and \
                    int.from_bytes(tcp[2:4], "big") == sport:
                return int.from_bytes(tcp[4:8], "big")
        raise AssertionError("no answer to a SYN")


@pytest.fixture
def wire(host):
    wire = Wire()
    # The client is nobody, so that no RST ends what the SYN began; the answer's way is the loopback.
    subprocess.run(["ip", "route", "add", "192.0.2.0/24", "dev", "lo"], check=True)
    with open("/proc/sys/net/ipv4/conf/lo/rp_filter", "w", encoding="ascii") as sysctl:
        sysctl.write("0")
    yield wire
    subprocess.run(["ip", "route", "del", "192.0.2.0/24"], check=True)
    wire.close()


def answer(source, sport, sequence):
    return IP(src=source, dst=VIPS[4]) / TCPHeader(sport=sport, dport=80, flags="A", seq=1001, ack=sequence)


def test_a_half_open_connection_is_kept(receiver, wire):
    sequence = wire.open("192.0.2.7", 1111)
    inner = answer("192.0.2.7", 1111, sequence + 1)
    frame = gue(inner)
    receiver.expect(frame, "accepted-socket", kept(frame, inner))


def test_a_syn_cookie_is_known(receiver, wire):
    with open("/proc/sys/net/ipv4/tcp_syncookies", "w", encoding="ascii") as sysctl:
        sysctl.write("2")
    try:
        sequence = wire.open("192.0.2.8", 2222)
        inner = answer("192.0.2.8", 2222, sequence + 1)
        frame = gue(inner)
        receiver.expect(frame, "accepted-cookie", kept(frame, inner))
        wrong = answer("192.0.2.8", 2222, sequence ^ 0x5A5A5A5A)
        receiver.expect(gue(wrong), "passed-on", sent_on(wrong), TX)
    finally:
        with open("/proc/sys/net/ipv4/tcp_syncookies", "w", encoding="ascii") as sysctl:
            sysctl.write("1")


def test_a_checksum_of_the_outer_udp_header_goes(receiver, host):
    inner = inner_packet(4, sport=999)
    receiver.expect(gue(inner, checksum=0x1234), "passed-on", sent_on(inner), TX)


@pytest.mark.parametrize("head, word", [
    ({"flags": 1}, "bad-inner"), ({"version_length": 0x43}, "bad-inner"), ({"version_length": 0x23}, "bad-inner"),
    ({"proto": 6}, "bad-inner"), ({"count": 3}, "bad-inner"), ({"count": 255}, "bad-inner"),
    ({"version_length": 31}, "bad-inner"),
])
def test_gue_that_cannot_be_read(receiver, host, head, word):
    receiver.expect(gue(inner_packet(4, sport=999), **head), word)


@pytest.mark.parametrize("type_", (1, 2, 0xFFFF))
def test_hops_of_another_type_are_as_good_as_none(receiver, host, type_):
    inner = inner_packet(4, sport=999)
    frame = gue(inner, type=type_)
    receiver.expect(frame, "accepted", kept(frame, inner))


def test_other_udp_is_left_alone(receiver, host):
    receiver.expect(gue(inner_packet(4), port=19524), "not-wrapped")
    receiver.expect(client_frame(4, UDP, dport=53), "not-wrapped")


def test_gue_from_strangers_and_to_strangers(receiver, host):
    frame = bytearray(gue(inner_packet(4)))
    frame[26:30] = b"\x0a\x62\x00\x01"
    receiver.expect(bytes(frame), "bad-source")
    receiver.expect(gue(inner_packet(4, destination="203.0.113.200")), "not-a-vip")


def test_every_length(receiver, host):
    """Cut off anywhere, a frame has a verdict, and is not sent on half read."""
    for outer in FAMILIES:
        whole = gue(inner_packet(4, sport=999, payload=b""), outer)
        seen = set()
        for length in range(14, len(whole)):
            before = receiver.verdicts()
            receiver.program.run(whole[:length])
            after = receiver.verdicts()
            seen |= {word for word in after if after[word] != before.get(word, 0)}
        assert seen == {"not-wrapped", "bad-inner", "accepted"}


@pytest.mark.parametrize("family, proto, dport", itertools.product(FAMILIES, (TCP, UDP), (80, 81)))
def test_round_trips_of_gue_and_gre(fresh, receiver, host, family, proto, dport):
    for encap, word in (("gue", "accepted"), ("gre", "accepted")):
        for number, backend in BACKENDS.items():
            fresh.set_backend(number, backend.address, backend.source, backend.mac, encap=encap, ordinal=0)
        for payload in (0, 1, 512):
            frame = client_frame(family, proto, payload, dport=dport)
            verdict, sent = fresh.program.run(frame)
            assert verdict == TX
            receiver.expect(sent, word, sent[:12] + frame[12:])

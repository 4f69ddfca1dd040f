# SPDX-License-Identifier: Apache-2.0
"""Balancer and backends on one Ethernet segment: a packet for the next hop gets there although no router stands
between them, the backends do not forward, and they do not know each other's MAC addresses."""

import ctypes
import json
import os
import re
import shutil
import socket
from contextlib import contextmanager

import pytest

from harness import BUILD, PASS, PINS, TOP, servers
from harness.layout import struct
from harness.namespace import NETNS
from harness.process import run
from harness.segment import SegmentLab
from harness.wait import wait_until


SERVICES = {4: ("db", "203.0.113.10"), 6: ("six", "2001:db8:203::10")}  # family of the outer header: pool, VIP
CONNECTIONS = 48
PATIENCE = 20  # seconds until an answer that does not come is given up
CLONE_NEWNET = 0x40000000
HANDLE = "handle 0x686f6c64"  # of the receiver's filter
REQUEST = b"GET / HTTP/1.1\r\nHost: lab\r\n\r\n"


@contextmanager
def inside(netns):
    """Sockets that are made within belong to the namespace for ever."""
    libc = ctypes.CDLL(None, use_errno=True)
    own, other = os.open("/proc/self/ns/net", os.O_RDONLY), os.open(NETNS / netns, os.O_RDONLY)
    try:
        assert libc.setns(other, CLONE_NEWNET) == 0
        yield
    finally:
        assert libc.setns(own, CLONE_NEWNET) == 0
        os.close(own)
        os.close(other)


class Connection:
    def __init__(self, vip):
        self.socket = socket.create_connection((vip, 80), PATIENCE)
        self.server = self.ask()

    def ask(self):
        """The name of the backend that answers, or what went wrong instead."""
        try:
            self.socket.sendall(REQUEST)
            return re.search(rb"X-Backend: (\w+)", self.socket.recv(4096))[1].decode()
        except (OSError, TypeError) as error:
            return repr(error)


def verdicts(lab, hosts=None):
    """What the receivers of all backends, or of these hosts, counted, added up."""
    total = {}
    for backend in hosts or lab.backends:
        (listed,) = json.loads(backend.run(BUILD / "holdfast", "--json", "receiver", "list").stdout)["receivers"]
        for word, count in listed["verdicts"].items():
            total[word] = total.get(word, 0) + count
    return total


def risen(lab, before, hosts=None):
    return {word: count - before[word] for word, count in verdicts(lab, hosts).items() if count != before[word]}


@pytest.fixture(scope="module")
def segment(capable):
    lab = SegmentLab(f"hft{os.getpid()}n900", clients=1, balancers=1, backends=4).up()
    try:
        for backend in lab.backends:
            servers.start_nginx(backend, (80,))
            backend.attach_receiver()
        yield lab, configure(lab.lb1.daemon().start(), lab)
    finally:
        lab.down()


def configure(daemon, lab):
    for family, (pool, vip) in SERVICES.items():
        daemon.run(f"pool add {pool} --encap gue")
        for backend in lab.backends[:3]:
            daemon.run(f"backend add {pool}/{backend.name} {backend.address if family == 4 else backend.address6}")
        daemon.run(f"service add tcp {f'[{vip}]' if family == 6 else vip}:80 --pool {pool}")
    daemon.run("interface attach eth0")
    for _, vip in SERVICES.values():
        wait_until(lambda vip=vip: lab.c1.run("curl", "-s", "-m", "1", f"http://{f'[{vip}]' if ':' in vip else vip}/",
                                              check=False).stdout, 20, f"{vip} answers")
    return daemon


@pytest.fixture(scope="module", params=SERVICES)
def moved(segment, request):
    """Open connections of a pool that has a fourth backend since, and a balancer that has forgotten them."""
    lab, daemon = segment
    family = request.param
    pool, vip = SERVICES[family]
    with inside(lab.c1.netns):
        connections = [Connection(vip) for _ in range(CONNECTIONS)]
    last = lab.backends[3]
    daemon.run(f"backend add {pool}/{last.name} {last.address if family == 4 else last.address6}")
    assert [one.ask() for one in connections] == [one.server for one in connections]
    for backend in lab.backends:
        backend.forget_neighbours()
    daemon.stop()
    daemon.remove_pins()
    daemon.start()
    yield lab, connections
    for one in connections:
        one.socket.close()


def test_open_connections_outlive_the_balancers_reboot(moved):
    lab, connections = moved
    before = verdicts(lab)
    assert [one.ask() for one in connections] == [one.server for one in connections]
    rise = risen(lab, before)
    assert rise["passed-on"] > 0 and rise["handed-over"] >= rise["passed-on"]
    assert "no-route" not in rise


def test_a_host_that_forwards_sends_from_xdp(moved):
    """Once the neighbours are known, no packet takes the way through tc."""
    lab, connections = moved
    for backend in lab.backends:
        backend.forward()
    try:
        for _ in range(2):
            before = verdicts(lab)
            assert [one.ask() for one in connections] == [one.server for one in connections]
        rise = risen(lab, before)
        assert rise["passed-on"] > 0 and "handed-over" not in rise
    finally:
        for backend in lab.backends:
            backend.forward(False)


def test_a_host_that_forwards_asks_for_the_neighbour(moved):
    lab, connections = moved
    for backend in lab.backends:
        backend.forward()
        backend.forget_neighbours()
    try:
        before = verdicts(lab)
        assert [one.ask() for one in connections] == [one.server for one in connections]
        assert risen(lab, before)["handed-over"] > 0
    finally:
        for backend in lab.backends:
            backend.forward(False)


@pytest.mark.parametrize("forwards", (False, True))
def test_a_switch_that_floods_does_not_multiply_packets(moved, forwards):
    """Every backend sees every frame; only the one for whose MAC address it is passes it on."""
    lab, connections = moved
    for backend in lab.backends:
        backend.forward(forwards)
    lab.flood()
    try:
        for _ in range(2):
            before = verdicts(lab)
            assert [one.ask() for one in connections] == [one.server for one in connections]
        rise = risen(lab, before)
        assert rise["other-mac"] > 0 and rise["passed-on"] > 0
    finally:
        lab.flood(False)
        for backend in lab.backends:
            backend.forward(False)


def test_in_generic_mode_too(moved):
    lab, connections = moved
    for backend in lab.backends:
        backend.detach_receiver()
        backend.attach_receiver(mode="generic")
    try:
        before = verdicts(lab)
        assert [one.ask() for one in connections] == [one.server for one in connections]
        rise = risen(lab, before)
        assert rise["passed-on"] == rise["handed-over"] > 0
    finally:
        for backend in lab.backends:
            backend.detach_receiver()
            backend.attach_receiver()


def test_what_the_routes_refuse_is_dropped_by_name(moved):
    """No packet goes to the host's own stack, nor round."""
    lab, connections = moved
    last = lab.backends[3]
    refused = [other.address for other in lab.backends[:3]] + [other.address6 for other in lab.backends[:3]]
    for address in refused:
        last.run("ip", "route", "add", "unreachable", address)
    last.attach_receiver()
    try:
        before = verdicts(lab, [last])  # the others may have a few slots of each other's by now
        for one in connections:
            one.socket.sendall(REQUEST)
        wait_until(lambda: risen(lab, before, [last]).get("no-route"), 10, "a packet is dropped as no-route")
        assert not {"passed-on", "handed-over"} & set(risen(lab, before, [last]))
    finally:
        for address in refused:
            last.run("ip", "route", "del", "unreachable", address)
        last.attach_receiver()
    for one in connections:
        assert one.server.encode() in one.socket.recv(4096), "sent again, it is answered"


def pinned_map(host, name, *words):
    return run("bpftool", "-j", "map", words[0], "pinned", pins_of(host) / name, *words[1:]).stdout


def link_of(namespace, interface):
    """MAC address and number."""
    link = namespace.link(interface)
    return link["address"], link["ifindex"]


def as_bytes(value):
    return [f"{byte}" for byte in value]


@pytest.fixture
def forger(segment):
    """Sends what c1 sends to b1 by veth, with forged metadata; returns what b1 then counts and what comes out of b1."""
    lab, _ = segment
    host, pins = lab.b1, PINS / f"{lab.tag}-forge"
    gateway, _ = link_of(lab.router, "c1")
    lab.router.run("bpftool", "prog", "load", BUILD / "lab" / "forge.bpf.o", pins, "type", "xdp", "pinmaps", f"{pins}-maps")
    _, target = link_of(lab.router, host.name)

    forgery = struct("forgery", "lab/forge.bpf.o")

    def forge(metadata):
        value = as_bytes(bytes(forgery(target=target, metadata=tuple(metadata))))
        run("bpftool", "map", "update", "pinned", f"{pins}-maps/forgeries", "key", *["0"] * 4, "value", *value)
        before = verdicts(lab)
        with inside(lab.c1.netns):
            sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        with sender:
            for _ in range(10):
                sender.sendto(b"forged", (lab.b2.address, 9))
        wait_until(lambda: risen(lab, before).get("not-wrapped", 0) >= 10, 10, "the frames come to b1")
        return risen(lab, before)

    # The frames are for b1's MAC address as far as c1 knows.
    lab.c1.run("ip", "neigh", "replace", lab.c1.gateway, "lladdr", link_of(host, "eth0")[0], "dev", "eth0")
    lab.router.run("ip", "link", "set", "c1", "xdpdrv", "pinned", pins)
    yield forge
    lab.router.run("ip", "link", "set", "c1", "xdpdrv", "off")
    lab.c1.run("ip", "neigh", "replace", lab.c1.gateway, "lladdr", gateway, "dev", "eth0")
    pins.unlink()
    shutil.rmtree(f"{pins}-maps")


def test_metadata_of_others_is_no_note(segment, forger):
    """Only who knows the secret of b1's receiver, which is root there, can have it send something."""
    host = segment[0].b1
    secret = bytes(int(byte, 16) for byte in json.loads(pinned_map(host, "secret", "dump"))[0]["value"])
    eth0 = link_of(host, "eth0")[1].to_bytes(4, "little")
    for wrong in (bytes(8), bytes([secret[0] ^ 1]) + secret[1:], secret[:7] + bytes([secret[7] ^ 1])):
        assert "passed-on" not in forger(wrong + eth0 + bytes(20))
    assert forger(secret + eth0 + bytes(20))["passed-on"] == 10, "this test cannot fail"


# What is put in place and taken away ----------------------------------------------------------------------------


def tc_state(host):
    """The qdiscs and the ingress filters of eth0."""
    return host.run("tc", "qdisc", "show", "dev", "eth0").stdout, host.run("tc", "filter", "show", "dev", "eth0", "ingress").stdout


def pins_of(host):
    return PINS / "receiver" / str(os.stat(NETNS / host.netns).st_ino) / "eth0"


@pytest.fixture
def bare(segment):
    """A host without a receiver, and how it looked then."""
    host = segment[0].backends[1]
    host.detach_receiver()
    yield host, tc_state(host)
    host.run("tc", "qdisc", "del", "dev", "eth0", "clsact", check=False)
    host.attach_receiver()


def test_detach_leaves_nothing(bare):
    host, before = bare
    assert "clsact" not in before[0]
    for times in (1, 2):
        for _ in range(times):
            host.attach_receiver()
        assert "clsact" in tc_state(host)[0] and tc_state(host)[1].count(HANDLE) == 1
        host.detach_receiver()
        assert tc_state(host) == before
        assert not pins_of(host).exists()


def test_what_others_have_there_stays(bare):
    host, _ = bare
    host.run("tc", "qdisc", "add", "dev", "eth0", "clsact")
    host.run("tc", "filter", "add", "dev", "eth0", "ingress", "prio", "1", "protocol", "ip", "u32", "match", "u32", "0", "0",
             "classid", "1:1")
    before = tc_state(host)
    host.attach_receiver()
    assert tc_state(host)[1].count(HANDLE) == 1
    host.detach_receiver()
    assert tc_state(host) == before


def test_a_qdisc_that_others_use_by_now_stays(bare):
    host, _ = bare
    host.attach_receiver()
    host.run("tc", "filter", "add", "dev", "eth0", "egress", "prio", "7", "protocol", "ip", "u32", "match", "u32", "0", "0",
             "classid", "1:1")
    host.detach_receiver()
    qdiscs, filters = tc_state(host)
    assert "clsact" in qdiscs and HANDLE not in filters
    assert host.run("tc", "filter", "show", "dev", "eth0", "egress").stdout


def test_a_failure_leaves_neither_half(bare):
    """Another program has the interface: XDP is refused, and so the tc program goes again."""
    host, before = bare
    host.run("ip", "link", "set", "eth0", "xdpdrv", "obj", PASS, "sec", "xdp")
    try:
        done = host.run(BUILD / "holdfast", "receiver", "attach", "eth0", "--from", "10.0.1.0/24", check=False)
        assert done.returncode == 1 and tc_state(host) == before and not pins_of(host).exists()
    finally:
        host.run("ip", "link", "set", "eth0", "xdpdrv", "off")


def test_a_renamed_interface_is_let_go_of(bare):
    """By the name that it was attached under: the kernel's link knows which interface that is."""
    host, before = bare
    host.attach_receiver()
    try:
        host.run("ip", "link", "set", "eth0", "name", "eth9")
        host.detach_receiver()
        assert "clsact" not in host.run("tc", "qdisc", "show", "dev", "eth9").stdout and not pins_of(host).exists()
    finally:
        host.run("ip", "link", "set", "eth9", "name", "eth0")
    assert tc_state(host) == before


def test_the_units_capabilities_are_enough(bare):
    host, before = bare
    unit = (TOP / "scripts/systemd/holdfast-receiver@.service").read_text()
    capabilities = re.search(r"^CapabilityBoundingSet=(.*)$", unit, re.M)[1].replace("CAP_", "+").lower().split()
    bounded = ["setpriv", f"--bounding-set=-all,{','.join(capabilities)}", BUILD / "holdfast", "receiver"]
    host.run(*bounded, "attach", "eth0", "--from", "10.0.1.0/24")
    assert HANDLE in tc_state(host)[1]
    host.run(*bounded, "attach", "eth0", "--from", "10.0.1.0/24", "--vip", "203.0.113.10", "--netns", host.netns)
    host.run(*bounded, "detach", "eth0")
    assert tc_state(host) == before


def test_an_older_receiver_gets_its_other_half(bare):
    """Only the XDP program is there, as an earlier version left it: attaching again makes it whole."""
    host, _ = bare
    host.attach_receiver()
    host.run("tc", "qdisc", "del", "dev", "eth0", "clsact")
    for name in ("tc", "ways", "secret"):
        (pins_of(host) / name).unlink()
    listed = json.loads(host.run(BUILD / "holdfast", "--json", "receiver", "list").stdout)["receivers"]
    assert [one["tc"] for one in listed] == [False]
    link = run("bpftool", "-j", "link", "show", "pinned", pins_of(host) / "link").stdout
    host.attach_receiver()
    listed = json.loads(host.run(BUILD / "holdfast", "--json", "receiver", "list").stdout)["receivers"]
    assert [one["tc"] for one in listed] == [True]
    assert json.loads(run("bpftool", "-j", "link", "show", "pinned", pins_of(host) / "link").stdout)["id"] == json.loads(link)["id"]

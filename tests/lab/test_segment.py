# SPDX-License-Identifier: Apache-2.0
"""Balancer and backends on one Ethernet segment: a packet for the next hop gets there although no router stands
between them, the backends do not forward, and they do not know each other's MAC addresses."""

import ctypes
import json
import os
import re
import socket
from contextlib import contextmanager

import pytest

import holdfast
import servers
from lab import BUILD, NETNS, PINS, run, wait_until
from segment import SegmentLab

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


def verdicts(lab):
    """What all receivers counted, added up."""
    total = {}
    for backend in lab.backends:
        (listed,) = json.loads(backend.run(BUILD / "holdfast", "--json", "receiver", "list").stdout)["receivers"]
        for word, count in listed["verdicts"].items():
            total[word] = total.get(word, 0) + count
    return total


def risen(lab, before):
    return {word: count - before[word] for word, count in verdicts(lab).items() if count != before[word]}


@pytest.fixture(scope="module")
def segment(capable):
    lab = SegmentLab(f"hft{os.getpid()}seg", clients=1, balancers=1, backends=4).up()
    try:
        for backend in lab.backends:
            servers.start_nginx(backend, (80,))
            holdfast.attach_receiver(backend)
        yield lab, configure(holdfast.Daemon(lab.lb1).start(), lab)
    finally:
        lab.down()


def configure(daemon, lab):
    for family, (pool, vip) in SERVICES.items():
        daemon.say(f"pool add {pool} --encap gue")
        for backend in lab.backends[:3]:
            daemon.say(f"backend add {pool}/{backend.name} {backend.address if family == 4 else backend.address6}")
        daemon.say(f"service add tcp {f'[{vip}]' if family == 6 else vip}:80 --pool {pool}")
    daemon.say("interface attach eth0")
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
    daemon.say(f"backend add {pool}/{last.name} {last.address if family == 4 else last.address6}")
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


def test_what_the_routes_refuse_is_dropped_by_name(moved):
    """No packet goes to the host's own stack, nor round."""
    lab, connections = moved
    last = lab.backends[3]
    refused = [other.address for other in lab.backends[:3]] + [other.address6 for other in lab.backends[:3]]
    for address in refused:
        last.run("ip", "route", "add", "unreachable", address)
    holdfast.attach_receiver(last)
    try:
        before = verdicts(lab)
        for one in connections:
            one.socket.sendall(REQUEST)
        wait_until(lambda: risen(lab, before).get("no-route"), 10, "a packet is dropped as no-route")
        assert "passed-on" not in risen(lab, before)
    finally:
        for address in refused:
            last.run("ip", "route", "del", "unreachable", address)
        holdfast.attach_receiver(last)
    for one in connections:
        assert one.server.encode() in one.socket.recv(4096), "sent again, it is answered"


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
    holdfast.detach_receiver(host)
    yield host, tc_state(host)
    host.run("tc", "qdisc", "del", "dev", "eth0", "clsact", check=False)
    holdfast.attach_receiver(host)


def test_detach_leaves_nothing(bare):
    host, before = bare
    assert "clsact" not in before[0]
    for times in (1, 2):
        for _ in range(times):
            holdfast.attach_receiver(host)
        assert "clsact" in tc_state(host)[0] and tc_state(host)[1].count(HANDLE) == 1
        holdfast.detach_receiver(host)
        assert tc_state(host) == before
        assert not pins_of(host).exists()


def test_what_others_have_there_stays(bare):
    host, _ = bare
    host.run("tc", "qdisc", "add", "dev", "eth0", "clsact")
    host.run("tc", "filter", "add", "dev", "eth0", "ingress", "prio", "1", "protocol", "ip", "u32", "match", "u32", "0", "0",
             "classid", "1:1")
    before = tc_state(host)
    holdfast.attach_receiver(host)
    assert tc_state(host)[1].count(HANDLE) == 1
    holdfast.detach_receiver(host)
    assert tc_state(host) == before


def test_a_qdisc_that_others_use_by_now_stays(bare):
    host, _ = bare
    holdfast.attach_receiver(host)
    host.run("tc", "filter", "add", "dev", "eth0", "egress", "prio", "7", "protocol", "ip", "u32", "match", "u32", "0", "0",
             "classid", "1:1")
    holdfast.detach_receiver(host)
    qdiscs, filters = tc_state(host)
    assert "clsact" in qdiscs and HANDLE not in filters
    assert host.run("tc", "filter", "show", "dev", "eth0", "egress").stdout


def test_a_failure_leaves_neither_half(bare):
    """Another program has the interface: XDP is refused, and so the tc program goes again."""
    host, before = bare
    host.run("ip", "link", "set", "eth0", "xdpdrv", "obj", BUILD / "lab" / "pass.bpf.o", "sec", "xdp")
    try:
        done = host.run(BUILD / "holdfast", "receiver", "attach", "eth0", "--from", "10.0.1.0/24", check=False)
        assert done.returncode == 1 and tc_state(host) == before and not pins_of(host).exists()
    finally:
        host.run("ip", "link", "set", "eth0", "xdpdrv", "off")


def test_an_older_receiver_gets_its_other_half(bare):
    """Only the XDP program is there, as an earlier version left it: attaching again makes it whole."""
    host, _ = bare
    holdfast.attach_receiver(host)
    host.run("tc", "qdisc", "del", "dev", "eth0", "clsact")
    for name in ("tc", "ways", "secret"):
        (pins_of(host) / name).unlink()
    listed = json.loads(host.run(BUILD / "holdfast", "--json", "receiver", "list").stdout)["receivers"]
    assert [one["tc"] for one in listed] == [False]
    link = run(["bpftool", "-j", "link", "show", "pinned", pins_of(host) / "link"]).stdout
    holdfast.attach_receiver(host)
    listed = json.loads(host.run(BUILD / "holdfast", "--json", "receiver", "list").stdout)["receivers"]
    assert [one["tc"] for one in listed] == [True]
    assert json.loads(run(["bpftool", "-j", "link", "show", "pinned", pins_of(host) / "link"]).stdout)["id"] == json.loads(link)["id"]

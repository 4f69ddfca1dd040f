# SPDX-License-Identifier: Apache-2.0
"""Next hops as real networks have them: several interfaces, several gateways, and gateways that change.

b1 and b2 are reached by eth0, b3 and b4 by eth1, whose gateway has a MAC address of its own; of each pair one has
an IPv4 address and one an IPv6 address. The router sends two VIPs to each interface."""

import itertools
import time

import pytest

from harness import servers
from harness.wait import wait_until
from counters import balancer_drops
from wires import SecondWire

VIP = "203.0.113.10"
VIPS = (VIP, "2001:db8:203::10")  # come in by eth0
VIPS_X = ("203.0.113.11", "2001:db8:203::11")  # come in by eth1
FAR_PORT = 5433  # of the pool of b3 and b4 alone
RATE, FLOWS, BURST = 400, 20, 100
HEALED = 2  # seconds a change may cost
mac_numbers = itertools.count(1)


def new_mac():
    return f"02:00:00:00:77:{next(mac_numbers):02x}"


def listen(protocol, vip, port):
    return f"{protocol} {f'[{vip}]' if ':' in vip else vip}:{port}"


@pytest.fixture(scope="module")
def wired(lab):
    """The lab with a second wire, and a daemon attached to both."""
    wire = SecondWire(lab.lb1).up()
    wire.lead_to(lab.b3, lab.b4)
    for vip in VIPS_X:
        via = wire.address6 if ":" in vip else wire.address
        lab.router.run("ip", "route", "add", vip, "via", via, "dev", wire.far)
    for backend in lab.backends:
        backend.attach_receiver(*wire.sources)
    daemon = lab.lb1.daemon().start()
    for pool, members in (("all", lab.backends), ("far", (lab.b3, lab.b4))):
        daemon.run(f"pool add {pool}")
        for backend in members:
            address = backend.address if backend.name in ("b1", "b3") else backend.address6
            daemon.run(f"backend add {pool}/{backend.name} {address}")
    for vip in VIPS + VIPS_X:
        daemon.run(f"service add {listen('tcp', vip, 80)} --pool all")
        daemon.run(f"service add {listen('udp', vip, FAR_PORT)} --pool far")
    for interface in ("eth0", "eth1"):
        daemon.run(f"interface attach {interface}")
    return lab, daemon, wire


def answers(lab, vip):
    counted = servers.start_traffic(lab.c1, "connect", vip, 80, "--count", 100).result(60)
    assert counted["failed"] == 0, counted["errors"]
    return counted["answers"]


def drops(daemon):
    """What was dropped, by reason."""
    counted = balancer_drops(daemon.instance)
    return {name.split()[-1]: count for name, count in counted.items() if count}


def next_hop_drops(daemon):
    return drops(daemon).get("next-hop", 0)


def next_hops(daemon, pool="all", names=("b1", "b2", "b3", "b4")):
    return [daemon.json(f"backend show {pool}/{name}")["next_hop"] for name in names]


@pytest.mark.parametrize("vip", VIPS + VIPS_X)
def test_in_by_any_interface_and_out_by_any(wired, vip):
    lab, daemon, wire = wired
    hops = next_hops(daemon)
    assert [hop["interface"] for hop in hops] == ["eth0", "eth0", "eth1", "eth1"]
    assert [hop["gateway"] for hop in hops] == [lab.lb1.gateway, lab.lb1.gateway6, wire.gateway, wire.gateway6]
    before = drops(daemon)
    assert set(answers(lab, vip)) == {"b1", "b2", "b3", "b4"}
    assert drops(daemon) == before


def test_an_interface_that_is_not_attached_is_sent_by_all_the_same(wired):
    lab, daemon, _ = wired
    daemon.run("interface detach eth1")
    try:
        for vip in VIPS:
            assert set(answers(lab, vip)) == {"b1", "b2", "b3", "b4"}
    finally:
        daemon.run("interface attach eth1")
    assert set(answers(lab, VIPS_X[0])) == {"b1", "b2", "b3", "b4"}


def send_through(lab, seconds, meanwhile, before=0.5):
    """Datagrams to the far pool while something happens; for how long each backend's worst flow was cut off."""
    listeners = {host.name: servers.start_datagram_server(host, VIP, FAR_PORT) for host in (lab.b3, lab.b4)}
    sender = servers.start_traffic(lab.c1, "send", VIP, FAR_PORT, "--seconds", seconds, "--rate", RATE, "--sources", FLOWS)
    time.sleep(before)
    meanwhile()
    sent = sender.result(60)
    received = {name: listener.result()["flows"] for name, listener in listeners.items()}
    each = seconds * RATE / FLOWS
    assert sent["sent"] == seconds * RATE and sent["errors"] == {}
    assert sum(map(len, received.values())) == FLOWS and all(received.values())
    cut = {name: max(each - count for count in flows.values()) * FLOWS / RATE for name, flows in received.items()}
    return cut, sent["sent"] - sum(sum(flows.values()) for flows in received.values())


def send_burst(lab, port=FAR_PORT, count=BURST):
    """Sends so many datagrams, each from a port of its own, and waits for no answer."""
    lab.c1.run("bash", "-c", f"for ((i = 0; i < {count}; i++)); do echo >/dev/udp/{VIP}/{port}; done")


def test_nothing_is_cut_off_when_nothing_happens(wired):
    """What the two tests below measure is due to what they do."""
    cut, lost = send_through(wired[0], 1, lambda: None)
    assert lost == 0 and set(cut.values()) == {0}


def test_a_gateway_whose_mac_changes(wired):
    lab, daemon, wire = wired
    mac = new_mac()
    cut, lost = send_through(lab, 3, lambda: wire.move(mac))
    assert lost > 0, "the gateway moved, and nothing was lost: that proves nothing"
    assert max(cut.values()) <= HEALED, cut
    assert {hop["mac"] for hop in next_hops(daemon, "far", ("b3", "b4"))} == {mac}


def test_a_gateway_that_vanishes_and_comes_back(wired):
    lab, daemon, wire = wired
    wire.vanish(new_mac())
    try:
        wait_until(lambda: [hop["problem"] for hop in next_hops(daemon, "far", ("b3", "b4"))]
                   == ["neighbour unresolved"] * 2, 20, "the gateway is missed")
        wait_until(lambda: [daemon.json(f"why udp 198.51.100.11:{port} {VIP}:{FAR_PORT}")["verdict"]
                            for port in range(4000, 4010)] == ["drop"] * 10, 20, "its packets are dropped")
        before = drops(daemon)
        send_burst(lab)
        after = drops(daemon)
        assert after == {**before, "next-hop": before.get("next-hop", 0) + BURST}
        assert all(any(f"far/{name}" in line for line in daemon.json("status")["problems"]) for name in ("b3", "b4"))
    finally:
        before = next_hop_drops(daemon)
        cut, lost = send_through(lab, 3, wire.come_back)
    assert max(cut.values()) - 0.5 <= HEALED, cut
    assert 0 < lost == next_hop_drops(daemon) - before


def test_an_interface_that_loses_its_carrier(wired):
    """Known at once, so that nothing is lost unseen; and healed when it comes back."""
    lab, daemon, wire = wired
    lab.router.run("ip", "link", "set", wire.far, "down")
    try:
        wait_until(lambda: next_hops(daemon, "far", ("b3",))[0]["problem"] == "interface down", 10, "the loss is seen")
        before = next_hop_drops(daemon)
        send_burst(lab)
        assert next_hop_drops(daemon) == before + BURST
    finally:
        before = next_hop_drops(daemon)
        cut, lost = send_through(lab, 3, lambda: wire.bring_up(VIPS_X))
    assert max(cut.values()) - 0.5 <= HEALED, cut
    assert 0 < lost == next_hop_drops(daemon) - before
    assert set(answers(lab, VIPS_X[1])) == {"b1", "b2", "b3", "b4"}


def test_backends_on_link(wired):
    """Resolved before the first packet, which is the first that anybody sends to them; and found when they move."""
    lab, daemon, wire = wired
    near, near6 = wire.neighbour_addresses
    wire.add_neighbour()
    before = drops(daemon)
    for name, address, port in (("near", near, 7001), ("near6", near6, 7002)):
        daemon.run(f"pool add {name}")
        daemon.run(f"backend add {name}/n {address}")
        daemon.run(f"service add udp {VIP}:{port} --pool {name}")
        send_burst(lab, port, 1)
        assert daemon.json(f"backend show {name}/n")["next_hop"]["gateway"] is None
        assert daemon.json("counters")["backends"][-1]["packets"] == 1, name
    assert drops(daemon) == before
    mac = new_mac()
    wire.move(mac)
    for name in ("near", "near6"):
        wait_until(lambda name=name: next_hops(daemon, name, ("n",))[0]["mac"] == mac, HEALED, f"{name} is found again")


def test_a_neighbour_that_never_answered_is_named(wired):
    lab, daemon, wire = wired
    daemon.run("pool add silent")
    daemon.run(f"backend add silent/s {wire.nobody}")
    daemon.run(f"service add udp {VIP}:7003 --pool silent")
    told = daemon.json(f"why udp 198.51.100.11:4000 {VIP}:7003")
    assert (told["verdict"], told["reason"]["word"], told["backend"]) == ("drop", "next-hop", "silent/s")
    assert told["next_hop"]["problem"] == "neighbour unresolved"
    before = next_hop_drops(daemon)
    send_burst(lab, 7003)
    assert next_hop_drops(daemon) == before + BURST

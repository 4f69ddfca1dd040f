# SPDX-License-Identifier: Apache-2.0
"""Every fault of a host that `check` and `receiver check` know: made, named, and named no more when it is mended."""

import json
import os
from contextlib import ExitStack, contextmanager

import pytest

from harness import BUILD, PASS
from harness.lab import RECEIVED_FROM
from harness.wait import wait_until
from wires import SecondWire

VIP, VIP6 = "203.0.113.10", "2001:db8:203::10"
ORDER = ("ok", "note", "warn", "fault")


class Sound:
    """A balancer and a backend host of whom there is nothing to complain; b1 is reached by eth1, b2 by eth0."""

    def __init__(self, lab):
        self.lab, self.balancer, self.backend = lab, lab.lb1, lab.b1
        self.wire = SecondWire(lab.lb1).up()
        self.wire.lead_to(lab.b1)
        self.daemon = lab.lb1.daemon().start()
        for pool, address, other in (("db", "address", "address"), ("six", "address6", "address6")):
            self.daemon.run(f"pool add {pool}")
            self.daemon.run(f"backend add {pool}/b1 {getattr(lab.b1, address)}")
            self.daemon.run(f"backend add {pool}/b2 {getattr(lab.b2, other)}")
        self.daemon.run(f"service add tcp {VIP}:80 --pool db")
        self.daemon.run(f"service add tcp [{VIP6}]:80 --pool six")
        for interface in ("eth0", "eth1"):
            self.daemon.run(f"interface attach {interface}")
        self.attach_receiver()

    def attach_receiver(self):
        self.backend.attach_receiver(*self.wire.sources)

    def say(self, *words):
        return self.daemon.run(words)

    def check(self, *words):
        """What `check` finds, and its exit status."""
        done = self.daemon.run(["--json", "check", *words], status=None)
        return json.loads(done.stdout)["findings"], done.returncode

    def check_receiver(self, *words):
        done = self.backend.run(BUILD / "holdfast", "--json", "receiver", "check", *words, check=False)
        return json.loads(done.stdout)["findings"], done.returncode


@pytest.fixture(scope="module")
def sound(make_lab):
    return Sound(make_lab(clients=0, balancers=1, backends=2))


def complaints(findings):
    return [f"{one['severity']} {one['subject']}: {one['what']}" for one in findings
            if ORDER.index(one["severity"]) > ORDER.index("note")]


def names(findings, severity, subject, what):
    """Whether a finding of that severity says so, and what would be right."""
    return any(one["severity"] == severity and one["subject"] == subject and what in one["what"] and
               (one["right"] or severity == "ok") for one in findings)


@contextmanager
def done_and_undone(run, do, undo):
    with ExitStack() as undoing:
        for words in undo:
            undoing.callback(run, *words.split())
        for words in do:
            run(*words.split())
        yield


def assert_named(check, expected):
    findings, status = check()
    for severity, subject, what in expected:
        assert names(findings, severity, subject, what), findings
    assert status == ("fault" in [one["severity"] for one in findings])


# Where -> what is done there, how it is undone, what is named then. lb: the balancer, r: the router, cli: holdfast.
FAULTS = {
    "nothing attached": ("cli", ["interface detach eth0", "interface detach eth1"],
                         ["interface attach eth0", "interface attach eth1"],
                         [("warn", "interfaces", "nothing is attached")]),
    "interface down": ("lb", ["ip link set eth1 down"],
                       ["ip link set eth1 up", "ip addr replace {wire.address6}/64 dev eth1 nodad",
                        "ip route replace {b1.address}/32 via {wire.gateway} dev eth1",
                        "ip route replace {b1.address6}/128 via {wire.gateway6} dev eth1"][::-1],
                       [("fault", "interface eth1", "is down")]),
    "no carrier": ("r", ["ip link set lb1x down"],
                   ["ip link set lb1x up", "ip addr replace {wire.gateway6}/64 dev lb1x nodad"][::-1],
                   [("fault", "interface eth1", "without carrier"), ("fault", "backend db/b1", "interface down"),
                    ("fault", "backend six/b1", "interface down")]),
    "generic mode": ("cli", ["interface detach eth1", "interface attach eth1 --mode generic"],
                     ["interface detach eth1", "interface attach eth1"][::-1],
                     [("note", "interface eth1", "generic mode")]),
    "strict reverse path filter": ("lb", ["sysctl -qw net.ipv4.conf.eth1.rp_filter=1"],
                                   ["sysctl -qw net.ipv4.conf.eth1.rp_filter=0"],
                                   [("warn", "interface eth1", "rp_filter is strict")]),
    "no route": ("lb", ["ip route add unreachable {b2.address}/32", "ip route add unreachable {b2.address6}/128"],
                 ["ip route del unreachable {b2.address}/32", "ip route del unreachable {b2.address6}/128"],
                 [("fault", "backend db/b2", "no route"), ("fault", "backend six/b2", "no route")]),
    "neighbour that does not answer": ("lb", ["ip route add {b2.address}/32 dev eth1", "ip route add {b2.address6}/128 dev eth1"],
                                       ["ip route del {b2.address}/32 dev eth1", "ip route del {b2.address6}/128 dev eth1"],
                                       [("fault", "backend db/b2", "neighbour unresolved"),
                                        ("fault", "backend six/b2", "neighbour unresolved")]),
    "backend that is this host": ("lb", ["ip addr add {b2.address}/32 dev lo", "ip addr add {b2.address6}/128 dev lo nodad"],
                                  ["ip addr del {b2.address}/32 dev lo", "ip addr del {b2.address6}/128 dev lo"],
                                  [("fault", "backend db/b2", "local address"), ("fault", "backend six/b2", "local address")]),
    "path too narrow": ("lb", ["ip link set eth0 mtu 1500"], ["ip link set eth0 mtu 1700"],
                        [("warn", "backend db/b2", "MTU is 1500: packets of more than 1480 bytes"),
                         ("warn", "backend six/b2", "MTU is 1500: packets of more than 1460 bytes")]),
    "redirect target": ("r", ["ip link set lb1x xdpdrv off"],
                        ["ip link set lb1x xdpdrv obj {build}/lab/pass.bpf.o sec xdp"],
                        [("fault", "backend db/b1", "packets are sent back by eth1, a veth, and do not arrive"),
                         ("fault", "backend six/b1", "packets are sent back by eth1, a veth, and do not arrive")]),
    "local VIP": ("lb", [f"ip addr add {VIP}/32 dev lo", f"ip addr add {VIP6}/128 dev lo nodad"],
                  [f"ip addr del {VIP}/32 dev lo", f"ip addr del {VIP6}/128 dev lo"],
                  [("warn", f"VIP {VIP}", "is a local address"), ("warn", f"VIP {VIP6}", "is a local address")]),
    "VIP that answers ARP": ("lb", ["ip link add w0 type veth peer name w1", "sysctl -qw net.ipv4.conf.all.arp_ignore=0",
                                    f"ip addr add {VIP}/32 dev lo"],
                             ["ip link del w0", "sysctl -qw net.ipv4.conf.all.arp_ignore=1", f"ip addr del {VIP}/32 dev lo"],
                             [("warn", f"VIP {VIP}", "answers ARP on w0, which is not attached")]),
}


def test_a_sound_balancer(sound):
    findings, status = sound.check()
    assert complaints(findings) == [] and status == 0
    for interface in ("eth0", "eth1"):
        assert names(findings, "ok", f"interface {interface}", "driver veth, native XDP, can be redirected to")


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_a_balancer(sound, fault):
    where, do, undo, expected = FAULTS[fault]
    run = {"lb": sound.balancer.run, "r": sound.lab.router.run, "cli": sound.say}[where]
    b1, b2 = sound.lab.b1, sound.lab.b2
    do, undo = ([words.format(b1=b1, b2=b2, wire=sound.wire, build=BUILD) for words in list_] for list_ in (do, undo))
    with done_and_undone(run, do, undo):
        assert_named(sound.check, expected)
    wait_until(lambda: not complaints(sound.check()[0]), 5, "a neighbour that was lost answers again")


# Rules of routing policy: a way out by eth1 in a table of its own, and who is sent there.
OTHER_WAY = (["ip route add default via {wire.gateway} dev eth1 table 77",
              "ip -6 route add default via {wire.gateway6} dev eth1 table 77"],
             ["ip route del default table 77", "ip -6 route del default table 77"])
RULES_THAT_DECIDE = {
    "source": ("from {lb.address}/32 lookup 77", "from {lb.address6}/128 lookup 77", "b2"),
    "interface": ("iif eth0 lookup 77", "iif eth0 lookup 77", "b2"),
    "refusal": ("iif eth1 unreachable", "iif eth1 prohibit", "b1 and 1 more"),
    "protocol": ("ipproto 4 lookup 77", "ipproto 41 lookup 77", "b2"),
    "destination, too": ("from {lb.address} to {b2.address} lookup 77", "from {lb.address6} to {b2.address6} lookup 77", "b2"),
}
RULES_THAT_DO_NOT = {
    "a source that no packet has": "from {other} lookup 77",
    "an interface that is not attached": "iif lo0 lookup 77",
    "packets of the host itself, as they are looked up": "iif lo lookup 78",
    "a mark, which no such packet has": "fwmark 7 lookup 77",
    "an interface that sockets are bound to": "oif eth1 lookup 77",
    "another protocol": "ipproto tcp lookup 77",
    "a table without a way": "iif eth0 lookup 78",
    "the table that decides anyway": "iif eth0 lookup main",
    "all that is no default route": "iif eth0 lookup 77 suppress_prefixlength 0",
    "another destination": "from all iif eth0 to {other} lookup 77",
}


def with_rules(sound, four, six, priority=50):
    """The two rules, one of each family, and what they need; undone at the end."""
    names = {"lb": sound.balancer, "b2": sound.lab.b2, "wire": sound.wire}
    rules = [f"ip -{version} rule {{}} {words.format(other=other, **names)} priority {priority}"
             for version, words, other in ((4, four, "192.0.2.0/24"), (6, six, "2001:db8:99::/64"))]
    do, undo = ([words.format(**names) for words in list_] for list_ in OTHER_WAY)
    return done_and_undone(sound.balancer.run, do + [rule.format("add") for rule in rules],
                           undo + [rule.format("del") for rule in rules])


def about_rules(sound):
    return [one for one in sound.check()[0] if one["subject"].startswith("ip ")]


@pytest.mark.parametrize("which", RULES_THAT_DECIDE)
def test_a_rule_by_which_packets_would_go_another_way(sound, which):
    four, six, backends = RULES_THAT_DECIDE[which]
    with with_rules(sound, four, six):
        told = about_rules(sound)
        assert [(one["severity"], one["subject"]) for one in told] == [("warn", "ip rule 50"), ("warn", "ip -6 rule 50")]
        for pool, one in zip(("db", "six"), told):
            assert f"is not followed: packets to {pool}/{backends} go by the destination alone (eth" in one["what"], told
    assert about_rules(sound) == []


def test_what_is_said_to_be_right_for_a_rule_is_right(sound):
    four, six, _ = RULES_THAT_DECIDE["source"]
    with with_rules(sound, four, six):
        told = about_rules(sound)
        assert len(told) == 2
        for one in told:
            words = one["right"].split("`")[1]
            with done_and_undone(sound.balancer.run, [words], [words.replace(" add ", " del ")]):
                assert one["subject"] not in [other["subject"] for other in about_rules(sound)], words


@pytest.mark.parametrize("which", RULES_THAT_DO_NOT)
def test_a_rule_that_changes_no_packets_way(sound, which):
    with with_rules(sound, RULES_THAT_DO_NOT[which], RULES_THAT_DO_NOT[which]):
        assert about_rules(sound) == []


def test_a_rule_behind_the_one_that_decides(sound):
    with with_rules(sound, "iif eth0 lookup 77", "iif eth0 lookup 77", priority=40000):
        assert about_rules(sound) == []


def test_an_inverted_rule_that_is_followed_for_every_packet(sound):
    """Sources of a pool's own: the lookup has none, and so goes where these would not."""
    with done_and_undone(sound.say, ["pool add own --source 10.64.0.0/16", f"backend add own/b2 {sound.lab.b2.address}"],
                         ["pool remove own --force", "backend remove own/b2 --now --force"]):
        with with_rules(sound, "not from 10.64.0.0/16 lookup 77", "from {other} lookup 77"):
            told = about_rules(sound)
            assert [one["subject"] for one in told] == ["ip rule 50"] and "own/b2" in told[0]["what"], told
            assert "is followed for every packet" in told[0]["what"], told
        assert about_rules(sound) == []


def test_gro_in_generic_mode(sound):
    """Attaching switches it off; whoever switches it on again is told."""
    with done_and_undone(sound.say, ["interface detach eth1", "interface attach eth1 --mode generic"],
                         ["interface attach eth1", "interface detach eth1"]):
        assert complaints(sound.check()[0]) == []
        sound.balancer.run("ethtool", "-K", "eth1", "gro", "on")
        assert_named(sound.check, [("fault", "interface eth1", "GRO is on")])
    sound.balancer.run("ethtool", "-K", "eth1", "gro", "off")


def test_queues_for_every_processor(sound):
    processors, queues = os.sysconf("SC_NPROCESSORS_ONLN"), 1  # veth begins with one
    findings, _ = sound.check()
    assert names(findings, "note", "interface eth0", f"packets arrive on {queues} of {processors} processors") == (
        queues < processors)


def configuration(tmp_path, *interfaces):
    path = tmp_path / "holdfast.yaml"
    path.write_text('version: 1\nseed: "6f1c9a3e5b7d2048"\ninterfaces:\n' + "".join(
        f"  - {{name: {name}, mode: {mode}}}\n" for name, mode in interfaces))
    return "--file", path


def test_a_configuration_before_it_is_applied(sound, tmp_path):
    """Interfaces that are not there, and drivers without native XDP."""
    with done_and_undone(sound.balancer.run, ["ip link add br0 type bridge", "ip link set br0 up"], ["ip link del br0"]):
        asked = configuration(tmp_path, ("nosuch0", "auto"), ("br0", "native"))
        assert_named(lambda: sound.check(*asked), [("fault", "interface nosuch0", "is not there"),
                                                   ("fault", "interface br0", "driver bridge has no native XDP")])
        findings, _ = sound.check(*configuration(tmp_path, ("br0", "auto")))
        assert names(findings, "note", "interface br0", "driver bridge has no native XDP")


def test_more_backends_on_link_than_the_kernel_keeps_neighbours(sound):
    """The limit is the whole machine's, so a lower one is shown to the program, in a mount namespace of its own."""
    show = ("mount --make-rprivate / && mount -t tmpfs none /proc/sys/net && for v in 4 6; do "
            "mkdir -p /proc/sys/net/ipv$v/neigh/default && echo 2 >/proc/sys/net/ipv$v/neigh/default/gc_thresh3; done && ")
    command = [str(word) for word in ("exec", BUILD / "holdfast", "--instance", sound.daemon.instance, "--runtime-dir",
                                      sound.daemon.runtime_dir, "--json", "check")]

    def check():
        done = sound.balancer.run("unshare", "-m", "sh", "-c", show + " ".join(command), check=False)
        return json.loads(done.stdout)["findings"], done.returncode

    assert not any(one["subject"] == "neighbours" for one in check()[0])
    neighbours = [*SecondWire.neighbour_addresses, *sound.wire.more_neighbours]
    with done_and_undone(sound.say,
                         ["pool add near", *(f"backend add near/n{n} {a}" for n, a in enumerate(neighbours))],
                         ["pool remove near --force", *(f"backend remove near/n{n} --now --force" for n in range(len(neighbours)))]):
        assert_named(check, [("warn", "neighbours", "2 backends are on link, and the kernel keeps 2 IPv4 neighbours"),
                             ("warn", "neighbours", "2 backends are on link, and the kernel keeps 2 IPv6 neighbours")])


# Receivers ---------------------------------------------------------------------------------------------------

RECEIVER_FAULTS = {
    "arp_ignore": (["sysctl -qw net.ipv4.conf.all.arp_ignore=0"], ["sysctl -qw net.ipv4.conf.all.arp_ignore=1"],
                   [("fault", "arp_ignore is 0")]),
    "arp_announce": (["sysctl -qw net.ipv4.conf.all.arp_announce=0"], ["sysctl -qw net.ipv4.conf.all.arp_announce=2"],
                     [("warn", "arp_announce is not 2")]),
    "a VIP that the receiver does not know": (
        ["ip addr add 203.0.113.99/32 dev lo", "ip addr add 2001:db8:203::99/128 dev lo nodad"],
        ["ip addr del 203.0.113.99/32 dev lo", "ip addr del 2001:db8:203::99/128 dev lo"],
        [("warn", "does not know 203.0.113.99"), ("warn", "does not know 2001:db8:203::99")]),
    "a VIP that has gone": (
        [f"ip addr del {VIP}/32 dev lo", f"ip addr del {VIP6}/128 dev lo"],
        [f"ip addr add {VIP}/32 dev lo", f"ip addr add {VIP6}/128 dev lo nodad"],
        [("fault", f"unwraps for {VIP}, which is not"), ("fault", f"unwraps for {VIP6}, which is not")]),
    "no VIP": (["ip addr del {vip} dev lo"], ["ip addr add {vip} dev lo"], [("fault", "no VIP on its loopback")]),
    "no tc program": (["tc qdisc del dev eth0 clsact"], ["{attach}"], [("warn", "tc program is missing")]),
    "another program in its place": (
        ["tc filter replace dev eth0 ingress prio 1 handle 0x686f6c64 bpf da obj {build}/lab/rehash.bpf.o sec tc"],
        ["{attach}"], [("warn", "tc program is missing")]),
    "another filter before it": (
        ["tc filter add dev eth0 ingress prio 1 bpf da obj {build}/lab/rehash.bpf.o sec tc"],
        ["tc filter del dev eth0 ingress prio 1 handle 1 bpf"], [("warn", "another tc filter sees packets before")]),
    "a route that came later": (["ip route add 192.0.2.0/24 dev eth0"], ["ip route del 192.0.2.0/24 dev eth0"],
                                [("warn", "routes have changed")]),
    "a route that has gone": (["ip -6 route del default"], ["ip -6 route add default via {b1.gateway6}"],
                              [("warn", "routes have changed")]),
    "no route out": (["ip -4 route flush dev eth0", "ip -6 route flush dev eth0"],
                     ["ip route add {b1.gateway}/32 dev eth0", "ip route add default via {b1.gateway} src {b1.address}",
                      "ip route add {b1.gateway6}/128 dev eth0", "ip route add default via {b1.gateway6}",
                      "ip -6 route add fe80::/64 dev eth0 proto kernel metric 256"][::-1],
                     [("warn", "no route leads out of eth0")]),
    "a neighbour that does not answer": (
        ["ip route add 192.0.2.66/32 dev eth0", "ip neigh add 192.0.2.66 dev eth0 nud failed"],
        ["ip route del 192.0.2.66/32 dev eth0", "ip neigh del 192.0.2.66 dev eth0"],
        [("note", "1 neighbour such as 192.0.2.66 did not answer on eth0")]),
    "no ARP": (["ip link set eth0 arp off"], ["ip link set eth0 arp on"], [("warn", "eth0 has no ARP")]),
    "segments": (["ip link set eth0 mtu 1500"], ["ip link set eth0 mtu 1700"],
                 [("warn", "MTU 1500, and 2 routes such as 0.0.0.0/0 let clients send segments of 1460 bytes")]),
    "segments of IPv6": (
        ["ip link set eth0 mtu 1500", "ip route change default via {b1.gateway} src {b1.address} advmss 1420"],
        ["ip link set eth0 mtu 1700", "ip route change default via {b1.gateway} src {b1.address}"],
        [("warn", "MTU 1500, and 1 route such as ::/0 let clients send segments of 1440 bytes")]),
}


ATTACH = " ".join(map(str, [BUILD / "holdfast", "receiver", "attach", "eth0", *(word for prefix in (
    *RECEIVED_FROM, *SecondWire.sources) for word in ("--from", prefix))]))


def every_vip(lab, words):
    """Words for every VIP of the backend hosts, if they speak of one."""
    if "{vip}" not in words:
        return [words.format(b1=lab.b1, build=BUILD, attach=ATTACH)]
    return [words.format(vip=f"{vip}/{128 if ':' in vip else 32}") +
            (" nodad" if ":" in vip and " add " in words else "") for vip in lab.vips]


def test_a_sound_receiver(sound):
    for words in ((), ("eth0",)):
        findings, status = sound.check_receiver(*words)
        assert complaints(findings) == [] and status == 0
        assert names(findings, "ok", "interface eth0", "driver veth, native XDP")


@pytest.mark.parametrize("fault", RECEIVER_FAULTS)
def test_a_fault_of_a_backend_host(sound, fault):
    do, undo, expected = RECEIVER_FAULTS[fault]
    do, undo = ([one for words in list_ for one in every_vip(sound.lab, words)] for list_ in (do, undo))
    with done_and_undone(sound.backend.run, do, undo):
        assert_named(sound.check_receiver, [(severity, "receiver eth0", what) for severity, what in expected])
    findings, status = sound.check_receiver()
    assert complaints(findings) == [] and status == 0


def test_the_right_segment_size_is_right(sound):
    """What is said to be right for each family ends the complaint, and one byte more does not."""
    b1 = sound.lab.b1
    ways = {"-4": (f"via {b1.gateway} src {b1.address}", 1420), "-6": (f"via {b1.gateway6}", 1400)}

    def set_advmss(more):
        for family, (way, size) in ways.items():
            b1.run("ip", family, "route", "change", "default", *way.split(), "advmss", size + more)

    with done_and_undone(b1.run, ["ip link set eth0 mtu 1500"], ["ip link set eth0 mtu 1700", *(
            f"ip {family} route change default {way}" for family, (way, _) in ways.items())]):
        right = next(one["right"] for one in sound.check_receiver()[0] if "segments" in one["what"])
        # Each way to be wrapped has its own: docs/operations.md has the table.
        assert "MTU 1540" in right and "gue: 1652" in right, right
        assert "`advmss 1420` for encap ipip, 1416 for gre, 1400 for gue to IPv4 backends, 1308 to IPv6" in right
        set_advmss(1)
        assert_named(sound.check_receiver, [("warn", "receiver eth0", "2 routes")])
        set_advmss(0)
        assert complaints(sound.check_receiver()[0]) == []


def test_interfaces_of_a_backend_host(sound):
    b1 = sound.backend
    with done_and_undone(b1.run, ["sysctl -qw net.ipv4.conf.all.rp_filter=1"], ["sysctl -qw net.ipv4.conf.all.rp_filter=0"]):
        assert_named(sound.check_receiver, [("warn", "interface eth0", "rp_filter is strict")])
    assert_named(lambda: sound.check_receiver("nosuch0"), [("fault", "interface nosuch0", "is not there")])
    b1.detach_receiver()
    try:
        assert_named(sound.check_receiver, [("warn", "receivers", "no interface has a receiver")])
        assert_named(lambda: sound.check_receiver("eth0"), [("warn", "receiver eth0", "no receiver is attached")])
        b1.run(BUILD / "holdfast", "receiver", "attach", "eth0", "--from", RECEIVED_FROM[0], "--mode", "generic")
        b1.run("ethtool", "-K", "eth0", "gro", "on")
        assert_named(sound.check_receiver, [("note", "interface eth0", "generic mode"), ("fault", "interface eth0", "GRO is on")])
        b1.detach_receiver()
        b1.run("ethtool", "-K", "eth0", "gro", "off")
    finally:
        sound.attach_receiver()
    assert complaints(sound.check_receiver()[0]) == []


# Attaching ---------------------------------------------------------------------------------------------------

def refusal(sound, words):
    before = sound.daemon.json("status")["generation"]
    done = sound.daemon.run(words, status=None)
    assert done.returncode == 1 and sound.daemon.json("status")["generation"] == before
    return done.stderr


def test_a_device_that_takes_no_program_is_refused_in_the_drivers_words(sound):
    lb = sound.balancer
    try:
        lb.run("ip", "link", "add", "few0", "numrxqueues", 1, "type", "veth", "peer", "name", "few1", "numtxqueues", 4)
        lb.run("ethtool", "-L", "few1", "tx", 4)
        lb.run("ip", "link", "add", "br0", "type", "bridge")
        said = refusal(sound, "interface attach few0")
        assert "few0" in said and "native" in said and "number of rx queues" in said and "--mode generic" in said
        sound.daemon.run("interface attach few0 --mode generic")
        sound.daemon.run("interface detach few0")
        said = refusal(sound, "interface attach br0 --mode native")
        assert "br0" in said and "--mode generic" in said
        sound.daemon.run("interface attach br0")
        assert next(one["mode"] for one in sound.daemon.json("interface list")["interfaces"] if one["name"] == "br0") == "generic"
        sound.daemon.run("interface detach br0")
        lb.run("ip", "link", "set", "few1", "xdpgeneric", "obj", PASS, "sec", "xdp")
        said = refusal(sound, "interface attach few1 --mode generic")
        assert "detach the program that is there" in said
        assert "nosuch0" in refusal(sound, "interface attach nosuch0")
    finally:
        lb.run("ip", "link", "del", "few0", check=False)
        lb.run("ip", "link", "del", "br0", check=False)

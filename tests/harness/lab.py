# SPDX-License-Identifier: Apache-2.0
"""The lab: hosts as network namespaces around one router, joined by veth.

    c1, c2 ..     clients     198.51.100.11 ..   2001:db8:1::11 ..
    lb1, lb2 ..   balancers   10.0.1.11 ..       2001:db8:2::11 ..
    b1, b2 ..     backends    10.0.0.11 ..       2001:db8:3::11 ..
    r             the router, the first address of each net

Every link is a routed one: a host knows its own address and a default route to the router, and the router
knows which link leads to which host. VIPs lie in 203.0.113.0/24 and 2001:db8:203::/64, which the router sends
to the balancers (by ECMP, if there are several); each backend has the VIPs on its loopback and answers clients
directly. All names derive from the lab's tag, so that two labs may stand at once, and everything the tag names
is what `down` removes, also after a crash.
"""

import json
import os
import re
import shutil
from pathlib import Path

from harness import BUILD, PASS, PINS, HarnessError
from harness.daemon import Daemon
from harness.namespace import NETNS, Namespace, mount_bpffs, remove_namespaces
from harness.process import run

RUN = Path("/run/holdfast-lab")

NETS = {  # kind -> (IPv4 /24, IPv6 /64, MTU of its links); wrapped packets need more than 1500
    "c": ("198.51.100", "2001:db8:1:", 1500),
    "lb": ("10.0.1", "2001:db8:2:", 1700),
    "b": ("10.0.0", "2001:db8:3:", 1700),
}
RECEIVED_FROM = (f"{NETS['lb'][0]}.0/24", f"{NETS['lb'][1]}:/64")  # what balancers send
VIP_NET = ("203.0.113.0/24", "2001:db8:203::/64")
VIPS = ("203.0.113.10", "203.0.113.11", "2001:db8:203::10", "2001:db8:203::11")
SEED = "6f1c9a3e5b7d2048"


class Host(Namespace):
    """One namespace. Its link to the router is eth0 here, and carries the host's name there."""

    def __init__(self, lab, kind, number):
        self.lab, self.kind, self.number = lab, kind, number
        self.name = f"{kind}{number}"
        super().__init__(f"{lab.tag}-{self.name}")
        self.dir = lab.dir / self.name
        net4, net6, self.mtu = NETS[kind]
        self.address, self.address6 = f"{net4}.{10 + number}", f"{net6}:{10 + number}"
        self.gateway, self.gateway6 = f"{net4}.1", f"{net6}:1"
        self.far = self.name  # the router's interface that leads here

    def spawn(self, name, *command, **named):
        """Starts command in the namespace, its output in name.log of the host's directory. The caller or `down` ends it."""
        return super().spawn(self.dir / f"{name}.log", *command, **named)

    def up(self):
        self.add()
        run("ip", "link", "add", "eth0", "mtu", self.mtu, "netns", self.netns, "type", "veth",
            "peer", "name", self.name, "mtu", self.mtu, "netns", self.lab.router.netns)
        self._join_router()
        self.sysctl("net.ipv4.conf.all.rp_filter=0", "net.ipv4.conf.default.rp_filter=0",
                    "net.ipv4.conf.eth0.rp_filter=0", "net.ipv6.conf.all.accept_dad=0",
                    "net.ipv6.conf.eth0.accept_dad=0", "net.ipv4.conf.all.arp_ignore=1",
                    "net.ipv4.conf.all.arp_announce=2")
        self._take_addresses()
        self._furnish()

    def _join_router(self):
        self.lab.router.batch(f"""
            addr add {self.gateway}/32 dev {self.name}
            addr add {self.gateway6}/128 dev {self.name} nodad
            link set {self.name} up
            route add {self.address}/32 dev {self.name}
            route add {self.address6}/128 dev {self.name}""")

    def _take_addresses(self):
        self.batch(f"""
            addr add {self.address}/32 dev eth0
            addr add {self.address6}/128 dev eth0 nodad
            link set eth0 up
            route add {self.gateway}/32 dev eth0
            route add default via {self.gateway} src {self.address}
            route add {self.gateway6}/128 dev eth0
            route add default via {self.gateway6}""")

    def _furnish(self):
        if self.kind != "c":
            self._make_fit_for_xdp()
        if self.kind == "b":
            self.batch("\n".join(f"addr add {vip}/{128 if ':' in vip else 32} dev lo"
                                 f"{' nodad' if ':' in vip else ''}" for vip in self.lab.vips))

    def _make_fit_for_xdp(self):
        """Lets the router receive what this host sends by XDP_TX, and send what its programs can wrap.

        The frames need a native program on the router's end; and a checksum left for a device to finish would
        stay unfinished inside a wrapped packet, as a VLAN tag beside the frame stays unseen."""
        self.lab.router.run("ip", "link", "set", self.name, "xdpdrv", "obj", PASS, "sec", "xdp")
        self.lab.router.run("ethtool", "-K", self.name, "tx", "off", "txvlan", "off")

    def daemon(self, suffix="", seed=SEED, arguments=(), build=BUILD):
        """A daemon for this host, under an instance name of the lab's own."""
        return Daemon(self, self.netns + suffix, self.dir / f"holdfast{suffix}",
                      (*(["--seed", seed] if seed else []), *arguments), build)

    def attach_receiver(self, *more, mode="auto"):
        """Has this host take the wrapping off packets from the balancers' net, and from more prefixes."""
        return self.run(BUILD / "holdfast", "--instance", self.netns, "receiver", "attach", "eth0", "--mode", mode,
                        *(word for prefix in (*RECEIVED_FROM, *more) for word in ("--from", prefix)))

    def detach_receiver(self):
        return self.run(BUILD / "holdfast", "--instance", self.netns, "receiver", "detach", "eth0")

    def curl(self, url, *options, timeout=20):
        """The page's text, stripped; raises HarnessError when there was none."""
        return self.run("curl", "-sS", "--fail", "--max-time", timeout, *options, url, timeout=timeout + 10).stdout.strip()


class Lab:
    def __init__(self, tag, clients=1, balancers=1, backends=3, vips=VIPS):
        self.tag, self.vips = tag, vips
        self.dir = RUN / tag
        self.router = Namespace(f"{tag}-r")
        self.clients = [Host(self, "c", n + 1) for n in range(clients)]
        self.balancers = [Host(self, "lb", n + 1) for n in range(balancers)]
        self.backends = [Host(self, "b", n + 1) for n in range(backends)]
        self.hosts = {host.name: host for host in self.clients + self.balancers + self.backends}

    def __getattr__(self, name):
        try:
            return self.__dict__["hosts"][name]
        except KeyError:
            raise AttributeError(name) from None

    @classmethod
    def standing(cls, tag):
        """The lab that an earlier `up` of tag left standing."""
        try:
            shape = json.loads((RUN / tag / "lab.json").read_text())
        except OSError:
            raise HarnessError(f"no lab {tag} stands") from None
        return cls(tag, **shape)

    def up(self):
        mount_bpffs()
        if self.dir.exists() or self.router.path.exists():
            raise HarnessError(f"a lab {self.tag} stands already (scripts/lab down removes it)")
        self.dir.mkdir(parents=True, mode=0o755)
        (self.dir / "lab.json").write_text(json.dumps(
            {"clients": len(self.clients), "balancers": len(self.balancers), "backends": len(self.backends),
             "vips": self.vips}))
        try:
            self._up_router()
            self._up_segment()
            for host in self.hosts.values():
                host.up()
            self.route(self.balancers)
        except BaseException:
            self.down()
            raise
        return self

    def _up_router(self):
        self.router.add()
        self.router.sysctl("net.ipv4.ip_forward=1", "net.ipv6.conf.all.forwarding=1", "net.ipv4.conf.all.rp_filter=0",
                           "net.ipv4.conf.default.rp_filter=0", "net.ipv6.conf.default.accept_dad=0",
                           "net.ipv4.fib_multipath_hash_policy=1", "net.ipv6.fib_multipath_hash_policy=1")

    def _up_segment(self):
        """What hosts of a shared wire need before they come up: see segment.py."""

    def route(self, hosts, nets=VIP_NET):
        """Has the router send nets to hosts, by flow if they are several; to nobody if there are none."""
        for net in nets:
            six = ":" in net
            hops = [word for host in hosts
                    for word in ("nexthop", "via", host.address6 if six else host.address, "dev", host.far)]
            family = "-6" if six else "-4"
            if not hops:
                self.router.run("ip", family, "route", "del", net, check=False)
            else:
                self.router.run("ip", family, "route", "replace", net, *(hops if len(hosts) > 1 else hops[1:]))

    def down(self):
        remove_lab(self.tag)


# Removal needs nothing but the tag, for whoever made the lab may be dead.

def namespaces_of(tag):
    return sorted(path.name for path in NETNS.glob(f"{tag}-*")) if NETNS.exists() else []


def remove_lab(tag, instances=()):
    """Removes every trace of the lab of that tag, and of the instances named. Nothing to remove is fine."""
    remove_namespaces(namespaces_of(tag))
    for pins in [*PINS.glob(f"{tag}-*"), *(PINS / name for name in instances)]:
        shutil.rmtree(pins, ignore_errors=True)
    shutil.rmtree(RUN / tag, ignore_errors=True)
    try:
        RUN.rmdir()
    except OSError:
        pass  # another lab stands, or none ever did


def labs_by_pid(*prefixes):
    """(tag, pid) of each lab whose tag is one of prefixes, which are patterns, and the pid that made it."""
    tags = {path.name for path in RUN.glob("*")} if RUN.exists() else set()
    tags |= {name.rsplit("-", 1)[0] for name in namespaces_of("hf*")}
    for tag in tags:
        made = re.fullmatch(f"({'|'.join(prefixes)})([0-9]+)(n[0-9]+)?", tag)
        if made:
            yield tag, int(made[2])


def remove_orphans(*prefixes):
    """Removes labs of runs that died without removing theirs."""
    for tag, pid in labs_by_pid(*prefixes):
        if not Path(f"/proc/{pid}").exists():
            remove_lab(tag)


def remove_own():
    """Removes labs of this run."""
    for tag, pid in labs_by_pid("hf[a-z]+"):
        if pid == os.getpid():
            remove_lab(tag)


def serve_pool(daemon, backends, pool="db", vip="203.0.113.10", ports=((80, "tcp"),), weights=None):
    """One pool of these backends behind one VIP, attached: what most tests begin with."""
    daemon.run(f"pool add {pool}")
    for backend in backends:
        weight = f" --weight {weights[backend.name]}" if weights else ""
        daemon.run(f"backend add {pool}/{backend.name} {backend.address}{weight}")
    for port, protocol in ports:
        daemon.run(f"service add {protocol} {vip}:{port} --pool {pool}")
    daemon.run("interface attach eth0")

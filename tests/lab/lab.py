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
import signal
import subprocess
import time
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent
BUILD = Path(os.environ.get("BUILD", TOP / "build"))
RUN = Path("/run/holdfast-lab")
NETNS = Path("/run/netns")
BPFFS = Path("/sys/fs/bpf")
PINS = BPFFS / "holdfast"

NETS = {  # kind -> (IPv4 /24, IPv6 /64, MTU of its links); wrapped packets need more than 1500
    "c": ("198.51.100", "2001:db8:1:", 1500),
    "lb": ("10.0.1", "2001:db8:2:", 1700),
    "b": ("10.0.0", "2001:db8:3:", 1700),
}
VIP_NET = ("203.0.113.0/24", "2001:db8:203::/64")
VIPS = ("203.0.113.10", "203.0.113.11", "2001:db8:203::10", "2001:db8:203::11")
PORTS = (80, 5432)
SEED = "6f1c9a3e5b7d2048"

os.environ["PATH"] += ":/usr/sbin:/sbin"


class LabError(Exception):
    pass


def run(command, timeout=60, check=True):
    """Runs command to its end. Returns the finished process; raises LabError with what it said if it failed."""
    command = [str(word) for word in command]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout)
    if check and done.returncode:
        raise LabError(f"{' '.join(command)}: exit {done.returncode}: {(done.stderr or done.stdout).strip()}")
    return done


def wait_until(is_so, seconds, what, every=0.05):
    """Waits for is_so() to return something true, and returns it; raises LabError naming what did not happen."""
    end = time.monotonic() + seconds
    while True:
        value = is_so()
        if value:
            return value
        if time.monotonic() > end:
            raise LabError(f"waited {seconds} s in vain: {what}")
        time.sleep(every)


def mount_bpffs():
    if not os.path.ismount(BPFFS):
        run(["mount", "-t", "bpf", "bpf", BPFFS])


class Host:
    """One namespace. Its link to the router is eth0 here, and carries the host's name there."""

    def __init__(self, lab, kind, number):
        self.lab, self.kind, self.number = lab, kind, number
        self.name = f"{kind}{number}"
        self.netns = f"{lab.tag}-{self.name}"
        self.dir = lab.dir / self.name
        net4, net6, self.mtu = NETS[kind]
        self.address, self.address6 = f"{net4}.{10 + number}", f"{net6}:{10 + number}"
        self.gateway, self.gateway6 = f"{net4}.1", f"{net6}:1"
        self.far = self.name  # the router's interface that leads here

    def inside(self, command):
        # `ip netns exec` would mount another /sys over bpffs.
        return ["nsenter", f"--net={NETNS / self.netns}", *map(str, command)]

    def run(self, *command, timeout=60, check=True):
        return run(self.inside(command), timeout, check)

    def spawn(self, *command, log=None):
        """Starts command in the namespace, its output in the host's directory. The caller or `down` ends it."""
        self.dir.mkdir(parents=True, exist_ok=True)
        with open(self.dir / (log or Path(str(command[0])).name + ".log"), "ab") as out:
            return subprocess.Popen(self.inside(command), stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                                    start_new_session=True)

    def up(self):
        router = self.lab.router_netns
        run(["ip", "netns", "add", self.netns])
        run(["ip", "link", "add", "eth0", "mtu", self.mtu, "netns", self.netns, "type", "veth",
             "peer", "name", self.name, "mtu", self.mtu, "netns", router])
        self.batch(router, f"""
            addr add {self.gateway}/32 dev {self.name}
            addr add {self.gateway6}/128 dev {self.name} nodad
            link set {self.name} up
            route add {self.address}/32 dev {self.name}
            route add {self.address6}/128 dev {self.name}""")
        self.sysctl("net.ipv4.conf.all.rp_filter=0", "net.ipv4.conf.default.rp_filter=0",
                    "net.ipv4.conf.eth0.rp_filter=0", "net.ipv6.conf.all.accept_dad=0",
                    "net.ipv6.conf.eth0.accept_dad=0", "net.ipv4.conf.all.arp_ignore=1",
                    "net.ipv4.conf.all.arp_announce=2")
        self.batch(self.netns, f"""
            link set lo up
            addr add {self.address}/32 dev eth0
            addr add {self.address6}/128 dev eth0 nodad
            link set eth0 up
            route add {self.gateway}/32 dev eth0
            route add default via {self.gateway} src {self.address}
            route add {self.gateway6}/128 dev eth0
            route add default via {self.gateway6}""")
        self._furnish()

    def _furnish(self):
        if self.kind != "c":
            self._make_fit_for_xdp()
        if self.kind == "b":
            self.batch(self.netns, "\n".join(f"addr add {vip}/{128 if ':' in vip else 32} dev lo"
                                              f"{' nodad' if ':' in vip else ''}" for vip in self.lab.vips))

    def _make_fit_for_xdp(self):
        """Lets the router receive what this host sends by XDP_TX, and send what its programs can wrap.

        The frames need a native program on the router's end; and a checksum left for a device to finish would
        stay unfinished inside a wrapped packet, as a VLAN tag beside the frame stays unseen."""
        inside = ["nsenter", f"--net={NETNS / self.lab.router_netns}"]
        run([*inside, "ip", "link", "set", self.name, "xdpdrv", "obj", BUILD / "lab" / "pass.bpf.o", "sec", "xdp"])
        run([*inside, "ethtool", "-K", self.name, "tx", "off", "txvlan", "off"])

    def sysctl(self, *settings):
        self.run("sysctl", "-q", "-w", *settings)

    @staticmethod
    def batch(netns, lines):
        """Runs lines of ip's language in the namespace of that name."""
        done = subprocess.run(["nsenter", f"--net={NETNS / netns}", "ip", "-batch", "-"], input=lines,
                              capture_output=True, text=True, timeout=60)
        if done.returncode:
            raise LabError(f"{netns}: {done.stderr.strip()}: {lines}")

    def curl(self, url, *options, timeout=20):
        """The page's text, stripped; raises LabError when there was none."""
        return self.run("curl", "-sS", "--fail", "--max-time", timeout, *options, url, timeout=timeout + 10).stdout.strip()


class Lab:
    def __init__(self, tag, clients=1, balancers=1, backends=3, vips=VIPS):
        self.tag, self.vips = tag, vips
        self.dir = RUN / tag
        self.router_netns = f"{tag}-r"
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
            raise LabError(f"no lab {tag} stands") from None
        return cls(tag, **shape)

    def up(self):
        mount_bpffs()
        if self.dir.exists() or (NETNS / self.router_netns).exists():
            raise LabError(f"a lab {self.tag} stands already (scripts/lab down removes it)")
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
        run(["ip", "netns", "add", self.router_netns])
        self.router("ip", "link", "set", "lo", "up")
        self.router("sysctl", "-q", "-w", "net.ipv4.ip_forward=1", "net.ipv6.conf.all.forwarding=1",
                    "net.ipv4.conf.all.rp_filter=0", "net.ipv4.conf.default.rp_filter=0",
                    "net.ipv6.conf.default.accept_dad=0", "net.ipv4.fib_multipath_hash_policy=1",
                    "net.ipv6.fib_multipath_hash_policy=1")

    def _up_segment(self):
        """What hosts of a shared wire need before they come up: see segment.py."""

    def router(self, *command, check=True):
        return run(["nsenter", f"--net={NETNS / self.router_netns}", *map(str, command)], check=check)

    def route(self, hosts, nets=VIP_NET):
        """Has the router send nets to hosts, by flow if they are several; to nobody if there are none."""
        for net in nets:
            six = ":" in net
            hops = [word for host in hosts
                    for word in ("nexthop", "via", host.address6 if six else host.address, "dev", host.far)]
            family = "-6" if six else "-4"
            if not hops:
                self.router("ip", family, "route", "del", net, check=False)
            else:
                self.router("ip", family, "route", "replace", net, *(hops if len(hosts) > 1 else hops[1:]))

    def down(self):
        remove(self.tag)


# Removal needs nothing but the tag, for whoever made the lab may be dead.

def namespaces(tag):
    return sorted(path.name for path in NETNS.glob(f"{tag}-*")) if NETNS.exists() else []


def processes(netns):
    """Who lives in the namespace of that name: whoever it is was started there, so it is ours."""
    try:
        inode = os.stat(NETNS / netns).st_ino
    except OSError:
        return []
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if os.stat(entry / "ns" / "net").st_ino == inode:
                found.append(int(entry.name))
        except OSError:
            pass  # it ended meanwhile
    return found


def end_processes(netns_names):
    for number, seconds in ((signal.SIGTERM, 3), (signal.SIGKILL, 3)):
        alive = [pid for netns in netns_names for pid in processes(netns) if pid != os.getpid()]
        for pid in alive:
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                pass
        end = time.monotonic() + seconds
        while alive and time.monotonic() < end:
            alive = [pid for netns in netns_names for pid in processes(netns) if pid != os.getpid()]
            time.sleep(0.02)
        if not alive:
            return


def remove(tag, instances=()):
    """Removes every trace of the lab of that tag, and of the instances named. Nothing to remove is fine."""
    names = namespaces(tag)
    end_processes(names)
    # A receiver's pins are named after the inode of its namespace, an instance's after the instance.
    receivers = [PINS / "receiver" / str(os.stat(NETNS / name).st_ino) for name in names]
    for pins in [*receivers, *PINS.glob(f"{tag}-*"), *(PINS / name for name in instances)]:
        shutil.rmtree(pins, ignore_errors=True)
    for name in names:
        run(["ip", "netns", "del", name], check=False)
    shutil.rmtree(RUN / tag, ignore_errors=True)
    try:
        RUN.rmdir()
    except OSError:
        pass  # another lab stands, or none ever did


def remove_orphans(*prefixes):
    """Removes labs of runs that died without removing theirs: their tags go on with the pid that made them."""
    tags = {path.name for path in RUN.glob("*")} if RUN.exists() else set()
    tags |= {name.rsplit("-", 1)[0] for name in namespaces("hf*")}
    for tag in tags:
        made = re.fullmatch(f"({'|'.join(prefixes)})([0-9]+)(n[0-9]+)?", tag)
        if made and not Path(f"/proc/{made[2]}").exists():
            remove(tag)

# SPDX-License-Identifier: Apache-2.0
"""A lab whose balancers and backends share one Ethernet segment: a bridge of the router, which is only the gateway.

Addresses are those of the other labs, but all hosts of the segment are on link to each other: 10.0.0.0/23 and
2001:db8:2::/47 hold the nets of balancers and backends. Hosts do not forward."""

from harness.lab import Host, Lab

BRIDGE, BITS, BITS6 = "segment", 23, 47
GATEWAY, GATEWAY6 = "10.0.0.1", "2001:db8:3::1"


class SegmentHost(Host):
    def __init__(self, lab, kind, number):
        super().__init__(lab, kind, number)
        self.gateway, self.gateway6, self.far = GATEWAY, GATEWAY6, BRIDGE

    def _join_router(self):
        self.lab.router.batch(f"""
            link set {self.name} master {BRIDGE}
            link set {self.name} up""")

    def _take_addresses(self):
        self.forward(False)
        self.batch(f"""
            addr add {self.address}/{BITS} dev eth0
            addr add {self.address6}/{BITS6} dev eth0 nodad
            link set eth0 up
            route add default via {self.gateway}
            route add default via {self.gateway6}""")

    def forget_neighbours(self):
        for family in ("-4", "-6"):
            self.run("ip", family, "neigh", "flush", "all")

    def forward(self, on=True):
        self.sysctl(f"net.ipv4.ip_forward={int(on)}", f"net.ipv6.conf.all.forwarding={int(on)}")


class SegmentLab(Lab):
    def __init__(self, tag, **shape):
        super().__init__(tag, **shape)
        self.balancers = [SegmentHost(self, "lb", host.number) for host in self.balancers]
        self.backends = [SegmentHost(self, "b", host.number) for host in self.backends]
        self.hosts = {host.name: host for host in self.clients + self.balancers + self.backends}

    def _up_segment(self):
        self.router.sysctl("net.ipv6.conf.all.accept_dad=0")
        self.router.batch(f"""
            link add {BRIDGE} type bridge stp_state 0 mcast_snooping 0
            link set {BRIDGE} mtu 1700
            addr add {GATEWAY}/{BITS} dev {BRIDGE}
            addr add {GATEWAY6}/{BITS6} dev {BRIDGE} nodad
            link set {BRIDGE} up""")
        self.router.run("ethtool", "-K", BRIDGE, "tx", "off", check=False)

    def flood(self, on=True):
        """Has the bridge send every frame to every port, as a switch does that has forgotten its MAC addresses."""
        for host in self.balancers + self.backends:
            self.router.run("ip", "link", "set", host.name, "type", "bridge_slave", "learning", "off" if on else "on")
        self.router.run("ip", "link", "set", BRIDGE, "type", "bridge", "fdb_flush")

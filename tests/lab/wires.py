# SPDX-License-Identifier: Apache-2.0
"""A second wire from a balancer to the router, with a gateway that can move, vanish and come back."""

from harness import PASS

NET, NET6 = "10.0.2", "2001:db8:4:"


class SecondWire:
    """eth1 of a balancer. The router's end bears the balancer's name and an x, and is a gateway of its own."""

    gateway, gateway6 = f"{NET}.1", f"{NET6}:1"
    address, address6 = f"{NET}.11", f"{NET6}:11"
    neighbour_addresses = (f"{NET}.50", f"{NET6}:50")  # of a host on link, once add_neighbour() was called
    more_neighbours = (f"{NET}.51", f"{NET6}:51")
    nobody = f"{NET}.66"
    sources = (f"{NET}.0/24", f"{NET6}:/64")  # of what leaves by it, wrapped

    def __init__(self, balancer):
        self.balancer, self.lab, self.far = balancer, balancer.lab, f"{balancer.name}x"

    def up(self):
        mtu = self.balancer.mtu
        # Without a link-local address, which is on trial for a second, nobody can be asked for.
        self.balancer.sysctl("net.ipv6.conf.default.accept_dad=0", "net.ipv4.conf.default.rp_filter=0")
        # Where IPv6 is not forwarded, the kernel takes the default route when a more exact one's gateway fails.
        self.balancer.sysctl("net.ipv6.conf.all.forwarding=1")
        self.lab.router.run("ip", "link", "add", self.far, "mtu", mtu, "type", "veth", "peer", "name", "eth1", "mtu", mtu,
                        "netns", self.balancer.netns)
        self.come_back()
        self.lab.router.run("ip", "link", "set", self.far, "up")
        self.balancer.batch(f"""
            addr add {self.address}/24 dev eth1
            addr add {self.address6}/64 dev eth1 nodad
            link set eth1 up""")
        self.lab.router.run("ethtool", "-K", self.far, "tx", "off", "txvlan", "off")
        self.make_fit()
        return self

    def make_fit(self):
        """Lets the router receive what XDP sends here."""
        self.lab.router.run("ip", "link", "set", self.far, "xdpdrv", "obj", PASS, "sec", "xdp")

    def lead_to(self, *backends):
        """Has the balancer send to these backends, in both families, by this wire's gateway."""
        self.balancer.batch("\n".join(f"""
            route replace {backend.address}/32 via {self.gateway} dev eth1
            route replace {backend.address6}/128 via {self.gateway6} dev eth1""" for backend in backends))

    def move(self, mac):
        """The gateway has another MAC address from now on, and tells nobody."""
        self.lab.router.run("ip", "link", "set", self.far, "address", mac)

    def vanish(self, mac):
        """Nobody answers for the gateway any more, nor takes what is sent to where it was."""
        self.lab.router.batch(f"""
            addr del {self.gateway}/24 dev {self.far}
            addr del {self.gateway6}/64 dev {self.far}""")
        self.move(mac)

    def come_back(self):
        self.lab.router.batch(f"""
            addr replace {self.gateway}/24 dev {self.far}
            addr replace {self.gateway6}/64 dev {self.far} nodad""")

    def bring_up(self, vips):
        """The router's end up again, with the routes to the balancer that went when it went down."""
        self.lab.router.run("ip", "link", "set", self.far, "up")
        self.come_back()
        for vip in vips:
            self.lab.router.run("ip", "route", "replace", vip, "via", self.address6 if ":" in vip else self.address, "dev",
                            self.far)

    def add_neighbour(self):
        self.lab.router.batch("\n".join(f"addr replace {address} dev {self.far}"
                                                    f"{' nodad' if ':' in address else ''}"
                                                    for address in self.neighbour_addresses + self.more_neighbours))

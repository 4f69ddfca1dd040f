# SPDX-License-Identifier: Apache-2.0
"""A host with one neighbour, and what most tests of the daemon have it serve."""

from harness.namespace import Namespace, remove_namespaces
from harness.process import run


class Host(Namespace):
    """Two namespaces and a veth between them: eth0 of the balancer, r0 of a neighbour with the backends' addresses."""

    BACKENDS = tuple(f"10.9.0.{i}" for i in range(11, 19))

    def __init__(self, netns):
        super().__init__(netns)
        self.peer = Namespace(f"{netns}r")

    def up(self):
        self.add()
        self.peer.add()
        run("ip", "-n", self.netns, "link", "add", "eth0", "type", "veth", "peer", "name", "r0", "netns", self.peer.netns)
        self.batch("""
            addr add 10.9.0.1/24 dev eth0
            link set eth0 up""")
        self.peer.batch("\n".join([*(f"addr add {address}/24 dev r0" for address in self.BACKENDS), "link set r0 up"]))

    def down(self):
        remove_namespaces([self.netns, self.peer.netns])


def serve(daemon):
    """One service, one pool, three backends behind one neighbour, attached."""
    daemon.operate("pool.add", name="db", source="10.64.0.0/16")
    for i in (1, 2, 3):
        daemon.operate("backend.add", pool="db", name=f"db{i}", address=f"10.9.0.1{i}")
    daemon.operate("service.add", proto="tcp", listen="203.0.113.10:5432", pool="db")
    daemon.operate("interface.attach", name="eth0")


def attachment(daemon):
    """The one interface, which must be attached."""
    (interface,) = daemon.get("/v1/interfaces")["interfaces"]
    assert interface["state"] == "attached", interface
    return interface


def serve_many(daemon, count, *pools, **members):
    """Pools of the same backends, all behind the neighbour 10.9.0.11; *members* of the configuration."""
    daemon.host.run("ip", "route", "replace", "10.100.0.0/16", "via", "10.9.0.11")
    backends = [{"name": f"b{i}", "address": f"10.100.{i // 250}.{i % 250 + 1}"} for i in range(count)]
    daemon.operate("model.apply", configuration={
        "version": 1, "seed": daemon.get("/v1/status")["seed"], "interfaces": [], "services": [],
        "pools": [{"name": name, "table_size": 2039, "backends": backends} for name in pools], **members})

# SPDX-License-Identifier: Apache-2.0
"""The field of the storm: a router with ECMP to two balancers, backends with the flock's servers and nginx, and a
client with all its flows. What happens there is told in changes.py and trials.py."""

import json
import os
import time

from harness import BUILD, HarnessError, servers
from harness.flock import Client, Server
from harness.lab import Lab, remove_orphans
from harness.wait import wait_until
import hops
from downloads import Downloads

VIP, VIP6, PORT, WEB_PORT = "203.0.113.10", "2001:db8:203::10", 5432, 80
TCP4, TCP6 = f"{VIP}:{PORT}", f"[{VIP6}]:{PORT}"
SERVICES = (("tcp", TCP4), ("udp", TCP4), ("tcp", f"{VIP}:{WEB_PORT}"), ("tcp", TCP6), ("udp", TCP6))
POOL = "db"
PREFIX = "hfs"  # of the labs' tags, which end in the pid that made them
LIMIT = 25  # seconds after which silence is a broken connection; the kernel has sent six times by then


class Unavailable(Exception):
    """This build has no such verb, or not in this form."""


class Refused(Exception):
    """The verb is there, and said no."""


class Form:
    """How the balancers are told to work, and so what must hold."""

    def __init__(self, name, track, receivers):
        self.name, self.track, self.receivers = name, track, receivers
        self.encap = "gue" if receivers else "ipip"

    def stands(self, needs_receivers):
        """Must no connection break by a change of this kind?"""
        return self.track and (self.receivers or not needs_receivers)


FORMS = {form.name: form for form in (
    Form("never", track=False, receivers=False),
    Form("slots", track=True, receivers=False),
    Form("receivers", track=True, receivers=True))}


def change(daemon, words):
    """Says words to a balancer. Unavailable if it does not know them, Refused if it knows better."""
    done = daemon.run(words, status=None)
    if done.returncode == 0:
        return done.stdout
    said = " ".join((done.stderr or done.stdout).split())
    if done.returncode == 2 or any(sign in said for sign in ("unknown operation", "not available", "not supported")):
        raise Unavailable(f"{words}: {said}")
    raise Refused(f"{words}: {said}")


class Field:
    def __init__(self, form, backends=8, spare=2, six=False, downloads=4, flows=0, limit=LIMIT, number=1, lab=Lab):
        self.form, self.six, self.flows, self.limit = form, six, flows, limit
        self.lab = lab(f"{PREFIX}{os.getpid()}n{number}", clients=1, balancers=2, backends=backends + spare)
        self.first = self.lab.backends[:backends]
        self.spare = self.lab.backends[backends:]
        self.daemons, self.servers, self.dead = [], {}, {}
        self.client = None
        self.downloads = Downloads(self.lab, f"http://{VIP}:{WEB_PORT}/slow", downloads)

    def up(self):
        remove_orphans(PREFIX)
        self.lab.up()
        try:
            self._furnish()
        except BaseException:
            self.down()
            raise
        return self

    def _furnish(self):
        # The router chooses a balancer by the tuple, as one at the end of a wire would.
        for words in (("qdisc", "add", "dev", "c1", "clsact"),
                      ("filter", "add", "dev", "c1", "ingress", "bpf", "da", "obj", BUILD / "lab" / "rehash.bpf.o",
                       "sec", "tc")):
            self.lab.router.run("tc", *words)
        # The spoofed sources of floods lead nowhere; ten thousand connections need many ports.
        self.lab.router.run("ip", "route", "add", "blackhole", "198.18.0.0/15")
        # A download reads on from its socket's queue after a reset: it should be short.
        self.lab.c1.sysctl("net.ipv4.ip_local_port_range=1024 65000", "net.ipv4.tcp_rmem=4096 65536 131072")
        for host in self.lab.backends:
            host.sysctl("net.core.somaxconn=16384", "net.ipv4.tcp_max_syn_backlog=16384")
            self.serve(host)
            servers.start_nginx(host, (WEB_PORT,))
            self.downloads.publish(host)
            host.attach_receiver()
        for balancer in self.lab.balancers:
            self.daemons.append(balancer.daemon(arguments=("--max-flows", self.flows) if self.flows else ()))
            self.daemons[-1].start()
            self._configure(self.daemons[-1])
        targets = [TCP4, TCP6] if self.six else [TCP4]
        self.client = Client(targets, "--limit", self.limit, "--stall", 1, "--rate", 600, "--seconds", 3000,
                             inside=self.lab.c1.inside)
        self.try_it()

    def serve(self, host):
        self.servers[host.name] = Server(host.name, [TCP4, TCP6], "--seconds", 3600, inside=host.inside)

    def _configure(self, daemon):
        track = "" if self.form.track else " --track never"
        encap = "" if self.form.encap == "ipip" else f" --encap {self.form.encap}"
        change(daemon, f"pool add {POOL}{encap}")
        for host in self.first:
            change(daemon, f"backend add {POOL}/{host.name} {host.address}")
        for proto, listen in SERVICES:
            change(daemon, f"service add {proto} {listen} --pool {POOL}{track}")
        change(daemon, "interface attach eth0")

    def try_it(self):
        """The VIP answers through each balancer, or this form is not available."""
        for balancer in self.lab.balancers:
            self.lab.route([balancer])
            try:
                wait_until(lambda: self.lab.c1.run("curl", "-s", "-m", "1", f"http://{VIP}/", check=False).stdout,
                                15, f"the VIP answers through {balancer.name}")
            except HarnessError as error:
                raise Unavailable(f"form {self.form.name} ({self.form.encap}): {error}") from None
        self.lab.route(self.lab.balancers)

    def everywhere(self, words):
        """Says words to every balancer."""
        for daemon in self.daemons:
            change(daemon, words)

    def digests(self):
        """Each balancer's, of table and history."""
        return [daemon.json(f"pool show {POOL}")["digests"] for daemon in self.daemons]

    def way(self, event):
        """Which balancer the router sends a flow's packets to now."""
        source, sport = event["from"].rsplit(":", 1)
        vip, dport = event["to"].rsplit(":", 1)
        done = self.lab.router.run("ip", "route", "get", vip.strip("[]"), "from", source.strip("[]"), "iif", "c1", "ipproto",
                               "udp" if event["kind"] == "udp" else "tcp", "sport", sport, "dport", dport, check=False)
        words = done.stdout.split()
        return words[words.index("dev") + 1] if "dev" in words else "?"

    def why(self, event):
        """What each balancer says of the flow, in a sentence."""
        told = []
        for daemon in self.daemons:
            proto = "udp" if event["kind"] == "udp" else "tcp"
            done = daemon.run(["--json", "why", proto, event["from"], event["to"]], status=None, timeout=10)
            try:
                said = json.loads(done.stdout)
                told.append(f"{daemon.host.name}: slot {said.get('slot')} {said.get('backend')} by {said.get('by')}")
                if self.form.receivers and said.get("slot") is not None:
                    told[-1] += f", hops {' '.join(hops.of_slot(daemon, POOL, said['slot']))}"
            except ValueError:
                told.append(f"{daemon.host.name}: {(done.stderr or done.stdout).strip()[:80]}")
        return f"by way of {self.way(event)}; " + "; ".join(told)

    def kill_backend(self, name):
        """The host is gone: its link is down, and nothing answers for it."""
        self.dead[name] = time.monotonic()
        self.lab.hosts[name].run("ip", "link", "set", "eth0", "down")

    def live(self, kind="tcp"):
        return self.client.latest[kind]["live"]

    def population(self, kind, count, seconds=120):
        """Opens as many as are missing."""
        missing = count - self.client.report()[kind]["live"]
        if missing > 0:
            self.client.open(kind, missing, seconds)

    def down(self):
        for process in [*self.servers.values(), *([self.client] if self.client else [])]:
            process.kill()
        self.downloads.kill()
        self.lab.down()

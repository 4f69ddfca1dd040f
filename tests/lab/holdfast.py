# SPDX-License-Identifier: Apache-2.0
"""Holdfast in the lab: daemons on balancers, receivers on backends, and the command line to both."""

import http.client
import json
import shutil
import signal
import socket

from lab import BUILD, NETS, PINS, SEED, LabError, wait_until
from servers import Process

RECEIVED_FROM = f"{NETS['lb'][0]}.0/24"
RECEIVED_FROM6 = f"{NETS['lb'][1]}:/64"


class Api(http.client.HTTPConnection):
    """A daemon's API by one connection, for more questions than one would start a program for."""

    def __init__(self, path):
        super().__init__("localhost", timeout=60)
        self.path = str(path)

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)

    def get(self, path):
        self.request("GET", path)
        answer = self.getresponse()
        text = answer.read()
        if answer.status != 200:
            raise LabError(f"{path}: {answer.status}: {text.decode()}")
        return json.loads(text)


class Daemon:
    """holdfastd on one balancer, under an instance name of the lab's own."""

    def __init__(self, host, suffix="", seed=SEED, options=(), build=BUILD):
        self.host, self.build = host, build
        self.instance = host.netns + suffix
        self.dir = host.dir / f"holdfast{suffix}"
        self.pins = PINS / self.instance
        self.seed, self.options = seed, options
        self.process = None

    def command(self):
        return [self.build / "holdfastd", "--instance", self.instance, "--runtime-dir", self.dir, "--state-dir", self.dir,
                *(["--seed", self.seed] if self.seed else []), *self.options]

    def start(self):
        self.dir.mkdir(parents=True, exist_ok=True)
        self.process = Process(self.host, f"holdfastd-{self.instance}", self.command())

        def ready():
            if not self.process.alive():
                raise LabError(f"holdfastd of {self.host.name} ended: {self.process.output()}")
            return "ready" in self.process.output()

        wait_until(ready, 20, f"holdfastd of {self.host.name} is ready")
        return self

    def stop(self):
        return self.process.end()

    def kill(self):
        """kill -9: it has no time for anything."""
        return self.process.end(signal.SIGKILL)

    def run(self, *words, check=True, timeout=60):
        """holdfast WORDS on this balancer. Returns the finished process."""
        return self.host.run(self.build / "holdfast", "--instance", self.instance, "--runtime-dir", self.dir,
                             "--state-dir", self.dir, *words, check=check, timeout=timeout)

    def say(self, words, **named):
        """As run(), words in one string; for lines as a person would type them."""
        return self.run(*words.split(), **named)

    def api(self):
        return Api(self.dir / f"{self.instance}.sock")

    def json(self, words):
        return json.loads(self.run("--json", *words.split()).stdout)

    def remove_pins(self):
        """What a reboot does to bpffs."""
        shutil.rmtree(self.pins)


def attach_receiver(host, *more, mode="auto"):
    """Has host take the wrapping off packets from the balancers' net, and from more prefixes."""
    senders = (RECEIVED_FROM, RECEIVED_FROM6, *more)
    return host.run(BUILD / "holdfast", "--instance", host.netns, "receiver", "attach", "eth0", "--mode", mode,
                    *(word for prefix in senders for word in ("--from", prefix)))


def detach_receiver(host):
    return host.run(BUILD / "holdfast", "--instance", host.netns, "receiver", "detach", "eth0")


def serve_pool(daemon, backends, pool="db", vip="203.0.113.10", ports=((80, "tcp"),), weights=None):
    """One pool of these backends behind one VIP, attached: what most tests begin with."""
    daemon.say(f"pool add {pool}")
    for backend in backends:
        weight = f" --weight {weights[backend.name]}" if weights else ""
        daemon.say(f"backend add {pool}/{backend.name} {backend.address}{weight}")
    for port, protocol in ports:
        daemon.say(f"service add {protocol} {vip}:{port} --pool {pool}")
    daemon.say("interface attach eth0")

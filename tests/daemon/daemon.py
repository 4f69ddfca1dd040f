# SPDX-License-Identifier: Apache-2.0
"""holdfastd as a test drives it: a host to run on, the process, its API."""

import http.client
import json
import os
import select
import signal
import socket
import struct
import subprocess
import time
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent
PROGRAM = Path(os.environ.get("BUILD", TOP / "build")) / "holdfastd"
PASS = TOP / "build" / "lab" / "pass.bpf.o"  # an XDP program that passes every packet
READY_SECONDS = 30
STOP_SECONDS = 20


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def program_on(namespace, interface):
    """The id of the XDP program that the kernel runs there, or None."""
    link = json.loads(run("ip", "-n", namespace, "-j", "-d", "link", "show", interface))[0]
    return link.get("xdp", {}).get("prog", {}).get("id")


def until(condition, seconds=20):
    """Waits for something that takes its time; what it returned, or a failure."""
    end = time.monotonic() + seconds
    while not (result := condition()):
        assert time.monotonic() < end, "it did not come about"
        time.sleep(0.05)
    return result


class Host:
    """Two namespaces and a veth between them: eth0 of the balancer, r0 of a neighbour with the backends' addresses."""

    BACKENDS = tuple(f"10.9.0.{i}" for i in range(11, 19))

    def __init__(self, name):
        self.name, self.peer = name, name + "r"

    def open(self):
        run("ip", "netns", "add", self.name)
        run("ip", "netns", "add", self.peer)
        run("ip", "-n", self.name, "link", "add", "eth0", "type", "veth", "peer", "name", "r0", "netns", self.peer)
        run("ip", "-n", self.name, "addr", "add", "10.9.0.1/24", "dev", "eth0")
        for address in self.BACKENDS:
            run("ip", "-n", self.peer, "addr", "add", address + "/24", "dev", "r0")
        for name, device in ((self.name, "lo"), (self.name, "eth0"), (self.peer, "r0")):
            run("ip", "-n", name, "link", "set", device, "up")

    def close(self):
        for name in (self.name, self.peer):
            subprocess.run(["ip", "netns", "del", name], capture_output=True)

    def inside(self, *command):
        return ["nsenter", f"--net=/run/netns/{self.name}", *map(str, command)]

    def inside_peer(self, *command):
        return ["nsenter", f"--net=/run/netns/{self.peer}", *map(str, command)]


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=60)
        self.path = str(path)

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class Daemon:
    def __init__(self, host, instance, directory):
        self.host, self.instance, self.directory = host, instance, Path(directory)
        self.socket = self.directory / "run" / f"{instance}.sock"
        self.database = self.directory / "state" / f"{instance}.db"
        self.pins = Path("/sys/fs/bpf/holdfast") / instance
        self.log = self.directory / "log"
        self.process = None
        self.program = (PROGRAM,)  # and what runs it

    def command(self, *options):
        return self.host.inside(*self.program, "--instance", self.instance, "--runtime-dir", self.directory / "run",
                                "--state-dir", self.directory / "state", *options)

    def start(self, *options, env=None):
        """Starts and waits for its line `ready`."""
        with open(self.log, "a") as log:
            self.process = subprocess.Popen(self.command(*options), stdout=subprocess.PIPE, stderr=log, text=True,
                                            env=env)
        ready, _, _ = select.select([self.process.stdout], [], [], READY_SECONDS)
        assert ready and self.process.stdout.readline() == "ready\n", self.log.read_text()

    def refused(self, *options):
        """What it says when it does not start."""
        done = subprocess.run(self.command(*options), capture_output=True, text=True, timeout=READY_SECONDS)
        assert done.returncode != 0
        assert "ready" not in done.stdout
        return done.stderr

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(STOP_SECONDS) == 0

    def kill(self):
        self.process.kill()
        self.process.wait(STOP_SECONDS)

    def end(self):
        if self.process and self.process.poll() is None:
            self.kill()

    def request(self, method, path, body=None):
        """Status and parsed answer."""
        connection = UnixConnection(self.socket)
        try:
            connection.request(method, path, body if body is None or isinstance(body, (str, bytes)) else json.dumps(body))
            response = connection.getresponse()
            return response.status, json.loads(response.read())
        finally:
            connection.close()

    def get(self, path):
        status, answer = self.request("GET", path)
        assert status == 200, answer
        return answer

    def post(self, operation, arguments, **members):
        return self.request("POST", "/v1/operations", {"operation": operation, "arguments": arguments, **members})

    def operate(self, operation, **arguments):
        status, answer = self.post(operation, arguments)
        assert status == 200, answer
        return answer

    def serve(self):
        """One service, one pool, three backends behind one neighbour, attached."""
        self.operate("pool.add", name="db", source="10.64.0.0/16")
        for i in (1, 2, 3):
            self.operate("backend.add", pool="db", name=f"db{i}", address=f"10.9.0.1{i}")
        self.operate("service.add", proto="tcp", listen="203.0.113.10:5432", pool="db")
        self.operate("interface.attach", name="eth0")

    def serve_many(self, count, *pools, **members):
        """Pools of the same backends, all behind the neighbour 10.9.0.11; *members* of the configuration."""
        run("ip", "-n", self.host.name, "route", "replace", "10.100.0.0/16", "via", "10.9.0.11")
        backends = [{"name": f"b{i}", "address": f"10.100.{i // 250}.{i % 250 + 1}"} for i in range(count)]
        self.operate("model.apply", configuration={
            "version": 1, "seed": self.get("/v1/status")["seed"], "interfaces": [], "services": [],
            "pools": [{"name": name, "table_size": 2039, "backends": backends} for name in pools], **members})

    def refuse(self, operation, **arguments):
        """Status and error of an operation that must be refused."""
        status, answer = self.post(operation, arguments)
        assert status >= 400, answer
        return status, answer["error"]

    def cli(self, *words, under=()):
        """What became of the command, run on the daemon's host."""
        command = self.host.inside(*under, PROGRAM.with_name("holdfast"), "--instance", self.instance, "--runtime-dir",
                                   self.directory / "run", "--state-dir", self.directory / "state", *words)
        return subprocess.run(command, capture_output=True, text=True, timeout=120)

    def connect(self):
        plain = socket.socket(socket.AF_UNIX)
        # A socket that does not block would not wait for a place in the queue of the listening one.
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", 60, 0))
        plain.connect(str(self.socket))
        plain.settimeout(60)
        return plain

# SPDX-License-Identifier: Apache-2.0
"""The flock's programs as objects: servers that answer numbered messages, and the client that asks them."""

import json
import select
import signal
import subprocess
import time

from harness import TOP, HarnessError
from harness.command import as_is
from harness.wait import wait_until

PROGRAMS = TOP / "build" / "storm"


class FlockError(HarnessError):
    pass


class Program:
    """A program of the flock: a line of JSON for everything it is asked."""

    def __init__(self, command, inside=as_is, stdin=subprocess.DEVNULL):
        self.command = " ".join(map(str, command))
        self.process = subprocess.Popen(inside(*map(str, command)), stdin=stdin, start_new_session=True,
                                        stdout=subprocess.PIPE, bufsize=0)
        self.text = b""

    def line(self, seconds=20):
        """The next line, as the value it holds. A line may be long, so it comes in pieces."""
        end = time.monotonic() + seconds
        while b"\n" not in self.text:
            left = end - time.monotonic()
            if left < 0 or not select.select([self.process.stdout], [], [], left)[0]:
                raise FlockError(f"{self.command}: said nothing for {seconds} s")
            piece = self.process.stdout.read(1 << 16)
            if not piece:
                raise FlockError(f"{self.command}: ended with {self.process.wait(5)}")
            self.text += piece
        line, self.text = self.text.split(b"\n", 1)
        return json.loads(line)

    def kill(self, number=signal.SIGKILL):
        """Ends it, if it lives. Its sockets go with it: the kernel resets or ends its connections."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(10)
        for stream in (self.process.stdout, self.process.stdin):
            if stream:
                stream.close()


class Server(Program):
    def __init__(self, name, endpoints, *options, inside=as_is):
        super().__init__([PROGRAMS / "flock-server", name, *endpoints, *options], inside)
        self.name = name
        self.line()

    def statistics(self):
        self.process.send_signal(signal.SIGUSR1)
        return self.line()

    def live(self):
        return sum(port["live"] for port in self.statistics()["ports"])


class Client(Program):
    def __init__(self, targets, *options, inside=as_is):
        targets = [word for target in targets for word in ("--to", target)]
        super().__init__([PROGRAMS / "flock-client", *targets, *options], inside, subprocess.PIPE)
        self.events = []
        self.latest = {}
        self.silence = 0.0

    def ask(self, command):
        self.process.stdin.write(command.encode() + b"\n")
        said = self.line()
        if "error" in said:
            raise FlockError(f"{command}: {said['error']}")
        return said

    def report(self):
        """Counts as they are now; what went wrong meanwhile is added to events."""
        self.latest = self.ask("report")
        if self.latest["forgotten"]:
            raise FlockError(f"{self.latest['forgotten']} events were more than the client could keep")
        self.events += self.latest["events"]
        self.silence = max(self.silence, self.latest["tcp"]["longest"], self.latest["idle"]["longest"])
        return self.latest

    def take_silence(self):
        """The longest time that a connection waited for an answer since this was last asked, in seconds."""
        silence, self.silence = self.silence, 0.0
        return silence

    def wait_for(self, is_so, seconds, what, every=0.1):
        """Reports until is_so(report), and returns that report."""
        try:
            wait_until(lambda: is_so(self.report()), seconds, what, every)
        except FlockError:
            raise
        except HarnessError as error:
            raise FlockError(f"{error}: {self.brief()}") from None
        return self.latest

    def open(self, kind, count, seconds=60):
        """Opens flows and waits until each of them knows its server."""
        wanted = self.report()[kind]["live"] + count
        self.ask(f"open {kind} {count}")
        return self.wait_for(lambda r: r[kind]["opening"] == 0 and r[kind]["servers"][""]["live"] == 0
                             and r[kind]["live"] >= wanted - self.mishaps(kind), seconds, f"{count} {kind} flows open")

    def close(self, kind, count, server=""):
        self.ask(f"close {kind} {count} {server}".strip())

    def mishaps(self, kind, *whats):
        """How many flows of the kind have met one of these so far (any, if none is named)."""
        return sum(e["kind"] == kind and (not whats or e["what"] in whats) for e in self.events)

    def brief(self):
        return {kind: {name: self.latest[kind][name] for name in ("live", "opening", "stalled", "opened", "closed")}
                for kind in ("tcp", "idle", "udp")}

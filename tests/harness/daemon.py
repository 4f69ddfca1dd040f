# SPDX-License-Identifier: Apache-2.0
"""holdfastd as a test drives it: the process, its API, and the command line that speaks to it."""

import shutil
import signal
import socket
import struct
from pathlib import Path

from harness import BUILD, PINS, HarnessError
from harness.api import Connection
from harness.command import CommandLine
from harness.process import Process
from harness.wait import wait_until

READY_SECONDS, STOP_SECONDS = 30, 20


class Daemon(CommandLine):
    """One instance on a host, which is a namespace. Its sockets, its database and its log lie in directory."""

    def __init__(self, host, instance, directory, arguments=(), build=BUILD):
        self.host, self.instance, self.directory = host, instance, Path(directory)
        self.state_dir, self.pins = self.directory / "state", PINS / instance
        super().__init__(self.directory / "run", "--instance", instance, "--state-dir", self.state_dir,
                         inside=host.inside, build=build)
        self.socket = self.runtime_dir / f"{instance}.sock"
        self.database = self.state_dir / f"{instance}.db"
        self.log = self.directory / "log"
        self.arguments, self.under = arguments, ()  # what it is started with, and what runs it
        self.process = None

    def command(self, *arguments):
        return self.host.inside(*self.under, self.build / "holdfastd", "--instance", self.instance, "--runtime-dir",
                                self.runtime_dir, "--state-dir", self.state_dir, *self.arguments, *arguments)

    def start(self, *arguments, env=None):
        """Starts it and waits for its line `ready`."""
        self.process = Process(self.command(*arguments), self.log, env=env)

        def is_ready():
            if not self.process.alive():
                raise HarnessError(f"holdfastd of {self.instance} ended: {self.process.output()}")
            return "ready" in self.process.output().splitlines()

        wait_until(is_ready, READY_SECONDS, f"holdfastd of {self.instance} is ready", every=0.01)
        return self

    def refused(self, *arguments, status=None):
        """What it says when it does not start, which ends with status, or any but 0. One that starts is ended."""
        process = Process(self.command(*arguments), self.directory / "refused.log")
        try:
            wait_until(lambda: "ready" in process.output().splitlines() or not process.alive(), READY_SECONDS,
                       f"holdfastd of {self.instance} refuses to start", every=0.01)
        finally:
            said = process.end(signal.SIGKILL)
        assert "ready" not in said.splitlines(), f"it started: {said}"
        assert process.returncode == status if status else process.returncode > 0, (process.returncode, said)
        return said

    def stop(self):
        """Has it end by itself; returns what it said."""
        said = self.process.end(signal.SIGTERM, STOP_SECONDS)
        assert self.process.returncode == 0, said
        return said

    def kill(self):
        """kill -9: it has no time for anything."""
        return self.process.end(signal.SIGKILL, STOP_SECONDS)

    def end(self):
        if self.process and self.process.alive():
            self.kill()

    def remove_pins(self):
        """What a reboot does to bpffs."""
        shutil.rmtree(self.pins, ignore_errors=True)

    def api(self):
        return Connection(self.socket)

    def request(self, method, path, body=None):
        """Status and parsed answer, by a connection of its own."""
        connection = self.api()
        try:
            return connection.ask(method, path, body)
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

    def refuse(self, operation, **arguments):
        """Status and error of an operation that must be refused."""
        status, answer = self.post(operation, arguments)
        assert status >= 400, answer
        return status, answer["error"]

    def connect(self):
        """A connection that says nothing by itself."""
        plain = socket.socket(socket.AF_UNIX)
        # A socket that does not block would not wait for a place in the queue of the listening one.
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", 60, 0))
        plain.connect(str(self.socket))
        plain.settimeout(60)
        return plain

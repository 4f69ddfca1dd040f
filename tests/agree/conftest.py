# SPDX-License-Identifier: Apache-2.0
"""Agreement with other people's programs, run side by side on loopback."""

import json
import os
import shutil
import socket
import subprocess
import time
from pathlib import Path

import pytest

HOLDFAST = Path(os.environ.get("BUILD", Path(__file__).resolve().parents[2] / "build")) / "holdfast"
KEYS = [f"user:{number}" for number in range(10000)]


def wait_until(done, what, seconds=15):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if done():
            return
        time.sleep(0.02)
    pytest.fail(f"waited {seconds} s for {what}")


def lookup(keys, *options):
    """What `placement lookup` says of each key."""
    command = [HOLDFAST, "placement", "lookup", "--json", "--replicas", "1", *options, "--", *keys]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True, timeout=120).stdout)


def needs(program):
    found = shutil.which(program, path="/usr/sbin:/usr/bin:/sbin:/bin")
    if not found:
        pytest.skip(f"{program} is not installed (make deps)")
    return found


def free_ports(count, above=0):
    """Ports of 127.0.0.1 that nobody listens on; `above`: the port that much higher is free too."""
    found, held = [], []
    try:
        while len(found) < count:
            plug = socket.socket()
            held.append(plug)
            plug.bind(("127.0.0.1", 0))
            port = plug.getsockname()[1]
            if above:
                if port + above > 65535:
                    continue
                with socket.socket() as second:
                    if second.connect_ex(("127.0.0.1", port + above)) == 0:
                        continue
            found.append(port)
    finally:
        for plug in held:
            plug.close()
    return found


class Program:
    """A program in the foreground, ended by its own pid."""

    def __init__(self, directory, *command):
        self.log = directory / "log"
        with self.log.open("wb") as log:
            self.popen = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def running(self):
        if self.popen.poll() is not None:
            pytest.fail(f"it ended: {self.log.read_text(errors='replace')[-2000:]}")
        return True

    def end(self):
        self.popen.terminate()
        try:
            self.popen.wait(10)
        except subprocess.TimeoutExpired:
            self.popen.kill()
            self.popen.wait()


@pytest.fixture
def program(tmp_path):
    programs = []

    def start(*command):
        programs.append(Program(tmp_path, *command))
        return programs[-1]

    yield start
    for one in programs:
        one.end()


def answers(port):
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0

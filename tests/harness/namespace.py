# SPDX-License-Identifier: Apache-2.0
"""Network namespaces: made, entered, and removed with everybody who lives there."""

import json
import os
import shutil
import signal
from pathlib import Path

from harness import BPFFS, PINS, HarnessError
from harness.process import Process, run
from harness.wait import wait_until

NETNS = Path("/run/netns")


def mount_bpffs():
    if not os.path.ismount(BPFFS):
        run("mount", "-t", "bpf", "bpf", BPFFS)


class Namespace:
    """A network namespace by name, whoever made it."""

    def __init__(self, netns):
        self.netns = netns
        self.path = NETNS / netns

    def add(self):
        run("ip", "netns", "add", self.netns)
        self.batch("link set lo up")

    def remove(self):
        """Ends who lives there, and removes it, and the pins of receivers on it. Nothing to remove is fine."""
        remove_namespaces([self.netns])

    def inside(self, *command):
        # `ip netns exec` would mount another /sys over bpffs.
        return ["nsenter", f"--net={self.path}", *map(str, command)]

    def run(self, *command, **named):
        return run(*self.inside(*command), **named)

    def spawn(self, log, *command, **named):
        return Process(self.inside(*command), log, **named)

    def batch(self, lines):
        """Runs lines of ip's language."""
        self.run("ip", "-batch", "-", text=f"{lines}\n")

    def sysctl(self, *settings):
        self.run("sysctl", "-q", "-w", *settings)

    def link(self, interface):
        """What `ip link` tells of it."""
        return json.loads(self.run("ip", "-j", "-d", "link", "show", interface).stdout)[0]

    def mac(self, interface):
        return self.link(interface)["address"]

    def program_on(self, interface):
        """The id of the XDP program that the kernel runs there, or None."""
        return self.link(interface).get("xdp", {}).get("prog", {}).get("id")

    def processes(self):
        """Who lives there: whoever it is was started there, so it is ours."""
        inode = inode_of(self.path)
        return [int(entry.name) for entry in Path("/proc").glob("[0-9]*")
                if inode and inode_of(entry / "ns" / "net") == inode]


def inode_of(path):
    try:
        return os.stat(path).st_ino
    except OSError:
        return None  # it ended meanwhile


def end_processes(namespaces):
    def alive():
        return [pid for namespace in namespaces for pid in namespace.processes() if pid != os.getpid()]

    for number in (signal.SIGTERM, signal.SIGKILL):
        for pid in alive():
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                pass
        try:
            return wait_until(lambda: not alive(), 3, every=0.02)
        except HarnessError:
            pass  # whom SIGTERM does not end, SIGKILL does
    return False


def remove_namespaces(names):
    found = [Namespace(name) for name in names if (NETNS / name).exists()]
    end_processes(found)
    for namespace in found:
        # A receiver's pins are named after the inode of its namespace.
        shutil.rmtree(PINS / "receiver" / str(inode_of(namespace.path)), ignore_errors=True)
        run("ip", "netns", "del", namespace.netns, check=False)

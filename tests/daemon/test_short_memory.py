# SPDX-License-Identifier: Apache-2.0
"""Memory that runs short in the middle of a change: no answer says "refused" of a change that is in force."""

import http.client
import mmap
import struct
import subprocess
from pathlib import Path

import pytest

from harness.wait import wait_until


SOURCE = Path(__file__).with_name("short_memory.c")
REFUSED = range(400, 500), (503,)
EVERY, STEP, MOST = 250, 13, 6000  # each of the first allocations fails once, then every 13th


class Allocations:
    """The number that the preloaded library counts down."""

    def __init__(self, path):
        path.write_bytes(bytes(4))
        self.file = open(path, "r+b")
        self.memory = mmap.mmap(self.file.fileno(), 4)

    def fail_after(self, count):
        struct.pack_into("i", self.memory, 0, count)

    def left(self):
        return struct.unpack_from("i", self.memory, 0)[0]


@pytest.fixture
def short(idle, tmp_path):
    library, path = tmp_path / "short_memory.so", tmp_path / "short_memory"
    subprocess.run(["gcc", "-O1", "-fPIC", "-shared", "-o", library, SOURCE], check=True, timeout=60)
    allocations = Allocations(path)
    idle.under = ("env", f"LD_PRELOAD={library}", f"SHORT_MEMORY={path}",)
    idle.start()
    idle.operate("pool.add", name="db", table_size=251)
    idle.operate("backend.add", pool="db", name="db1", address="10.9.0.11")
    idle.operate("backend.add", pool="db", name="db2", address="10.9.0.12")
    idle.operate("service.add", proto="tcp", listen="203.0.113.10:5432", pool="db")
    return idle, allocations


def ask(daemon, allocations, count, weight):
    """Returns the status of a change during which allocations fail, or None: no answer."""
    allocations.fail_after(count)
    try:
        return daemon.post("backend.set", {"pool": "db", "name": "db1", "weight": weight})[0]
    except (OSError, http.client.HTTPException, ValueError):
        return None
    finally:
        allocations.done = allocations.left() not in (0, 1)
        allocations.fail_after(0)


def test_what_time_makes_due_and_cannot_be_done_is_an_error(short):
    """A grace ends while memory is short: status says so until it is done."""
    daemon, allocations = short
    daemon.operate("pool.set", name="db", grace=1)
    daemon.operate("interface.attach", name="eth0")
    wait_until(lambda: not daemon.get("/v1/status")["problems"])
    daemon.operate("backend.health", pool="db", name="db1", state="down")
    allocations.fail_after(1)
    wait_until(lambda: "what is due waits" in daemon.log.read_text())
    allocations.fail_after(0)
    problems = wait_until(lambda: daemon.get("/v1/status")["problems"])
    assert any("health have no effect yet: Cannot allocate memory" in line for line in problems), problems
    wait_until(lambda: not daemon.get("/v1/status")["problems"], 60)


@pytest.mark.parametrize("sign", [1, -1], ids=["every allocation from here on", "one allocation"])
def test_no_change_in_force_is_answered_as_refused(short, sign):
    daemon, allocations = short
    allocations.done = False
    refused = unanswered = died = 0
    count = 2
    while not allocations.done and count < MOST:
        before = daemon.get("/v1/status")["generation"]["number"]
        status = ask(daemon, allocations, sign * count, weight=200 + count)
        if daemon.process.poll() is not None:
            died += 1
            daemon.start()
        after = daemon.get("/v1/status")["generation"]["number"]
        if status is None or status == 500:
            unanswered += 1
        elif status == 200:
            assert after == before + 1, f"allocation {count}: done, but not in force"
        else:
            assert status in REFUSED[0] or status in REFUSED[1], f"allocation {count}: status {status}"
            assert after == before, f"allocation {count}: answered with {status}, but in force"
            refused += 1
        count += 1 if count < EVERY else STEP
    assert allocations.done, "no change ever went through"
    assert refused, "no change was ever refused"
    print(f"{refused} refused, {unanswered} without an answer, {died} ended the daemon")

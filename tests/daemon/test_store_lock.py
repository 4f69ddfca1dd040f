# SPDX-License-Identifier: Apache-2.0
"""Another process has the database's lock: nothing on the event loop waits for it, and nothing is lost by it."""

import subprocess
import sys
import threading

import pytest

from harness.wait import wait_until
from host import serve_many

HOLD = """
import sqlite3, sys

database = sqlite3.connect(sys.argv[1], isolation_level=None)
for statement in sys.argv[2:]:
    database.execute(statement).fetchall()
print("held", flush=True)
sys.stdin.read()
database.execute("ROLLBACK")
"""
EXCLUSIVE = "BEGIN EXCLUSIVE"
ATTEMPTS = 10  # of what a slow machine may be too slow for


class Holder:
    """A process that holds the lock until it is let go."""

    def __init__(self, daemon, *statements):
        self.process = subprocess.Popen([sys.executable, "-c", HOLD, daemon.database, *statements], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)

    def __enter__(self):
        assert self.process.stdout.readline() == "held\n"
        return self.process.pid

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(20)


class Change(threading.Thread):
    def __init__(self, daemon, operation, **arguments):
        super().__init__(daemon=True)
        self.run = lambda: setattr(self, "answer", daemon.post(operation, arguments))
        self.start()

    def result(self):
        self.join(60)
        return self.answer


def answered_meanwhile(daemon):
    """How many requests for the status are answered while a change has to wait."""
    change, count = Change(daemon, "backend.set", pool="db", name="db1", weight=300), 0
    while change.is_alive():
        assert daemon.get("/v1/status")["problems"] is not None
        assert daemon.get("/v1/generations")["generations"]
        count += change.is_alive()
    status, answer = change.result()
    assert status == 503, answer
    return count


def test_a_lock_holds_up_nothing_but_the_change(serving):
    with Holder(serving, EXCLUSIVE):
        counts = []
        while max(counts, default=0) < 5 and len(counts) < ATTEMPTS:
            counts.append(answered_meanwhile(serving))
        assert max(counts) >= 5, counts


def test_the_refusal_names_the_process_that_has_the_lock(serving):
    before, attached = serving.get("/v1/status")["generation"], serving.get("/v1/interfaces")["interfaces"]
    with Holder(serving, EXCLUSIVE) as pid:
        for operation, arguments in (("backend.drain", {"pool": "db", "name": "db1"}),
                                     ("backend.health", {"pool": "db", "name": "db1", "state": "down"}),
                                     ("interface.detach", {"name": "eth0"})):
            status, answer = serving.post(operation, arguments, force=True)
            error = answer["error"]
            assert status == 503 and error["what"].startswith("the database is locked by "), answer
            assert f"(process {pid})" in error["what"] and error["where"] == str(serving.database), error
        (problem,) = wait_until(lambda: serving.get("/v1/status")["problems"])
        assert f"(process {pid})" in str(problem)
        assert serving.get("/v1/status")["generation"] == before
        assert serving.get("/v1/interfaces")["interfaces"][0]["link_id"] == attached[0]["link_id"]
        assert serving.get("/v1/backends/db/db1")["admin"] == "active"
    wait_until(lambda: not serving.get("/v1/status")["problems"])
    assert serving.operate("backend.drain", pool="db", name="db1")["changed"]
    wait_until(lambda: any(e["kind"] == "database" and f"(process {pid})" in e["text"]
                      for e in serving.get("/v1/events")["events"]))


def test_a_change_waits_for_a_lock_that_is_let_go(serving):
    for attempt in range(ATTEMPTS):
        with Holder(serving, EXCLUSIVE):
            changes = [Change(serving, "backend.set", pool="db", name=name, weight=300 + attempt) for name in ("db1", "db2")]
            for _ in range(3):
                serving.get("/v1/status")
        if all(change.result()[0] == 200 for change in changes):
            break
    else:
        pytest.fail(str([change.result() for change in changes]))
    assert serving.get("/v1/backends/db/db2")["weight"] == 300 + attempt


def test_a_reader_that_never_ends_is_named(idle):
    """The log cannot begin anew while it reads, and grows with each change."""
    idle.start()
    serve_many(idle, 2000, "p")
    log = idle.database.with_name(idle.database.name + "-wal")
    with Holder(idle, "BEGIN", "SELECT max(number) FROM generations") as pid:
        while log.stat().st_size <= 17 << 20:
            for weight in (200, 300):
                idle.operate("backend.set", pool="p", name="b7", weight=weight)
        (problem,) = wait_until(lambda: idle.get("/v1/status")["problems"])
        assert "keeps reading" in str(problem) and f"(process {pid})" in str(problem), problem
    wait_until(lambda: not idle.get("/v1/status")["problems"])
    assert log.stat().st_size <= 17 << 20


def test_a_copy_can_be_made_while_the_daemon_changes(serving):
    copy = serving.directory / "copy.db"
    for weight in (300, 400):
        done = subprocess.run([sys.executable, "-c", "import sqlite3, sys\nwith sqlite3.connect(sys.argv[1]) as a, "
                               "sqlite3.connect(sys.argv[2]) as b: a.backup(b)", serving.database, copy], timeout=60)
        assert done.returncode == 0
        serving.operate("backend.set", pool="db", name="db1", weight=weight)

# SPDX-License-Identifier: Apache-2.0
"""The database is lost, with live connections on what is pinned: no start takes them away unasked."""


import pytest

from harness import HarnessError
from harness.flock import Client, Server
from harness.lab import serve_pool


VIP, PORT = "203.0.113.10", 7000
CONNECTIONS, ROUNDS = 100, 3
BROKEN_WITHIN = 30  # seconds


@pytest.fixture
def flock(balanced):
    """The daemon, and a client whose connections ask for numbered answers several times a second."""
    lab, daemon = balanced()
    if not daemon.process.alive():
        daemon.start()
    daemon.arguments = ()
    if daemon.run("pool show db", status=None).returncode:
        serve_pool(daemon, lab.backends)
    daemon.run("backend activate db/b1", status=None)
    daemon.run(f"service add tcp {VIP}:{PORT} --pool db", status=None)
    programs = [Server(backend.name, [f"{VIP}:{PORT}"], "--seconds", "120", inside=backend.inside)
                for backend in lab.backends]
    programs.append(Client([f"{VIP}:{PORT}"], "--interval", "0.2", "--stall", "5", "--seconds", "120",
                           inside=lab.c1.inside))
    yield daemon, programs[-1]
    for program in programs:
        program.kill()


def unbroken(client):
    """Whether every connection goes on: answered several times more, by the server that it had."""
    before = client.report()["tcp"]
    client.wait_for(lambda r: client.events or r["tcp"]["answers"] >= before["answers"] + ROUNDS * before["live"],
                    BROKEN_WITHIN, "answers, or a break")
    client.wait_for(lambda r: len(client.events) in (0, CONNECTIONS) or r["tcp"]["stalled"] == 0, BROKEN_WITHIN, "the rest")
    broken = len(client.events)
    assert broken == 0, f"{broken} of {CONNECTIONS} broke: {client.events[0]}"
    return client.latest["tcp"]["live"] == CONNECTIONS


def lose(daemon):
    """Takes the database away, and returns what was in it."""
    database = daemon.database
    kept = {path: path.read_bytes() for path in database.parent.glob(database.name + "*") if path.suffix != ".lock"}
    for path in kept:
        path.unlink()
    return kept


def try_start(daemon):
    """Returns what a refused start says; None if it is not refused."""
    try:
        daemon.start()
    except HarnessError as error:
        return str(error)
    return None


def configuration(daemon):
    path = daemon.directory / "file.yaml"
    path.write_text(daemon.run("export").stdout)
    return path


def test_a_lost_database_breaks_no_connection(flock):
    daemon, client = flock
    client.open("tcp", CONNECTIONS)
    daemon.kill()
    kept = lose(daemon)
    said = try_start(daemon)
    assert unbroken(client)
    assert said and "the database is lost" in said, said
    for path, content in kept.items():
        path.write_bytes(content)
    daemon.start()
    assert unbroken(client)


def test_a_lost_database_with_a_file_forgets_no_drain(flock):
    """The drained backend keeps its connections while the start is refused, and through --fresh."""
    daemon, client = flock
    client.open("tcp", CONNECTIONS)
    daemon.arguments = ("--config", str(configuration(daemon)))
    daemon.run("backend drain db/b1")
    assert client.report()["tcp"]["servers"]["b1"]["live"]
    daemon.kill()
    lose(daemon)
    said = try_start(daemon)
    assert unbroken(client)
    assert said and "the database is lost" in said, said
    daemon.arguments += ("--fresh",)
    daemon.start()
    assert unbroken(client)

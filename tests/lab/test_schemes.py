# SPDX-License-Identifier: Apache-2.0
"""A live pool takes other schemes, options, sizes and seeds; connections with counted messages stay where they are."""

import re

import pytest

from harness.flock import Client, Server
from harness.lab import SEED


VIP, PORT = "203.0.113.10", 7000
CONNECTIONS, MORE, ROUNDS = 300, 100, 3
PORTS = range(50000, 50060)  # of new flows that `why` is asked about


@pytest.fixture
def flock(balanced):
    """The daemon, and a client whose connections ask for numbered answers several times a second."""
    lab, daemon = balanced()
    daemon.run(f"pool set db --scheme maglev --table-size 65537 --hash 5tuple --seed {SEED}")
    daemon.run(f"service add tcp {VIP}:{PORT} --pool db", status=None)
    programs = [Server(backend.name, [f"{VIP}:{PORT}"], "--seconds", "120", inside=backend.inside)
                for backend in lab.backends]
    programs.append(Client([f"{VIP}:{PORT}"], "--interval", "0.2", "--seconds", "120", inside=lab.c1.inside))
    yield daemon, programs[-1]
    for program in programs:
        program.kill()


def live(client):
    return {name: server["live"] for name, server in client.report()["tcp"]["servers"].items() if name}


def answered(client):
    """All connections have been answered several times more: that takes as long as it takes."""
    report = client.report()["tcp"]
    client.wait_for(lambda r: r["tcp"]["answers"] >= report["answers"] + ROUNDS * report["live"], 60, "answers")


def chosen(daemon):
    """Where new flows of some ports would go, and their slots' bases."""
    return [daemon.json(f"why tcp 198.51.100.11:{port} {VIP}:{PORT}")["owner"] for port in PORTS]


def switch(daemon, client, words):
    """Returns the share that moved, as the change itself tells it."""
    before, owners = live(client), chosen(daemon)
    dry = daemon.run(f"pool set db {words} --dry-run")
    assert "is a migration" in dry.stderr and live(client) == before
    done = daemon.run(f"pool set db {words}")
    assert "is a migration" in done.stderr
    moved, slots = (int(number) for number in re.search(r"(\d+) of (\d+) slots moved", done.stdout).groups())
    answered(client)
    assert client.events == []
    assert live(client) == before
    assert chosen(daemon) != owners
    return moved / slots


def test_connections_stay_through_every_scheme(flock):
    daemon, client = flock
    client.open("tcp", CONNECTIONS)
    for words in ("--scheme stable", "--scheme ring", "--scheme slots", "--scheme maglev"):
        # Schemes know nothing of each other: of four backends three in four slots change owner, more or less.
        assert 0.6 < switch(daemon, client, words) < 0.9
        client.open("tcp", MORE)
    assert sum(live(client).values()) == CONNECTIONS + 4 * MORE
    assert min(live(client).values()) > CONNECTIONS / 8
    assert client.events == []


def test_connections_stay_through_options(flock):
    daemon, client = flock
    client.open("tcp", CONNECTIONS)
    switch(daemon, client, "--scheme ring")
    assert 0 < switch(daemon, client, "--virtual-nodes 40 --ring-hash md5") < 1
    switch(daemon, client, "--scheme ketama")
    assert 0 < switch(daemon, client, "--ketama nginx") < 1
    assert client.events == []


@pytest.mark.parametrize("words", ["--table-size 16381", "--seed 00000000000000ff", "--hash source"])
def test_connections_stay_through_what_gives_them_other_slots(flock, words):
    daemon, client = flock
    client.open("tcp", CONNECTIONS)
    before = live(client)
    done = daemon.run(f"pool set db {words}")
    assert "flows have other slots than before" in done.stdout
    answered(client)
    assert client.events == [] and live(client) == before


def test_connections_stay_when_slots_are_moved(flock):
    daemon, client = flock
    client.open("tcp", CONNECTIONS)
    switch(daemon, client, "--scheme slots --table-size 65537")
    before = live(client)
    for name in sorted(before)[1:]:
        daemon.run(f"pool slots move db 0-65536 {sorted(before)[0]} --owner {name}")
    assert set(chosen(daemon)) == {f"db/{sorted(before)[0]}"}
    answered(client)
    assert client.events == [] and live(client) == before

# SPDX-License-Identifier: Apache-2.0
"""What a refused change has begun is undone: next hops, neighbours, attachments, facts, the store."""

import contextlib
import itertools
import sqlite3

import pytest

from harness.wait import wait_until


def next_hop(daemon, backend="db1"):
    return daemon.get(f"/v1/backends/db/{backend}")["next_hop"]


def lose_the_pool(daemon):
    """A file that has lost service and pool: refused, after the next hops of what it has left were followed."""
    configuration = daemon.get("/v1/export")["configuration"]
    status, error = daemon.refuse("model.apply", configuration={**configuration, "pools": [], "services": []})
    assert status == 403, error


def mark(host, monitor, address):
    """An entry that the monitor tells of after all that was before it."""
    macs = itertools.count()

    def is_seen():
        host.run("ip", "neigh", "replace", address, "lladdr", f"02:00:00:00:00:{next(macs) % 256:02x}", "dev", "eth0")
        return address in monitor.output()
    wait_until(is_seen)


def test_next_hops_are_followed_on_after_a_refusal(serving, host):
    """A way that is lost before two refusals and found after them is used again."""
    wait_until(lambda: next_hop(serving)["resolved"])
    host.run("ip", "route", "add", "unreachable", "10.9.0.11/32")
    wait_until(lambda: not next_hop(serving)["resolved"])
    lose_the_pool(serving)
    lose_the_pool(serving)
    host.run("ip", "route", "del", "unreachable", "10.9.0.11/32")
    wait_until(lambda: next_hop(serving)["resolved"])


def test_neighbours_stay_through_a_refusal(serving, host, tmp_path):
    """Entries that the daemon had the kernel make are neither deleted nor asked for again."""
    wait_until(lambda: all(next_hop(serving, f"db{i}")["resolved"] for i in (1, 2, 3)))
    monitor = host.spawn(tmp_path / "monitor", "stdbuf", "-oL", "ip", "monitor", "neigh")
    try:
        mark(host, monitor, "10.9.0.77")
        lose_the_pool(serving)
        mark(host, monitor, "10.9.0.78")
    finally:
        said = monitor.end()
    assert not [line for line in said.splitlines() if line.startswith("Deleted")], said


@pytest.fixture
def short_of_hops(idle):
    """A pool whose lists of hops leave no room for those of a fourth backend, and an attached interface."""
    idle.start("--max-hops", "11")
    idle.operate("pool.add", name="db", table_size=251, encap="gue")
    for i in (1, 2, 3):
        idle.operate("backend.add", pool="db", name=f"db{i}", address=f"10.9.0.1{i}")
    idle.operate("service.add", proto="tcp", listen="203.0.113.10:5432", pool="db")
    idle.operate("interface.attach", name="eth0")
    return idle


def test_an_interface_that_a_refused_change_detached_is_attached_again(short_of_hops, host):
    configuration = short_of_hops.get("/v1/export")["configuration"]
    configuration["interfaces"] = []
    configuration["pools"][0]["backends"].append({"name": "db4", "address": "10.9.0.14"})
    status, answer = short_of_hops.post("model.apply", {"configuration": configuration}, force=True)
    assert status == 503 and "hops" in answer["error"]["what"], answer
    assert host.program_on("eth0")
    assert [i["state"] for i in short_of_hops.get("/v1/interfaces")["interfaces"]] == ["attached"]


def test_an_interface_that_a_refused_change_attached_is_let_go(short_of_hops, host):
    host.run("ip", "link", "add", "eth1", "type", "veth", "peer", "name", "eth1r")
    configuration = short_of_hops.get("/v1/export")["configuration"]
    configuration["interfaces"].append({"name": "eth1"})
    configuration["pools"][0]["backends"].append({"name": "db4", "address": "10.9.0.14"})
    status, answer = short_of_hops.post("model.apply", {"configuration": configuration}, force=True)
    assert status == 503 and "hops" in answer["error"]["what"], answer
    assert host.program_on("eth0") and not host.program_on("eth1")


def test_the_database_is_free_after_a_refused_attachment(serving):
    """The lock was taken before the attachment was tried."""
    status, error = serving.refuse("interface.attach", name="nowhere0")
    assert "nowhere0" in error["what"] + error["where"], (status, error)
    with contextlib.closing(sqlite3.connect(serving.database, timeout=0, isolation_level=None)) as database:
        database.execute("BEGIN IMMEDIATE")
        database.execute("ROLLBACK")


def hops_have_room_for(daemon, pool):
    """Whether three backends of it are there, one after the other."""
    return all(daemon.post("backend.add", {"pool": pool, "name": f"m{i}", "address": f"10.9.0.1{i}"})[0] in (200, 409) for i in (4, 5, 6))


def test_a_statement_that_the_data_plane_has_no_room_for_is_not_stated(short_of_hops):
    """Its fact was in the database already: it is there no more, for this daemon and the next."""
    short_of_hops.operate("pool.set", name="db", grace=1)
    short_of_hops.operate("backend.health", pool="db", name="db1", state="down")
    short_of_hops.operate("pool.add", name="more", table_size=251, encap="gue")
    # Beyond its grace db1 is in no list, and those of another pool take the room.
    wait_until(lambda: hops_have_room_for(short_of_hops, "more"))
    status, error = short_of_hops.refuse("backend.health", pool="db", name="db1", state="auto")
    assert status == 503 and "hops" in error["what"], error
    assert short_of_hops.get("/v1/backends/db/db1")["health"] == "down"
    short_of_hops.kill()
    short_of_hops.start("--max-hops", "11")
    assert short_of_hops.get("/v1/backends/db/db1")["health"] == "down"

# SPDX-License-Identifier: Apache-2.0
"""Backends come, go and change their weight while clients connect; no connection fails."""

import collections
import time

import pytest

from harness import servers
from harness.wait import wait_until

VIP = "203.0.113.10"
AT_ONCE = 8


@pytest.fixture
def pool(balanced):
    """Two backends of four in the pool, whatever an earlier test left."""
    lab, daemon = balanced()
    for backend in lab.backends:
        daemon.run(f"backend remove db/{backend.name} --now --force", status=None)
    for name in ("b1", "b2"):
        daemon.run(f"backend add db/{name} {lab.hosts[name].address}")
    wait_until(lambda: lab.c1.run("curl", "-s", "-m", "1", f"http://{VIP}/", check=False).stdout, 20, "the VIP answers")
    return lab, daemon


def flows_of(lab, count=400):
    """Who answered, by client port."""
    counted = servers.start_traffic(lab.c1, "connect", VIP, 80, "--count", count, "--flows").result(60)
    assert counted["failed"] == 0, counted["errors"]
    return counted["flows"]


def answers_of(lab, count=400):
    return collections.Counter(flows_of(lab, count).values())


CHANGES = {
    "add": ["backend add db/b3 10.0.0.13"],
    "remove": ["backend remove db/b2"],
    "re-weight": ["backend set db/b1 --weight 300"],
    "many": ["backend add db/b3 10.0.0.13", "backend add db/b4 10.0.0.14 --weight 50", "backend set db/b2 --weight 7",
             "backend remove db/b3", "backend set db/b1 --weight 250", "backend remove db/b4"],
}


@pytest.mark.parametrize("change", CHANGES)
def test_no_connection_fails(pool, change):
    """Neither one that opens nor one that is open: what began before a change ends after it where it began."""
    lab, daemon = pool
    traffic = servers.start_traffic(lab.c1, "connect", VIP, 80, "--rate", "400", "--at-once", AT_ONCE)
    time.sleep(0.5)
    for words in CHANGES[change]:
        daemon.run(words)
        time.sleep(0.3)
    counted = traffic.result()
    assert counted["started"] > 100
    assert counted["failures"] == []


def test_an_added_backend_gets_its_share_and_a_removed_one_nothing(pool):
    lab, daemon = pool
    first = flows_of(lab)
    assert set(first.values()) == {"b1", "b2"}
    daemon.run("backend add db/b3 10.0.0.13")
    second = flows_of(lab)
    assert set(second.values()) == {"b1", "b2", "b3"}
    daemon.run("backend remove db/b1")
    # A port that is used again within seconds may stay where it was: the close of the connection before may have passed
    # while its slot was settled, which remembers nothing.
    fresh = {backend for flow, backend in flows_of(lab).items() if flow not in first and flow not in second}
    assert fresh == {"b2", "b3"}


def test_downloads_outlive_the_removal_of_their_backend(pool):
    lab, daemon = pool
    # Which backend a port leads to never changes: these lead to both.
    downloads = [lab.c1.spawn(f"download-{port}", *[
        "curl", "-sS", "--fail", "--max-time", "60", "--local-port", port, "--limit-rate", "16m", "-o", "/dev/null",
        "-w", "%header{x-backend} %{size_download}", f"http://{VIP}/file"]) for port in range(45001, 45009)]
    time.sleep(1)
    daemon.run("backend remove db/b2")
    ended = [download.finish(90).split() for download in downloads]
    assert {words[0] for words in ended} == {"b1", "b2"}, ended
    assert {words[1] for words in ended} == {str(servers.FILE_BYTES)}, ended


def stated(daemon):
    """The desired state, its number and the table that it makes. All else that is shown counts flows and slots, which
    time changes without anybody."""
    return daemon.json("export"), daemon.json("status")["generation"]["number"], daemon.json("pool show db")["digests"]["table"]


def test_a_dry_run_changes_nothing(pool):
    lab, daemon = pool
    before = stated(daemon)
    said = daemon.run("--dry-run backend remove db/b2").stdout
    assert said.strip()
    assert stated(daemon) == before
    assert set(answers_of(lab)) == {"b1", "b2"}


def test_a_refused_change_changes_nothing_and_says_what_would_be_right(pool):
    lab, daemon = pool
    before = stated(daemon)
    refused = daemon.run("backend add db/b1 10.0.0.99", status=None)
    assert refused.returncode == 1
    assert "b1" in refused.stderr
    assert stated(daemon) == before


def test_a_disabled_backend_returns_to_exactly_its_slots(pool):
    _, daemon = pool

    def owners():
        return {port: daemon.json(f"why tcp 198.51.100.11:{port} {VIP}:80")["backend"] for port in range(50000, 50060)}

    before = owners()
    daemon.run("backend disable db/b1")
    meanwhile = owners()
    daemon.run("backend activate db/b1")
    assert set(before.values()) == {"db/b1", "db/b2"}
    assert set(meanwhile.values()) == {"db/b2"}
    assert owners() == before


def generation(daemon):
    return daemon.json("status")["generation"]["number"]


@pytest.fixture
def dead(pool):
    """b2 has lost the VIP, so that nobody answers, and is stated down. A weight has changed since."""
    lab, daemon = pool
    before = generation(daemon)
    b2 = lab.hosts["b2"]
    try:
        b2.run("ip", "addr", "del", f"{VIP}/32", "dev", "lo")
        daemon.run("backend health db/b2 down")
        daemon.run("backend set db/b1 --weight 300")
        yield lab, daemon, before
    finally:
        b2.run("ip", "addr", "add", f"{VIP}/32", "dev", "lo")
        daemon.run("backend health db/b2 auto")


def test_a_rollback_sends_nothing_to_the_dead(dead):
    lab, daemon, before = dead
    assert set(answers_of(lab, 90)) == {"b1"}
    daemon.run(f"rollback {before} --force")
    assert daemon.json("backend show db/b1")["weight"] == 100
    assert set(answers_of(lab, 90)) == {"b1"}

# SPDX-License-Identifier: Apache-2.0
"""What a refused change has begun is undone: next hops, neighbours, attachments, facts, the store."""

import itertools

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
    """A way that is lost before the refusal and found after it is used again."""
    wait_until(lambda: next_hop(serving)["resolved"])
    host.run("ip", "route", "add", "unreachable", "10.9.0.11/32")
    wait_until(lambda: not next_hop(serving)["resolved"])
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

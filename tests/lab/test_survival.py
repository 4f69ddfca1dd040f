# SPDX-License-Identifier: Apache-2.0
"""The data plane does not need the daemon: kill it, start it, wipe what is pinned, start it twice."""

import json
import time

import pytest

from harness import HarnessError, servers
from harness.process import run
import counters

VIP, PORT = "203.0.113.10", 5432
SECONDS, RATE = 4, 1000


@pytest.fixture
def running(balanced):
    """The daemon runs, whatever an earlier test did to it."""
    lab, daemon = balanced(ports=((80, "tcp"), (PORT, "udp")))
    if not daemon.process.alive():
        daemon.start()
    return lab, daemon


def attachment(daemon):
    """The ids of what is attached, as the kernel has them."""
    link = json.loads(run("bpftool", "-j", "link", "show", "pinned", daemon.pins / "links" / "eth0").stdout)
    link = link[0] if isinstance(link, list) else link
    return link["id"], link["prog_id"]


def test_killed_under_traffic_not_a_packet_is_lost(running):
    lab, daemon = running
    receivers = [servers.start_datagram_server(backend, VIP, PORT) for backend in lab.backends]
    before, ids = counters.all_drops(lab, daemon.instance), attachment(daemon)
    sender = servers.start_traffic(lab.c1, "send", VIP, PORT, "--seconds", SECONDS, "--rate", RATE)
    time.sleep(SECONDS / 4)
    daemon.kill()
    time.sleep(SECONDS / 4)
    daemon.start()
    sent = sender.result(60)
    received = [receiver.result()["received"] for receiver in receivers]
    assert counters.risen(before, counters.all_drops(lab, daemon.instance)) == {}
    assert sent["sent"] == SECONDS * RATE
    assert sent["errors"] == {}
    assert sum(received) == sent["sent"] == sent["received"]
    assert min(received) > 0
    assert attachment(daemon) == ids


def test_the_counters_that_must_not_rise_can_rise(running):
    """The proof above is worth something only if a loss would show in it."""
    lab, daemon = running
    before = counters.all_drops(lab, daemon.instance)
    servers.start_traffic(lab.c1, "send", VIP, PORT, "--seconds", 0.1, "--rate", 100, "--sources", 10).result(30)
    assert counters.risen(before, counters.all_drops(lab, daemon.instance))


def test_restart_adopts_what_is_pinned(running):
    lab, daemon = running
    ids, pool = attachment(daemon), daemon.json("pool show db")
    daemon.stop()
    assert lab.c1.curl(f"http://{VIP}/")
    daemon.start()
    assert attachment(daemon) == ids
    assert daemon.json("pool show db")["digests"] == pool["digests"]
    assert lab.c1.curl(f"http://{VIP}/")


def test_after_a_reboot_everything_is_built_again(running):
    lab, daemon = running
    pool = daemon.json("pool show db")
    daemon.stop()
    daemon.remove_pins()
    with pytest.raises(HarnessError):
        lab.c1.curl(f"http://{VIP}/", timeout=1)
    daemon.start()
    counted = servers.start_traffic(lab.c1, "connect", VIP, 80, "--count", "200").result(60)
    assert counted["failed"] == 0
    assert set(counted["answers"]) == {backend.name for backend in lab.backends}
    assert daemon.json("pool show db")["digests"] == pool["digests"]


def test_half_a_set_of_pins_is_made_whole(running):
    lab, daemon = running
    daemon.stop()
    (daemon.pins / "maps" / "slots").unlink()
    daemon.start()
    assert lab.c1.curl(f"http://{VIP}/")
    assert (daemon.pins / "maps" / "slots").exists()


def test_a_second_start_is_refused_by_name(running):
    lab, daemon = running
    assert daemon.instance in daemon.refused(status=1)
    assert daemon.json("pool show db")
    assert lab.c1.curl(f"http://{VIP}/")


def test_a_dead_daemon_is_told_of(running):
    _, daemon = running
    daemon.stop()
    assert daemon.run("status", status=None).returncode == 4

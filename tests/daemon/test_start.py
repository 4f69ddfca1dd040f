# SPDX-License-Identifier: Apache-2.0
"""Start, stop, crash and reboot: what was committed rules, and what forwards is left alone."""

import os
import shutil
import signal
import socket
import sqlite3
import subprocess

import pytest

from harness import BUILD
from harness.process import run
from harness.wait import wait_until
from host import attachment


def test_first_start_makes_a_generation_with_a_seed(daemon):
    status = daemon.get("/v1/status")
    assert status["generation"]["number"] == 1
    assert status["generation"]["author"] == "holdfastd"
    assert int(status["seed"], 16)
    assert status["state"] == "ready"
    daemon.stop()
    daemon.start()
    assert daemon.get("/v1/status")["seed"] == status["seed"]


def test_seed_is_given_once(idle):
    idle.start("--seed", "6f1c9a3e5b7d2048")
    assert idle.get("/v1/status")["seed"] == "6f1c9a3e5b7d2048"
    idle.stop()
    assert "has the seed 6f1c9a3e5b7d2048 already" in idle.refused("--seed", "6f1c9a3e5b7d2049")
    idle.start("--seed", "6f1c9a3e5b7d2048")


@pytest.mark.parametrize("options, text", [
    (["--seed", "xyz"], "16 hexadecimal digits"),
    (["--seed", "0000000000000000"], "not all 0"),
    (["--instance", "../x"], "letters, digits"),
    (["--instance", "receiver"], "not `receiver`"),
    (["--max-slots", "0"], "a number from 1"),
    (["--max-flows", "many"], "a number from 1"),
    (["--nonsense"], "--help"),
    (["extra"], "is not an option"),
])
def test_options_are_checked(options, text):
    done = subprocess.run([BUILD / "holdfastd", *options], capture_output=True, text=True, timeout=20)
    assert done.returncode == 2
    assert text in done.stderr


def test_help_and_version():
    assert "--instance NAME" in run(BUILD / "holdfastd", "--help").stdout
    assert run(BUILD / "holdfastd", "--version").stdout.startswith("holdfastd 0.")


def test_second_start_is_refused_by_name(daemon):
    said = daemon.refused()
    assert f"instance {daemon.instance} is already served by process {daemon.process.pid}" in said
    daemon.get("/v1/status")


def test_stop_leaves_forwarding_and_start_adopts(serving):
    before, pool = attachment(serving), serving.get("/v1/pools/db")
    backends = serving.get("/v1/backends")["backends"]
    serving.stop()
    assert not serving.socket.exists()
    assert (serving.pins / "links" / "eth0").exists()
    serving.log.write_text("")
    serving.start()
    assert attachment(serving) == before
    assert serving.get("/v1/pools/db") == pool
    assert [b["number"] for b in serving.get("/v1/backends")["backends"]] == [b["number"] for b in backends]
    assert "adopted" in serving.log.read_text()
    assert "is made what" not in serving.log.read_text()


def test_killed_daemon_is_followed_by_one_that_adopts(serving):
    before, status = attachment(serving), serving.get("/v1/status")
    serving.kill()
    serving.log.write_text("")
    serving.start()
    after = serving.get("/v1/status")
    assert attachment(serving) == before
    assert after["generation"] == status["generation"]
    assert "is made what" not in serving.log.read_text()
    assert serving.operate("backend.add", pool="db", name="db4", address="10.9.0.14")["changed"]


def test_reboot_rebuilds_everything(serving):
    before, pool = attachment(serving), serving.get("/v1/pools/db")
    serving.kill()
    shutil.rmtree(serving.pins)
    serving.start()
    after = attachment(serving)
    assert after["link_id"] != before["link_id"]
    assert serving.get("/v1/pools/db") == pool
    for backend in serving.get("/v1/backends")["backends"]:
        assert backend["next_hop"]["resolved"], backend
    why = serving.get("/v1/why?proto=tcp&src=198.51.100.7:40000&dst=203.0.113.10:5432")
    assert why["verdict"] == "forward", why


def test_half_a_set_of_pins_is_completed(serving):
    serving.kill()
    os.unlink(serving.pins / "prog")
    serving.start()
    why = serving.get("/v1/why?proto=tcp&src=198.51.100.7:40000&dst=203.0.113.10:5432")
    assert why["verdict"] == "forward", why
    assert attachment(serving)


def test_what_someone_else_attached_to_the_instance_is_detached(serving):
    """The store rules: an interface that left the model while no daemon ran is detached at start."""
    serving.operate("interface.detach", name="eth0")
    assert serving.get("/v1/interfaces")["interfaces"] == []
    assert not (serving.pins / "links" / "eth0").exists()


def test_an_uncommitted_change_is_as_if_it_never_was(serving):
    serving.kill()
    with sqlite3.connect(serving.database) as database:
        count = database.execute("SELECT max(number) FROM generations").fetchone()[0]
        database.execute("DELETE FROM generations WHERE number = ?", (count,))
    database.close()
    serving.start()
    assert serving.get("/v1/status")["generation"]["number"] == count - 1
    assert serving.get("/v1/interfaces")["interfaces"] == []
    assert not (serving.pins / "links" / "eth0").exists()


def test_tables_that_are_not_what_was_committed_are_put_right(serving):
    """The data plane is one change ahead of the store, as after a power cut that took the last commit."""
    digest = serving.get("/v1/pools/db")["digests"]["table"]
    before = serving.get("/v1/backends")["backends"]
    serving.operate("backend.add", pool="db", name="db4", address="10.9.0.14")
    serving.kill()
    with sqlite3.connect(serving.database) as database:
        database.execute("DELETE FROM generations WHERE number = (SELECT max(number) FROM generations)")
    database.close()
    serving.start()
    assert serving.get("/v1/pools/db")["digests"]["table"] == digest
    assert [b["slots"] for b in serving.get("/v1/backends")["backends"]] == [b["slots"] for b in before]
    assert "is made what" in serving.log.read_text()


def test_a_commit_that_the_data_plane_did_not_see_is_carried_out(serving):
    """The store is one change ahead, as after a crash between the commit and the maps."""
    serving.operate("backend.set", pool="db", name="db1", weight=300)
    slots = serving.get("/v1/backends/db/db1")["slots"]
    number = serving.get("/v1/status")["generation"]["number"]
    assert serving.request("POST", "/v1/rollback", {"generation": number - 1, "force": True})[0] == 200
    assert serving.get("/v1/backends/db/db1")["slots"] < slots
    serving.kill()
    with sqlite3.connect(serving.database) as database:
        database.execute("INSERT INTO generations SELECT ?, time, author, 'ahead', model FROM generations "
                         "WHERE number = ?", (number + 2, number))
    database.close()
    serving.start()
    assert serving.get("/v1/status")["generation"]["cause"] == "ahead"
    assert serving.get("/v1/backends/db/db1")["slots"] == slots


def test_a_damaged_database_is_refused_by_name(idle):
    idle.start()
    idle.stop()
    idle.database.write_bytes(b"this is no database" * 100)
    assert str(idle.database) in idle.refused()


def test_a_later_schema_is_refused(idle):
    idle.start()
    idle.stop()
    with sqlite3.connect(idle.database) as database:
        database.execute("PRAGMA user_version = 1000")
    database.close()
    assert "later version" in idle.refused()


def test_two_instances_beside_each_other(make_daemon, serving, tmp_path):
    other = make_daemon(serving.instance + "-b", tmp_path / "b").start()
    assert other.get("/v1/status")["generation"]["number"] == 1
    assert serving.get("/v1/status")["generation"]["number"] > 1


def test_the_manager_is_told(idle):
    path = idle.directory / "notify"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(path))
        manager.settimeout(20)
        idle.start(env={**os.environ, "NOTIFY_SOCKET": str(path), "WATCHDOG_USEC": "400000"})
        assert manager.recv(100) == b"READY=1"
        assert manager.recv(100) == b"WATCHDOG=1"
        idle.process.send_signal(signal.SIGTERM)
        wait_until(lambda: manager.recv(100) == b"STOPPING=1")

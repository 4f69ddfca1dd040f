# SPDX-License-Identifier: Apache-2.0
"""The database cannot be kept while the daemon runs: changes are refused, what is in force stays, status says so."""

import errno
import os
import shutil
import signal
import sqlite3
import subprocess
from pathlib import Path

import pytest

from harness.wait import wait_until
from host import serve, serve_many


ON_TMPFS = 'mount -t tmpfs -o size=%s tmpfs "$0" && exec "$@"'
FLOW = "/v1/why?proto=tcp&src=198.51.100.7:40000&dst=203.0.113.10:5432"


def start_on_disk(daemon, size):
    """Its state directory is a small disk, in a mount namespace of its own."""
    daemon.state_dir.mkdir()
    daemon.under = ("unshare", "-m", "sh", "-ec", ON_TMPFS % size, daemon.state_dir,)
    daemon.start()


@pytest.fixture
def small(idle):
    start_on_disk(idle, "2m")
    serve(idle)
    return idle


def state_of(daemon):
    """The state directory as the daemon sees it."""
    return Path(f"/proc/{daemon.process.pid}/root{daemon.directory}/state")


def fill(directory):
    """Leaves no byte of it."""
    with open(directory / "fill", "wb", buffering=0) as filler:
        for size in (65536, 1):
            try:
                while filler.write(b"x" * size):
                    pass
            except OSError as error:
                assert error.errno == errno.ENOSPC, error


def problems(daemon):
    return daemon.get("/v1/status")["problems"]


def checked(daemon):
    """What `holdfast status --check` exits with, and prints."""
    done = daemon.run("status --check", status=None)
    return done.returncode, done.stdout + done.stderr


def refuses(daemon, text):
    """A change is refused with the path and the reason, and what is in force stays."""
    before, pool = daemon.get("/v1/status")["generation"], daemon.get("/v1/pools/db")["digests"]
    attached = daemon.get("/v1/interfaces")
    for arguments in ({"name": "db1", "weight": 300}, {"name": "db2", "weight": 1}):
        status, error = daemon.refuse("backend.set", pool="db", **arguments)
        assert status == 503 and f"{daemon.instance}.db" in str(error) and text in str(error), error
    assert daemon.get("/v1/status")["generation"] == before
    assert daemon.get("/v1/pools/db")["digests"] == pool
    assert daemon.get("/v1/interfaces") == attached
    assert daemon.get(FLOW)["verdict"] == "forward"
    code, said = checked(daemon)
    assert code == 1 and f"{daemon.instance}.db" in said, (code, said)


def numbers(daemon):
    return [generation["number"] for generation in daemon.get("/v1/generations")["generations"]]


def change_weights(daemon, pool, name, count):
    for i in range(count):
        daemon.operate("backend.set", pool=pool, name=name, weight=200 + i % 2)


def test_a_full_disk_costs_old_generations_before_it_costs_a_change(small):
    change_weights(small, "db", "db1", 40)
    assert checked(small)[0] == 0
    fill(state_of(small))
    wait_until(lambda: problems(small))
    code, said = checked(small)
    assert code == 1 and "full" in said, said
    change_weights(small, "db", "db2", 200)
    last = small.get("/v1/status")["generation"]["number"]
    kept = numbers(small)
    print(f"{len(kept)} of {last} generations stay")
    assert kept == list(range(last, last - len(kept), -1)) and 3 <= len(kept) < last
    (state_of(small) / "fill").unlink()
    wait_until(lambda: not problems(small))
    assert checked(small)[0] == 0
    told = wait_until(lambda: (events := small.get("/v1/events?limit=10000")["events"])
                 and any(e["text"] == "the database is written again" for e in events) and events)
    assert any(e["kind"] == "database" and "full: make room" in e["text"] for e in told), "and what to do"
    changes = [int(e["text"].split()[1]) for e in told if e["kind"] == "change"]
    assert changes == list(range(last + 1 - len(changes), last + 1)), "what happened meanwhile is told"
    assert len(changes) >= 200, "of each kind so many stay, however full the disk is"
    status, answer = small.request("POST", "/v1/rollback", {"generation": kept[-1], "force": True})
    assert status == 200, answer


def test_a_change_that_a_full_disk_has_no_room_for_is_refused(small):
    large = small.get("/v1/export")["configuration"]
    large["pools"][0]["backends"] += [{"name": f"x{i}", "address": f"10.77.{i // 250}.{i % 250 + 1}"}
                                      for i in range(3000)]
    fill(state_of(small))
    wait_until(lambda: problems(small))
    before, pool = small.get("/v1/status")["generation"], small.get("/v1/pools/db")["digests"]
    status, answer = small.post("model.apply", {"configuration": large}, force=True)
    assert status == 503 and f"{small.instance}.db" in str(answer) and "full" in str(answer), answer
    assert small.get("/v1/status")["generation"] == before and small.get("/v1/pools/db")["digests"] == pool
    assert small.get(FLOW)["verdict"] == "forward"
    (state_of(small) / "fill").unlink()
    wait_until(lambda: not problems(small))
    small.operate("backend.set", pool="db", name="db1", weight=300)


def test_a_small_disk_is_not_filled_by_old_generations(idle):
    """A hundred kilobytes each, more of them than the disk has room for."""
    start_on_disk(idle, "8m")
    serve_many(idle, 1000, "p")
    change_weights(idle, "p", "b7", 200)
    kept, used = numbers(idle), os.statvfs(state_of(idle))
    print(f"{len(kept)} of 202 generations stay, {used.f_bavail * used.f_frsize >> 10} KiB are free")
    assert kept == list(range(202, 202 - len(kept), -1)) and len(kept) >= 10
    assert used.f_bavail * 10 > used.f_blocks and checked(idle)[0] == 0, "others have room on it"


@pytest.fixture
def on_ext4(idle):
    """A daemon whose state directory is an ext4 file system, which an operator can abort: it is read-only then."""
    image, state = idle.directory / "image", idle.state_dir
    state.mkdir()
    with open(image, "wb") as file:
        file.truncate(16 << 20)
    mount = ["unshare", "-m", "sh", "-ec", 'mount -o loop "$0" "$1" && shift && exec "$@"', image, state]
    for command in (["mkfs.ext4", "-q", image], [*mount, "true"]):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            pytest.skip(f"no ext4 in a file here: {done.stderr.strip()}")
    idle.under = mount
    idle.start()
    serve(idle)
    return idle


def test_a_disk_that_turned_read_only_refuses_changes(on_ext4):
    subprocess.run(["nsenter", "-t", str(on_ext4.process.pid), "-m", "mount", "-o", "remount,abort",
                    on_ext4.state_dir], check=True, timeout=20)
    refuses(on_ext4, "")
    wait_until(lambda: problems(on_ext4))
    refuses(on_ext4, "")


def lose(daemon):
    for path in daemon.database.parent.glob(daemon.database.name + "*"):
        path.unlink()


def test_a_removed_database_refuses_changes_and_is_written_anew_on_request(serving):
    before = serving.get("/v1/generations")
    lose(serving)
    refuses(serving, "removed")
    wait_until(lambda: problems(serving))
    refuses(serving, "removed")
    serving.process.send_signal(signal.SIGHUP)
    wait_until(lambda: not problems(serving))
    assert checked(serving)[0] == 0
    assert serving.get("/v1/generations") == before
    serving.operate("backend.set", pool="db", name="db1", weight=300)
    status = serving.get("/v1/status")
    serving.kill()
    serving.log.write_text("")
    serving.start()
    assert serving.get("/v1/status")["generation"] == status["generation"]
    assert "is made what" not in serving.log.read_text()


def test_a_removed_log_refuses_changes(serving):
    serving.database.with_name(serving.database.name + "-wal").unlink()
    refuses(serving, "removed")
    serving.process.send_signal(signal.SIGHUP)
    wait_until(lambda: not problems(serving))
    serving.operate("backend.set", pool="db", name="db1", weight=300)
    serving.kill()
    serving.start()
    assert serving.get("/v1/backends/db/db1")["weight"] == 300


def test_a_replaced_database_is_never_written_over(serving):
    copy = serving.directory / "copy.db"
    with sqlite3.connect(serving.database) as source, sqlite3.connect(copy) as target:
        source.backup(target)
    source.close()
    target.close()
    lose(serving)
    shutil.copy(copy, serving.database)
    found = os.stat(serving.database).st_ino
    refuses(serving, "replaced")
    serving.process.send_signal(signal.SIGHUP)
    wait_until(lambda: problems(serving))
    refuses(serving, "replaced")
    assert os.stat(serving.database).st_ino == found
    serving.stop()
    serving.start()
    assert checked(serving)[0] == 0
    serving.operate("backend.set", pool="db", name="db1", weight=300)


def test_a_database_that_is_moved_back_is_used_again(serving):
    elsewhere = serving.database.with_name("elsewhere")
    serving.database.rename(elsewhere)
    refuses(serving, "removed")
    elsewhere.rename(serving.database)
    wait_until(lambda: not problems(serving))
    serving.operate("backend.set", pool="db", name="db1", weight=300)
    serving.kill()
    serving.start()
    assert serving.get("/v1/backends/db/db1")["weight"] == 300


def test_a_removed_database_that_nobody_wrote_anew_is_a_lost_one(serving):
    lose(serving)
    wait_until(lambda: problems(serving))
    serving.stop()
    assert "the database is lost" in serving.refused()
    assert (serving.pins / "links" / "eth0").exists()

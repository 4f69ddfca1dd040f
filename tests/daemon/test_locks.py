# SPDX-License-Identifier: Apache-2.0
"""One daemon an instance, wherever its directories are: what two of them could share is locked."""

import fcntl
import os
import shutil
import signal
import subprocess

import pytest

from harness.wait import wait_until
from host import attachment


@pytest.fixture
def other(make_daemon, serving, tmp_path):
    """A second daemon of the same instance, with directories of its own."""
    (tmp_path / "other").mkdir()
    return make_daemon(serving.instance, tmp_path / "other")


def test_pins_have_one_daemon_whatever_its_directories(serving, other):
    before, services = attachment(serving), serving.get("/v1/status")["services"]
    said = other.refused()
    assert f"instance {serving.instance} is already served" in said and str(serving.pins) in said
    assert attachment(serving) == before
    assert len(serving.get("/v1/status")["services"]) == len(services) == 1
    assert not other.database.exists()


def test_a_database_has_one_daemon_whatever_its_runtime_directory(serving, other):
    os.symlink(serving.state_dir, other.state_dir)
    before, number = attachment(serving), serving.get("/v1/status")["generation"]["number"]
    said = other.refused()
    assert f"already served by process {serving.process.pid}" in said and f"{serving.instance}.db" in said
    assert attachment(serving) == before
    assert serving.operate("backend.add", pool="db", name="db4", address="10.9.0.14")["generation"] == number + 1


def test_the_next_daemon_starts_as_soon_as_the_runtime_lock_is_free(serving):
    """As scripts do it: kill, wait by `flock`, start."""
    for _ in range(5):
        os.kill(serving.process.pid, signal.SIGKILL)
        lock = serving.runtime_dir / f"{serving.instance}.lock"
        subprocess.run(["flock", "--timeout", "20", lock, "true"], check=True)
        serving.process.wait(20)
        serving.start()


def test_pins_that_were_removed_are_claimed_again(serving, other):
    """Their directory is another one then, whose lock the first daemon does not have yet."""
    shutil.rmtree(serving.pins)
    wait_until(serving.pins.exists)
    assert "is already served" in other.refused()


def test_a_daemon_whose_pins_another_process_has_taken_changes_nothing(serving):
    """Somebody removed the pins, made the directory anew and locked it before the daemon looked."""
    fresh = serving.pins.with_name(serving.pins.name + "-fresh")
    fresh.mkdir()
    lock = os.open(fresh, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        serving.pins.rename(serving.pins.with_name(serving.pins.name + "-gone"))
        fresh.rename(serving.pins)
        wait_until(lambda: serving.get("/v1/status")["state"] == "degraded")
        assert any("another process" in problem for problem in serving.get("/v1/status")["problems"])
        status, error = serving.refuse("backend.add", pool="db", name="db4", address="10.9.0.14")
        assert status == 409 and "another process" in str(error), error
    finally:
        os.close(lock)
        shutil.rmtree(serving.pins.with_name(serving.pins.name + "-gone"), ignore_errors=True)
    wait_until(lambda: not any("another process" in problem for problem in serving.get("/v1/status")["problems"]))


def test_offline_detach_needs_no_lock(serving):
    serving.run("--offline interface detach --all")
    assert not (serving.pins / "links" / "eth0").exists()

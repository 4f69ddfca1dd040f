# SPDX-License-Identifier: Apache-2.0
"""One daemon an instance, wherever its directories are: what two of them could share is locked."""

import fcntl
import os
import shutil
import signal
import subprocess

import pytest

from daemon import Daemon, until


def attachment(daemon):
    (interface,) = daemon.get("/v1/interfaces")["interfaces"]
    assert interface["state"] == "attached", interface
    return interface


@pytest.fixture
def other(serving, tmp_path):
    """A second daemon of the same instance, with directories of its own."""
    second = Daemon(serving.host, serving.instance, tmp_path / "other")
    second.directory.mkdir()
    try:
        yield second
    finally:
        second.end()


def refusal_of(daemon, *options):
    """As Daemon.refused(), but one that starts is ended."""
    process = subprocess.Popen(daemon.command(*options), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        said = process.stdout.readline()
        assert "ready" not in said, "it started"
        return process.communicate(timeout=30)[1]
    finally:
        process.kill()
        process.wait(20)


def test_pins_have_one_daemon_whatever_its_directories(serving, other):
    before, services = attachment(serving), serving.get("/v1/status")["services"]
    said = refusal_of(other)
    assert f"instance {serving.instance} is already served" in said and str(serving.pins) in said
    assert attachment(serving) == before
    assert len(serving.get("/v1/status")["services"]) == len(services) == 1
    assert not other.database.exists()


def test_a_database_has_one_daemon_whatever_its_runtime_directory(serving, other):
    os.symlink(serving.directory / "state", other.directory / "state")
    before, number = attachment(serving), serving.get("/v1/status")["generation"]["number"]
    said = refusal_of(other)
    assert f"already served by process {serving.process.pid}" in said and f"{serving.instance}.db" in said
    assert attachment(serving) == before
    assert serving.operate("backend.add", pool="db", name="db4", address="10.9.0.14")["generation"] == number + 1


def test_the_next_daemon_starts_as_soon_as_the_runtime_lock_is_free(serving):
    """As scripts do it: kill, wait by `flock`, start."""
    for _ in range(5):
        os.kill(serving.process.pid, signal.SIGKILL)
        lock = serving.directory / "run" / f"{serving.instance}.lock"
        subprocess.run(["flock", "--timeout", "20", lock, "true"], check=True)
        serving.process.wait(20)
        serving.start()


def test_pins_that_were_removed_are_claimed_again(serving, other):
    """Their directory is another one then, whose lock the first daemon does not have yet."""
    shutil.rmtree(serving.pins)
    until(serving.pins.exists)
    assert "is already served" in refusal_of(other)


def test_a_daemon_whose_pins_another_process_has_taken_changes_nothing(serving):
    """Somebody removed the pins, made the directory anew and locked it before the daemon looked."""
    fresh = serving.pins.with_name(serving.pins.name + "-fresh")
    fresh.mkdir()
    lock = os.open(fresh, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        serving.pins.rename(serving.pins.with_name(serving.pins.name + "-gone"))
        fresh.rename(serving.pins)
        until(lambda: serving.get("/v1/status")["state"] == "degraded")
        assert any("another process" in problem for problem in serving.get("/v1/status")["problems"])
        status, error = serving.refuse("backend.add", pool="db", name="db4", address="10.9.0.14")
        assert status == 409 and "another process" in str(error), error
    finally:
        os.close(lock)
        shutil.rmtree(serving.pins.with_name(serving.pins.name + "-gone"), ignore_errors=True)
    until(lambda: not any("another process" in problem for problem in serving.get("/v1/status")["problems"]))


def test_offline_detach_needs_no_lock(serving):
    holdfast = serving.program[0].parent / "holdfast"
    subprocess.run(serving.host.inside(holdfast, "--offline", "--instance", serving.instance, "--state-dir",
                                       serving.directory / "state", "interface", "detach", "--all"),
                   check=True, capture_output=True, timeout=60)
    assert not (serving.pins / "links" / "eth0").exists()

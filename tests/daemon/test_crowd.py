# SPDX-License-Identifier: Apache-2.0
"""Whoever holds many connections keeps nobody else from the API, and root least of all; nor does a shortage of file
descriptors."""

import json
import os
import resource
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest

from harness.wait import wait_until


CROWD = Path(__file__).resolve().parent / "crowd.py"
GROUP = 61000
READER = 65534  # nobody, who has a name
HALF = "GET /v1/status HTTP/1.1\r\nHost:"
WHOLE = "GET /v1/version HTTP/1.1\r\nHost: x\r\n\r\n"
SECONDS = 60


def start_as(daemon, user, *words, **streams):
    """Starts what a user of the group runs. "{socket}" among the words leads to the socket from a descriptor of its
    directory: the directories above are closed to that user."""
    os.chmod(daemon.socket.parent, 0o755)
    os.chown(daemon.socket, -1, GROUP)
    directory = os.open(daemon.socket.parent, os.O_PATH | os.O_DIRECTORY)
    try:
        path = f"/proc/self/fd/{directory}/{daemon.socket.name}"
        return subprocess.Popen(["setpriv", f"--reuid={user}", f"--regid={user}", f"--groups={GROUP}",
                                 *(path if word == "{socket}" else word for word in words)],
                                pass_fds=[directory], stdout=subprocess.PIPE, text=True, **streams)
    finally:
        os.close(directory)


@pytest.fixture
def crowds(idle):
    """Makes crowds of connections, each of a user of the group that may read."""
    crowds = []

    def crowd(count, text=HALF, user=READER):
        crowds.append(start_as(idle, user, sys.executable, "-B", "-c", CROWD.read_text(), "{socket}", str(count), text,
                               stdin=subprocess.PIPE))
        return crowds[-1]

    yield crowd
    for process in crowds:
        if process.poll() is None:
            process.kill()
            process.wait()


def ask_as(daemon, user):
    """Status and answer of a request of another user of the group."""
    asking = start_as(daemon, user, "curl", "-sS", "-w", "\n%{http_code}", "--max-time", str(SECONDS), "--unix-socket",
                      "{socket}", "http://h/v1/version", stderr=subprocess.PIPE)
    said, complaint = asking.communicate(timeout=2 * SECONDS)
    assert asking.returncode == 0, complaint
    body, _, code = said.rpartition("\n")
    return int(code), json.loads(body)


def line_of(process):
    ready, _, _ = select.select([process.stdout], [], [], SECONDS)
    assert ready, "the crowd says nothing"
    return process.stdout.readline()


def is_held(crowd):
    assert line_of(crowd) == "held\n"


def is_told(crowd):
    """How many were told what, when all were."""
    return json.loads(line_of(crowd))


def let_go(crowd):
    """How many were told what until now."""
    crowd.stdin.write("enough\n")
    crowd.stdin.flush()
    return is_told(crowd)


def lines_of(daemon, text):
    return [line for line in daemon.log.read_text().splitlines() if text in line]


def limit(daemon, descriptors):
    resource.prlimit(daemon.process.pid, resource.RLIMIT_NOFILE, (descriptors, 20000))


def descriptors_of(daemon):
    return [int(name) for name in os.listdir(f"/proc/{daemon.process.pid}/fd")]


def test_1024_clients_of_one_reader_that_time_out_together(daemon, crowds):
    crowd = crowds(1024)
    is_held(crowd)
    while not select.select([crowd.stdout], [], [], 0.2)[0]:
        daemon.get("/v1/status")
    told = is_told(crowd)
    assert set(told) == {"408", "429"} and sum(told.values()) == 1024 and told["408"] >= 128, told
    for _ in range(20):
        daemon.get("/v1/status")
    wait_until(lambda: ask_as(daemon, READER)[0] == 200)
    assert len(lines_of(daemon, "has 128 connections to the API already, as many as one user may have")) == 1


def test_as_many_of_root_as_there_are_that_time_out_together(daemon):
    held = [daemon.connect() for _ in range(512)]
    for connection in held:
        connection.sendall(HALF.encode())
    for connection in held:
        assert b" 408 " in connection.recv(4096)
    daemon.get("/v1/status")


def test_one_too_many_of_a_user_is_told_so(daemon, crowds):
    crowd = crowds(128, WHOLE)
    is_held(crowd)
    status, answer = ask_as(daemon, READER)
    assert status == 429 and answer["error"]["kind"] == "too-many"
    assert answer["error"]["what"] == "nobody has 128 connections to the API already, as many as one user may have"
    assert "ss -xp" in answer["error"]["right"]
    # Another user has room, and so has this one when one of them is gone.
    assert ask_as(daemon, 61001)[0] == 200
    let_go(crowd)
    crowd.wait(SECONDS)
    wait_until(lambda: ask_as(daemon, READER)[0] == 200)


def test_all_others_leave_root_its_places(daemon, crowds):
    """Four users take all that is not root's; a fifth is refused, root is not."""
    held = [crowds(120, WHOLE, 61001 + i) for i in range(4)]
    for crowd in held:
        is_held(crowd)
    status, answer = ask_as(daemon, READER)
    assert status == 503 and answer["error"]["what"] == "all 480 connections to the API that are not kept for root are taken"
    roots = [daemon.connect() for _ in range(31)]
    daemon.get("/v1/status")
    for connection in roots:
        connection.close()
    assert [let_go(crowd) for crowd in held] == [{"200": 120}] * 4


def test_the_soft_limit_of_descriptors_is_raised(idle):
    idle.under = ("prlimit", "--nofile=64:4000",)
    idle.start()
    assert resource.prlimit(idle.process.pid, resource.RLIMIT_NOFILE) == (4000, 4000)


def test_few_descriptors_make_few_places(idle, crowds):
    idle.under = ("prlimit", "--nofile=256:256",)
    idle.start()
    crowd = crowds(300)
    is_held(crowd)
    idle.get("/v1/status")
    assert let_go(crowd)["429"] >= 300 - 32 - 16  # of those that wait for their refusal
    assert not lines_of(idle, "descriptor")


def test_without_a_descriptor_root_is_answered_and_the_log_says_why(daemon, crowds):
    limit(daemon, max(descriptors_of(daemon)) + 1 + 8)
    crowd = crowds(100)
    is_held(crowd)
    for _ in range(5):
        daemon.get("/v1/status")
    assert daemon.operate("pool.add", name="db", table_size=251)["changed"]
    assert let_go(crowd)["503"] >= 100 - 32
    assert len(lines_of(daemon, "no file descriptor is free")) == 1
    limit(daemon, 4000)
    wait_until(lambda: ask_as(daemon, READER)[0] == 200)
    wait_until(lambda: lines_of(daemon, "file descriptors are free again"), 60)
    assert len(lines_of(daemon, "no file descriptor is free")) == 1


def test_without_a_descriptor_what_is_attached_stays_attached(serving):
    """Interfaces and pins are looked at each second, and that takes descriptors."""
    before = serving.host.program_on("eth0")
    limit(serving, max(descriptors_of(serving)) + 1 + 6)
    held = [serving.connect() for _ in range(60)]
    wait_until(lambda: lines_of(serving, "no file descriptor is free"))
    time.sleep(3)
    assert serving.process.poll() is None and serving.host.program_on("eth0") == before
    for connection in held:
        connection.close()
    limit(serving, 4000)
    wait_until(lambda: not serving.get("/v1/status")["problems"])
    assert serving.host.program_on("eth0") == before

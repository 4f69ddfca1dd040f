# SPDX-License-Identifier: Apache-2.0
"""Daemons that refuse, are not there, or are no daemons."""

import contextlib
import os
import socket
import threading
import time

import pytest

from fake_daemon import FakeDaemon, changed

ERROR = {"error": {"what": "weight 7 is out of range", "where": "pool db, backend db1", "right": "a weight"}}


@pytest.mark.parametrize("http", [400, 403, 404, 409, 413, 503])
def test_refusals_are_the_daemons_words(cli, daemon, http):
    daemon.replies["/v1/operations"] = (http, ERROR)
    assert cli.error("backend set db/db1 --weight 7", status=1) == (
        "pool db, backend db1: weight 7 is out of range: a weight")


def test_refusal_without_words(cli, daemon):
    daemon.replies["/v1/status"] = (500, b"<html>")
    assert "HTTP status 500" in cli.error("status", status=1)


@pytest.mark.parametrize("body", [b"", b"hello", b'{"host": '])
def test_what_speaks_no_json_is_no_daemon(cli, daemon, body):
    daemon.replies["/v1/status"] = (200, body)
    assert "default.sock: what answers there is not holdfastd" in cli.error("status", status=4)


def test_no_socket(cli):
    complaint = cli.error("pool list", status=4)
    assert f"{cli.runtime_dir}/default.sock" in complaint and "start holdfastd" in complaint
    assert "--offline" not in complaint
    assert "--offline" in cli.error("status", status=4)  # which can do without a daemon


def test_other_instances_are_named(cli, tmp_path):
    fake = FakeDaemon(tmp_path, "bench")
    try:
        assert "--instance (bench)" in cli.error("pool list", status=4)
        assert cli.out("pool list --instance bench")
    finally:
        fake.close()


def test_dead_socket(cli, tmp_path):
    dead = socket.socket(socket.AF_UNIX)
    dead.bind(str(tmp_path / "default.sock"))
    dead.close()
    assert "Connection refused" in cli.error("pool list", status=4)


@pytest.mark.skipif(os.getuid() != 0, reason="needs root, to be somebody else")
def test_socket_of_another(cli, daemon, tmp_path):
    os.chmod(daemon.path, 0o600)
    for directory in (tmp_path, *tmp_path.parents[:3]):
        if directory != type(directory)("/tmp"):
            os.chmod(directory, 0o755)
    done = cli.run("pool list", status=4, user=65534, group=65534, extra_groups=[])
    assert "be root, or in the group holdfast" in done.stderr


def test_socket_path_too_long(cli):
    complaint = cli.error("status --runtime-dir /tmp/" + "x" * 200)
    assert "too long" in complaint and "--runtime-dir" in complaint


@pytest.mark.parametrize("says", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{", b"nonsense\r\n\r\n"])
def test_half_answers(cli, tmp_path, says):
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(tmp_path / "default.sock"))
    server.listen()

    def answer():
        connection, _ = server.accept()
        connection.recv(4096)
        connection.sendall(says)
        connection.close()

    thread = threading.Thread(target=answer, daemon=True)
    thread.start()
    assert "cannot be reached" in cli.error("status", status=4)
    thread.join(5)
    server.close()


@pytest.fixture
def hanging(tmp_path):
    """A daemon that hangs: connections wait in its queue."""
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "default.sock"))
        server.listen(64)
        yield server


@pytest.mark.parametrize("line,right", [
    ("status", "restart it (systemctl restart holdfastd), which leaves connections alone, or add --offline"),
    ("pool list", "restart it (systemctl restart holdfastd), which leaves connections alone"),
    ("pool add db --dry-run", "restart it (systemctl restart holdfastd), which leaves connections alone"),
    ("pool add db", "it may still carry out the change: `holdfast status` shows what is in force once it answers; restart it "
                    "(systemctl restart holdfastd) if it does not")])
def test_a_daemon_that_hangs_is_given_up(cli, hanging, line, right):
    assert cli.error(f"{line} --patience 1s", status=4) == (
        f"{cli.runtime_dir}/default.sock: the daemon of instance default does not answer: it was silent for 1s: {right}")


def test_a_daemon_whose_queue_is_full_is_given_up(cli, tmp_path):
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(socket.socket(socket.AF_UNIX))
        server.bind(str(tmp_path / "default.sock"))
        server.listen(1)
        with pytest.raises(BlockingIOError):
            for _ in range(10):
                waiting = stack.enter_context(socket.socket(socket.AF_UNIX))
                waiting.setblocking(False)
                waiting.connect(str(tmp_path / "default.sock"))
        assert "does not answer: its queue of connections is full: restart it" in cli.error("status", status=4)


def test_a_long_change_is_waited_for_while_the_daemon_answers_others(cli, daemon):
    def take_long():
        time.sleep(5)
        return changed()

    daemon.replies["/v1/operations"] = (200, take_long)
    assert "generation 42" in cli.out("pool add db --patience 1s")
    assert [path for _, path, _ in daemon.requests].count("/v1/version") > 1


def test_a_daemon_that_hangs_in_a_change_is_given_up(cli, daemon):
    ends = threading.Event()
    for path in ("/v1/operations", "/v1/version"):
        daemon.replies[path] = (200, lambda: ends.wait(60))
    try:
        assert "it was silent for 2s: it may still carry out the change" in cli.error("pool add db --patience 2s", status=4)
    finally:
        ends.set()


def test_a_change_whose_answer_is_lost_may_be_in_force(cli, tmp_path):
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(tmp_path / "default.sock"))
    server.listen()

    def end():
        connection, _ = server.accept()
        connection.recv(65536)
        connection.close()

    thread = threading.Thread(target=end, daemon=True)
    thread.start()
    assert cli.error("pool add db", status=4).endswith("the change may be in force: `holdfast status` shows what is")
    thread.join(5)
    server.close()

# SPDX-License-Identifier: Apache-2.0
"""Daemons that refuse, are not there, or are no daemons."""

import os
import socket
import threading

import pytest
from fake_daemon import FakeDaemon

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
    assert "default.sock: what answers there is no holdfastd" in cli.error("status", status=4)


def test_no_socket(cli):
    complaint = cli.error("pool list", status=4)
    assert f"{cli.directory}/default.sock" in complaint and "start holdfastd" in complaint
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

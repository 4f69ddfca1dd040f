# SPDX-License-Identifier: Apache-2.0
"""Clients that are slow, half, huge, malformed or not allowed get a clear status and hold up nobody."""

import contextlib
import json
import os
import signal
import subprocess
import time

import pytest


HEAD = b"POST /v1/operations HTTP/1.1\r\nHost: x\r\n"


def read_all(connection):
    """What came before the end; a server that leaves some of the request unread ends it with a reset."""
    data = b""
    try:
        while piece := connection.recv(65536):
            data += piece
    except ConnectionResetError:
        pass
    return data


def status_of(data):
    assert data.startswith(b"HTTP/1.1 "), data[:100]
    return int(data.split(b" ")[1])


@pytest.mark.parametrize("sent", [b"", b"GET", b"GET /v1/status HTTP/1.1\r\nHost:", HEAD + b"Content-Length: 50\r\n\r\n{\"oper"])
def test_half_a_request_that_ends_is_400(daemon, sent):
    connection = daemon.connect()
    connection.sendall(sent)
    connection.shutdown(1)
    assert status_of(read_all(connection)) == 400


@contextlib.contextmanager
def stopped(daemon):
    """What is sent meanwhile reaches the daemon as one event."""
    daemon.process.send_signal(signal.SIGSTOP)
    try:
        os.waitid(os.P_PID, daemon.process.pid, os.WSTOPPED)
        yield
    finally:
        daemon.process.send_signal(signal.SIGCONT)


HALVES = [b"GET", b"GET /v1/status HTTP/1.1\r\nHost:", HEAD + b"Content-Length: 50\r\n\r\n{\"oper"]


@pytest.mark.parametrize("sent", HALVES)
def test_half_a_request_and_its_end_that_arrive_together_are_400(daemon, sent):
    """The server has found the connection empty before, and learns of both at once."""
    for _ in range(3):
        connections = [daemon.connect() for _ in range(8)]
        daemon.get("/v1/version")
        with stopped(daemon):
            for connection in connections:
                connection.sendall(sent)
                connection.shutdown(1)
        assert [status_of(read_all(connection)) for connection in connections] == [400] * 8


@pytest.mark.parametrize("sent", [b"", b"GET /v1/sta", HEAD + b"Content-Length: 50\r\n\r\n{"])
def test_half_a_request_that_stays_is_408(daemon, sent):
    connection = daemon.connect()
    connection.sendall(sent)
    assert status_of(read_all(connection)) == 408
    daemon.get("/v1/status")


def test_drip_by_drip_is_408_too(daemon):
    connection = daemon.connect()
    connection.sendall(HEAD)
    answer = b""
    end = time.monotonic() + 40
    connection.settimeout(0.5)
    while not answer:
        assert time.monotonic() < end
        try:
            connection.send(b"X-A: b\r\n")
            answer = connection.recv(1000)
        except TimeoutError:
            pass
        except BrokenPipeError:
            answer = connection.recv(1000)
    assert status_of(answer) == 408


def test_64_slow_clients_hold_up_nobody(daemon):
    slow = [daemon.connect() for _ in range(64)]
    for i, connection in enumerate(slow):
        connection.sendall((HEAD + b"Content-Length: 1000\r\n\r\n{")[:20 + i])
    for i in range(20):
        assert daemon.operate("pool.add", name=f"p{i}", table_size=251)["changed"]
        daemon.get("/v1/status")
    # Every one of them is still connected: none was cut off to make room.
    for connection in slow:
        connection.setblocking(False)
        with pytest.raises(BlockingIOError):
            connection.recv(1)
        connection.close()


@pytest.mark.parametrize("size", [(16 << 20) + 1, 1 << 40])
def test_a_huge_body_is_413_at_once(daemon, size):
    connection = daemon.connect()
    connection.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % size)
    assert status_of(connection.recv(4096)) == 413


def test_a_huge_body_without_length_is_413(daemon):
    connection = daemon.connect()
    connection.sendall(HEAD + b"Transfer-Encoding: chunked\r\n\r\n")
    piece = b"100000\r\n" + b" " * 0x100000 + b"\r\n"
    for _ in range(17):
        connection.sendall(piece)
    connection.sendall(b"0\r\n\r\n")
    assert status_of(connection.recv(4096)) == 413
    daemon.get("/v1/status")


def test_a_body_of_the_largest_size_is_read(daemon):
    body = json.dumps({"operation": "pool.add", "arguments": {"name": "db"}})
    status, answer = daemon.request("POST", "/v1/operations", body + " " * ((16 << 20) - len(body)))
    assert status == 200, answer


def test_too_many_bodies_at_once_are_refused_not_held(daemon):
    """Memory for bodies is bounded: some get room, the others a 503, and it is given back."""
    slow = []
    for _ in range(6):
        connection = daemon.connect()
        connection.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % (16 << 20))
        connection.sendall(b" " * ((16 << 20) - 1))
        slow.append(connection)
    statuses = []
    for connection in slow:
        connection.sendall(b" ")
        statuses.append(status_of(connection.recv(4096)))
    assert 503 in statuses and 400 in statuses, statuses
    assert daemon.operate("pool.add", name="db")["changed"]


@pytest.mark.parametrize("sent", [
    b"nonsense\r\n\r\n", b"GET\r\n\r\n", b"\0\1\2\3\r\n\r\n", b"GET /v1/status HTTP/9.9\r\n\r\n",
    b"GET /" + b"x" * 100000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET /v1/status HTTP/1.1\r\nHost: x\r\nX: " + b"y" * 100000 + b"\r\n\r\n",
    HEAD + b"Content-Length: many\r\n\r\n", HEAD + b"Content-Length: -1\r\n\r\n",
], ids=["word", "method", "binary", "version", "long-path", "long-header", "length-word", "length-negative"])
def test_malformed_http_gets_a_status(daemon, sent):
    connection = daemon.connect()
    try:
        connection.sendall(sent)
        connection.shutdown(1)
    except BrokenPipeError:
        pass
    assert 400 <= status_of(read_all(connection)) < 600
    daemon.get("/v1/status")


@pytest.mark.parametrize("method, path, status", [
    ("GET", "/", 404), ("GET", "/v1", 404), ("GET", "/v2/status", 404), ("GET", "/v1/status/", 404),
    ("GET", "/v1/pools/none", 404), ("GET", "/v1/backends/none/x", 404), ("GET", "/v1/backends/a/b/c", 404),
    ("GET", "/v1/services/tcp/nonsense", 404), ("GET", "/v1/services/tcp/[2001:db8::1]:80", 404),
    ("GET", "/v1/generations/0", 404), ("GET", "/v1/generations/99", 404), ("GET", "/v1/generations/x", 404),
    ("GET", "/v1/why", 400), ("GET", "/v1/why?proto=tcp&src=1&dst=2", 400),
    ("GET", "/v1/why?proto=tcp&src=1.1.1.1:1&dst=[2001:db8::1]:1", 400),
    ("POST", "/v1/status", 405), ("DELETE", "/v1/pools/x", 405), ("GET", "/v1/" + "a/" * 300, 404),
    ("GET", "/v1/pools/%00", 404),
], ids=lambda value: str(value)[:40])
def test_unknown_paths(daemon, method, path, status):
    given, answer = daemon.request(method, path)
    assert given == status, answer
    assert answer["error"]["what"]


def test_one_connection_serves_many_requests(daemon):
    connection = daemon.connect()
    for _ in range(50):
        connection.sendall(b"GET /v1/version HTTP/1.1\r\nHost: x\r\n\r\n")
        assert status_of(connection.recv(4096)) == 200


def curl_as(daemon, user, *options):
    done = subprocess.run(["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "curl", "-s", "-w",
                           "\n%{http_code}", "--unix-socket", daemon.socket, *options], capture_output=True, text=True)
    body, _, code = done.stdout.rpartition("\n")
    return done.returncode, int(code or 0), body


def test_who_may_look_and_who_may_change(daemon):
    mode = daemon.socket.stat().st_mode & 0o777
    assert mode == 0o660
    refused, _, _ = curl_as(daemon, 65534, "http://h/v1/status")
    assert refused == 7
    # What the group may, another user may whom the socket's mode lets in.
    for path in (daemon.directory, *daemon.directory.parents[:-2]):
        os.chmod(path, os.stat(path).st_mode | 0o055)
    os.chmod(daemon.socket, 0o666)
    assert curl_as(daemon, 65534, "http://h/v1/status")[1] == 200
    _, status, body = curl_as(daemon, 65534, "-d", '{"operation": "pool.add", "arguments": {"name": "x"}}',
                              "http://h/v1/operations")
    assert status == 403 and "may read, but not change anything" in body
    assert daemon.get("/v1/status")["generation"]["number"] == 1

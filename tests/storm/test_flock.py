# SPDX-License-Identifier: Apache-2.0
"""The flock looks: on loopback alone, every way to break a flow is made, and must be seen and told by its name."""

import os
import socket
import threading

import pytest

from harness.flock import Client, FlockError, Server


# Every run has loopback addresses of its own, so that two may run at once.
NET = f"127.{os.getpid() // 250 % 250 + 1}.{os.getpid() % 250 + 1}"


def at(host, port=7000):
    return f"{NET}.{host}:{port}"


@pytest.fixture
def flock():
    """start(class, ...) starts a program of the flock that ends with the test."""
    started = []

    def start(kind, *arguments):
        started.append(kind(*arguments, "--seconds", "60"))
        return started[-1]

    yield start
    for process in started:
        process.kill()


def servers(flock, *hosts):
    return [flock(Server, f"b{host}", [at(host)]) for host in hosts]


def test_every_message_is_answered_by_the_server_that_was_asked_first(flock):
    one, two = servers(flock, 1, 2)
    client = flock(Client, [at(1), at(2)], "--interval", "0.1", "--from", f"{NET}.101", "--from", f"{NET}.102")
    client.open("tcp", 200)
    client.open("idle", 20)
    client.open("udp", 40)
    before = client.report()
    after = client.wait_for(lambda r: r["tcp"]["answers"] - before["tcp"]["answers"] > 1000
                            and r["udp"]["answers"] - before["udp"]["answers"] > 200, 20, "answers")
    assert client.events == []
    for kind, count in (("tcp", 100), ("idle", 10), ("udp", 20)):
        assert {name: after[kind]["servers"][name]["live"] for name in ("b1", "b2")} == {"b1": count, "b2": count}
    assert one.live() == two.live() == 110
    assert one.statistics()["ports"][0]["out_of_sequence"] == 0
    # The idle ones have said one thing each, and say another when told to.
    assert after["idle"]["answers"] == 20
    client.ask("check")
    client.wait_for(lambda r: r["idle"]["answers"] == 40, 10, "idle flows answered")


def test_flows_end_as_they_are_told(flock):
    one, two = servers(flock, 1, 2)
    client = flock(Client, [at(1), at(2)])
    client.open("tcp", 100)
    client.close("tcp", 30, "b1")
    left = client.wait_for(lambda r: r["tcp"]["live"] == 70, 10, "30 ended")
    assert left["tcp"]["servers"]["b1"]["live"] == 20
    assert client.events == []
    assert one.live() == 20 and two.live() == 50
    assert one.statistics()["ports"][0]["finished"] == 30


def test_churn_keeps_the_number_and_changes_the_flows(flock):
    servers(flock, 1)
    client = flock(Client, [at(1)])
    client.open("tcp", 100)
    client.ask("churn 100")
    after = client.wait_for(lambda r: r["tcp"]["opened"] >= 250, 20, "churn")
    assert 90 <= after["tcp"]["live"] + after["tcp"]["opening"] <= 110
    assert client.events == []


def test_a_killed_server_breaks_its_own_flows_and_no_others(flock):
    one, _ = servers(flock, 1, 2)
    client = flock(Client, [at(1), at(2)], "--interval", "0.1")
    client.open("tcp", 100)
    client.open("idle", 10)
    one.kill()
    client.wait_for(lambda r: r["tcp"]["live"] == 50 and r["idle"]["live"] == 5, 20, "half of them broke")
    assert len(client.events) == 55
    assert {e["server"] for e in client.events} == {"b1"}
    assert {e["to"] for e in client.events} == {at(1)}
    assert {e["what"] for e in client.events} <= {"reset", "eof"}
    assert client.latest["tcp"]["servers"]["b2"]["live"] == 50


def test_a_connection_that_never_begins_is_no_broken_one(flock):
    servers(flock, 1)
    client = flock(Client, [at(2)])
    client.ask("open tcp 5")
    client.wait_for(lambda r: not r["tcp"]["opening"], 10, "refused")
    assert client.mishaps("tcp", "unopened") == len(client.events) == 5
    assert client.latest["tcp"]["opened"] == 0


def test_a_udp_flow_that_another_server_answers_has_moved(flock):
    one, = servers(flock, 1)
    client = flock(Client, [at(1)], "--interval", "0.1")
    client.open("udp", 30)
    one.kill()
    two = flock(Server, "b2", [at(1)])
    after = client.wait_for(lambda r: client.mishaps("udp", "moved") == 30, 20, "moved")
    assert {(e["server"], e["other"]) for e in client.events} == {("b1", "b2")}
    assert after["udp"]["servers"]["b2"]["live"] == after["udp"]["live"] == 30
    assert two.statistics()["ports"][0]["datagrams"] >= 30


@pytest.mark.parametrize("kind", ["tcp", "udp"])
def test_a_wrong_number_is_noticed(flock, kind):
    flock(Server, "b1", [at(1)], "--lie", "3")
    client = flock(Client, [at(1)], "--interval", "0.1")
    client.open(kind, 10)
    client.wait_for(lambda r: r[kind]["live"] == 0, 20, "every flow met the lie")
    assert client.mishaps(kind, "wrong-answer") == len(client.events) == 10
    assert {e["number"] for e in client.events} == {3}


class Impostor(threading.Thread):
    """Accepts one connection and answers its messages by the names given, one after the other; then never again."""

    def __init__(self, endpoint, *names):
        super().__init__()
        host, port = endpoint.split(":")
        self.listener = socket.create_server((host, int(port)))
        self.names, self.over = names, threading.Event()

    def run(self):
        self.listener.settimeout(10)
        connection, _ = self.listener.accept()
        with connection:
            for number, name in enumerate(self.names, 1):
                connection.recv(64)
                connection.sendall(f"{number} {name}\n".encode())
            self.over.wait(20)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.join(20)
        self.listener.close()


def test_a_connection_that_another_server_answers_is_broken(flock):
    with Impostor(at(1), "b1", "b1", "b2"):
        client = flock(Client, [at(1)], "--interval", "0.1")
        client.open("tcp", 1)
        client.wait_for(lambda r: r["tcp"]["live"] == 0, 10, "the other name was noticed")
    assert [(e["what"], e["server"], e["other"]) for e in client.events] == [("wrong-answer", "b1", "b2")]


def test_silence_is_stalled_first_and_broken_at_the_limit(flock):
    with Impostor(at(1), "b1"):
        client = flock(Client, [at(1)], "--interval", "0.1", "--stall", "0.5", "--limit", "3")
        client.open("tcp", 1)
        client.wait_for(lambda r: r["tcp"]["stalled"] == 1, 10, "stalled")
        assert client.events == [] and client.latest["tcp"]["live"] == 1
        client.wait_for(lambda r: r["tcp"]["live"] == 0, 10, "given up")
    assert [(e["what"], e["server"]) for e in client.events] == [("timeout", "b1")]


def test_a_server_that_is_asked_out_of_sequence_says_so(flock):
    one, = servers(flock, 1)
    with socket.create_connection(at(1).split(":"), timeout=10) as connection:
        connection.sendall(b"1\n")
        assert connection.recv(64) == b"1 b1\n"
        connection.sendall(b"3\n")
        assert connection.recv(64) == b""
    assert one.statistics()["ports"][0]["out_of_sequence"] == 1


def test_ten_thousand_connections_and_their_memory(flock):
    one, two = servers(flock, 1, 2)
    client = flock(Client, [at(1), at(2)], "--rate", "10000", "--from", f"{NET}.101", "--from", f"{NET}.102")
    client.open("tcp", 10000, 60)
    client.wait_for(lambda r: r["tcp"]["answers"] >= 20000, 60, "two answers each")
    assert client.events == []
    assert one.live() + two.live() == 10000
    for process, kilobytes in ((client, 32000), (one, 16000), (two, 16000)):
        status = open(f"/proc/{process.process.pid}/status").read()
        assert int(status.split("VmRSS:")[1].split()[0]) < kilobytes


def test_unknown_commands_are_refused(flock):
    client = flock(Client, [at(1)])
    for command in ("frobnicate", "open", "open sctp 3"):
        with pytest.raises(FlockError):
            client.ask(command)

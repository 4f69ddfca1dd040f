# SPDX-License-Identifier: Apache-2.0
"""A backend is its name and its address: connections stay when another address takes the name, when a file does it,
when a rollback does it, and when a backend of two pools leaves one of them."""

import itertools
import json
import subprocess

import pytest

from harness import PYTHON, servers
from harness.lab import SEED
from harness.wait import wait_until

VIP = "203.0.113.10"
WEB = 5432  # of the ports that the lab's servers listen on
CONNECTIONS = 120
FILE = """\
version: 1
seed: "{seed}"
move_limit: 100
interfaces:
  - name: eth0
pools:
  - name: db
    encap: {encap}
    backends:
      - {{name: b1, address: {address}}}
      - {{name: b2, address: {b2}}}
      - {{name: b3, address: {b3}}}
services:
  - {{listen: "tcp {vip}:80", pool: db}}
"""
# Connections that are asked something at once, and again whenever a line comes; each answers with its backend's name.
CLIENT = """
import socket, sys
asked = b"GET / HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n"
def answer(s):
    text = b""
    try:
        s.sendall(asked)
        while not text.endswith(b"\\n") or b"\\r\\n\\r\\n" not in text:
            more = s.recv(4096)
            if not more:
                return "closed"
            text += more
    except OSError as error:
        return error.__class__.__name__
    return text.split(b"\\r\\n\\r\\n")[1].decode().strip()
socks = [socket.create_connection((sys.argv[1], int(sys.argv[2])), 10) for _ in range(int(sys.argv[3]))]
for s in socks:
    s.settimeout(5)
while True:
    print(",".join(map(answer, socks)), flush=True)
    if not sys.stdin.readline():
        break
"""
number = itertools.count(1)


class Connections:
    """Open connections of a client, which ends with them."""

    def __init__(self, host, port=80):
        self.process = subprocess.Popen(host.inside(PYTHON, "-c", CLIENT, VIP, port, CONNECTIONS),
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.first = self.read()

    def read(self):
        return self.process.stdout.readline().strip().split(",")

    def ask(self):
        self.process.stdin.write("again\n")
        self.process.stdin.flush()
        return self.read()

    def cut(self):
        """Those that are over, or answered by somebody else now."""
        return [(was, now) for was, now in zip(self.first, self.ask(), strict=True) if was != now]

    def __enter__(self):
        assert len(self.first) == CONNECTIONS and "closed" not in self.first
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()


@pytest.fixture(scope="module", params=("ipip", "gue"))
def encap(request):
    return request.param


@pytest.fixture
def three(lab, encap):
    """A balancer of its own, and three of four backends in its pool."""
    for backend in lab.backends:
        backend.attach_receiver()
    daemon = lab.lb1.daemon(f"-{next(number)}").start()
    daemon.run(f"pool add db --encap {encap}")
    for backend in lab.backends[:3]:
        daemon.run(f"backend add db/{backend.name} {backend.address}")
    daemon.run(f"service add tcp {VIP}:80 --pool db")
    daemon.run("interface attach eth0")
    wait_until(lambda: lab.c1.run("curl", "-s", "-m", "1", f"http://{VIP}/", check=False).stdout, 20, "the VIP answers")
    yield lab, daemon
    daemon.stop()
    daemon.run("--offline interface detach --all")
    assert not daemon.pins.exists()


def file_of(lab, daemon, encap, address):
    path = daemon.directory / "file.yaml"
    path.write_text(FILE.format(seed=SEED, encap=encap, vip=VIP, address=address, b2=lab.b2.address, b3=lab.b3.address))
    return path


def by_command(lab, daemon, encap):
    return daemon.run(f"backend set db/b1 --address {lab.b4.address}")


def by_file(lab, daemon, encap):
    return daemon.run(f"apply -f {file_of(lab, daemon, encap, lab.b4.address)} --force")


@pytest.mark.parametrize("change", (by_command, by_file))
def test_connections_stay_when_another_address_takes_the_name(three, encap, change):
    lab, daemon = three
    with Connections(lab.c1) as connections:
        assert set(connections.first) == {"b1", "b2", "b3"}
        change(lab, daemon, encap)
        assert connections.cut() == []
        daemon.kill()
        daemon.start()
        assert connections.cut() == []
        daemon.run(f"backend set db/b1 --address {lab.b1.address}")  # and back again
        with Connections(lab.c1) as new:
            assert set(new.first) == {"b1", "b2", "b3"}
            daemon.run(f"backend set db/b1 --address {lab.b4.address}")
            assert connections.cut() == [] and new.cut() == []
    answers = servers.start_traffic(lab.c1, "connect", VIP, 80, "--count", 300).result(60)
    assert answers["failed"] == 0 and set(answers["answers"]) == {"b2", "b3", "b4"}


def test_connections_stay_when_a_rollback_takes_the_name_back(three):
    lab, daemon = three
    generation = daemon.json("status")["generation"]["number"]
    daemon.run(f"backend set db/b1 --address {lab.b4.address}")
    with Connections(lab.c1) as connections:
        assert set(connections.first) == {"b2", "b3", "b4"}
        daemon.run(f"rollback {generation} --force")
        assert connections.cut() == []


def test_a_backend_in_two_pools_leaves_one_of_them(three):
    """Each pool has its own: the other's connections, and its new ones, do not notice."""
    lab, daemon = three
    daemon.run("pool add web")
    for backend in lab.backends[:2]:
        daemon.run(f"backend add web/{backend.name} {backend.address}")
    daemon.run(f"service add tcp {VIP}:{WEB} --pool web")
    with Connections(lab.c1) as db, Connections(lab.c1, WEB) as web:
        assert set(web.first) == {"b1", "b2"}
        daemon.run("backend remove db/b1")
        assert db.cut() == [] and web.cut() == []
        daemon.run("backend remove db/b1 --now")
        assert {was for was, _ in db.cut()} == {"b1"} and web.cut() == []
        with Connections(lab.c1, WEB) as new:
            assert set(new.first) == {"b1", "b2"}
    assert json.dumps(daemon.json("backend list web")).count('"active"') == 2

# SPDX-License-Identifier: Apache-2.0
"""What is attached, made or switched on a host is taken back: after a detach and a stop it is as it was before."""

import json
import subprocess

import pytest

from harness import PINS, PYTHON
from harness.process import run
from harness.wait import wait_until


CONFIGURATION = """
version: 1
seed: "6f1c9a3e5b7d2048"
interfaces: [{interfaces}]
pools:
  - name: db
    source: 10.64.0.0/16
    backends:
{backends}
services:
  - {{listen: "tcp 203.0.113.10:5432", pool: db}}
"""


def configuration(daemon, interfaces, backends=(1, 2, 3)):
    path = daemon.directory / "holdfast.yaml"
    path.write_text(CONFIGURATION.format(interfaces=", ".join(interfaces), backends="\n".join(
        f"      - {{name: db{i}, address: 10.9.0.1{i}}}" for i in backends)))
    return path


def receivers(host):
    return PINS / "receiver" / str(host.path.stat().st_ino)


def state(host, instance):
    """All of a namespace, and of the pins, that a balancer or a receiver may change."""
    def told(*words):
        return host.run(*words).stdout

    links = [link for link in json.loads(told("ip", "-j", "-d", "link"))]
    return {
        "neighbours": sorted((each["dst"], each["dev"]) for each in json.loads(told("ip", "-j", "neigh"))),
        "programs": [(link["ifname"], link.get("xdp")) for link in links],
        "flags": [(link["ifname"], link["flags"], link["mtu"], link["promiscuity"]) for link in links],
        "bpf": json.loads(told("bpftool", "-j", "net")),
        "qdiscs": told("tc", "qdisc"),
        "filters": [told("tc", "filter", "show", "dev", link["ifname"], "ingress") for link in links],
        "offloads": [told("ethtool", "-k", link["ifname"]) for link in links],
        "addresses": told("ip", "addr"),
        "routes": told("ip", "route") + told("ip", "-6", "route") + told("ip", "rule"),
        "settings": told("sysctl", "-a", "--pattern", r"^net\.(ipv4|ipv6)\.(conf|neigh)|^net\.core\.(bpf|xdp)"),
        "pins": sorted(map(str, (PINS / instance).rglob("*"))),
        "directories": [path.exists() for path in (PINS / instance, receivers(host))],
    }


def changed(before, now):
    """What is not as it was: before and now."""
    return {what: (before[what], now[what]) for what in before if before[what] != now[what]}


def objects(daemon):
    """The kernel's numbers of the instance's programs and links."""
    interface = daemon.get("/v1/interfaces")["interfaces"]
    pinned = json.loads(run("bpftool", "-j", "prog", "show", "pinned", daemon.pins / "prog").stdout)
    return [("prog", str(pinned["id"]))] + [("link", str(each["link_id"])) for each in interface if each["link_id"]]


def are_gone(numbers):
    return not any(subprocess.run(["bpftool", kind, "show", "id", number], capture_output=True).returncode == 0
                   for kind, number in numbers)


def settled(daemon):
    """Its neighbours have answered, so that nothing is still on its way that could leave something behind."""
    for i in (1, 2, 3):
        wait_until(lambda: daemon.get(f"/v1/backends/db/db{i}")["next_hop"]["resolved"])


@pytest.fixture
def before(idle):
    idle.host.run("ip", "link", "add", "eth1", "type", "veth", "peer", "name", "far1")
    for name in ("eth1", "far1"):
        idle.host.run("ip", "link", "set", name, "addrgenmode", "none", "up")
    for name in ("eth0", "eth1"):
        idle.host.run("ethtool", "-K", name, "gro", "on")
    # The other side never asks for us: what it asks, the kernel notes by itself.
    idle.host.peer.run("ip", "neigh", "replace", "10.9.0.1", "lladdr", idle.host.mac("eth0"), "dev", "r0", "nud", "permanent")
    wait_until(lambda: "tentative" not in idle.host.run("ip", "addr").stdout)
    return state(idle.host, idle.instance)


def detach(daemon, *words):
    done = daemon.run([*words, "interface", "detach", "--all"], status=None)
    assert done.returncode == 0, done.stderr


def stop(daemon):
    daemon.stop()


ENDS = {
    "detached, then stopped": [lambda daemon: detach(daemon), stop],
    "stopped, then detached": [stop, lambda daemon: detach(daemon, "--offline")],
    "killed, then detached": [lambda daemon: daemon.kill(), lambda daemon: detach(daemon, "--offline")],
    "detached offline, then stopped": [lambda daemon: detach(daemon, "--offline"), stop],
}


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("mode", ["native", "generic"])
def test_nothing_is_left(idle, before, end, mode):
    path = configuration(idle, [f"{{name: {name}, mode: {mode}}}" for name in ("eth0", "eth1")])
    idle.start("--config", path)
    settled(idle)
    numbers = objects(idle)
    assert idle.host.program_on("eth0") and idle.host.program_on("eth1")
    for step in ENDS[end]:
        step(idle)
    wait_until(lambda: are_gone(numbers))
    assert not changed(before, state(idle.host, idle.instance))


@pytest.mark.parametrize("mode", ["native", "generic"])
@pytest.mark.parametrize("how", ["reload", "restart"])
def test_an_interface_that_left_the_file_is_as_it_was(idle, before, how, mode):
    both = [f"{{name: {name}, mode: {mode}}}" for name in ("eth0", "eth1")]
    idle.start("--config", configuration(idle, both))
    if how == "restart":
        idle.stop()
        assert idle.host.program_on("eth0") and idle.host.program_on("eth1")
    path = configuration(idle, both[:1])
    if how == "restart":
        idle.start("--config", path)
    else:
        idle.process.send_signal(1)
    wait_until(lambda: not idle.host.program_on("eth1"))
    wait_until(lambda: len(idle.get("/v1/interfaces")["interfaces"]) == 1)
    assert idle.host.program_on("eth0")
    now = state(idle.host, idle.instance)
    for what in ("programs", "offloads"):
        assert [each for each in now[what] if "eth1" in str(each)] == [each for each in before[what] if "eth1" in str(each)]


def test_a_backend_that_left_leaves_no_neighbour(serving):
    def neighbours():
        return {each["dst"] for each in json.loads(serving.host.run("ip", "-j", "neigh").stdout)}

    settled(serving)
    assert {"10.9.0.11", "10.9.0.12", "10.9.0.13"} <= neighbours()
    serving.operate("backend.remove", pool="db", name="db3", now=True)
    wait_until(lambda: "10.9.0.13" not in neighbours())
    assert {"10.9.0.11", "10.9.0.12"} <= neighbours()


def test_what_the_host_itself_looked_for_stays(serving, idle):
    """An entry that was there before is not the daemon's to remove."""
    serving.host.run(PYTHON, "-c", "import socket\n"
                             "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'', ('10.9.0.14', 9))")
    serving.host.run("ip", "neigh", "replace", "10.9.0.15", "lladdr", "02:00:00:00:00:15", "dev", "eth0")
    for i in (4, 5):
        serving.operate("backend.add", pool="db", name=f"db{i}", address=f"10.9.0.1{i}")
        wait_until(lambda: serving.get(f"/v1/backends/db/db{i}")["next_hop"]["resolved"])
    detach(serving)
    serving.stop()
    assert {each["dst"] for each in json.loads(serving.host.run("ip", "-j", "neigh").stdout)} == {"10.9.0.14", "10.9.0.15"}


def test_a_daemon_that_stops_goes_on_forwarding(serving):
    numbers, pins = objects(serving), sorted(serving.pins.rglob("*"))
    settled(serving)
    serving.stop()
    assert serving.host.program_on("eth0") and not any(map(are_gone, [[each] for each in numbers]))
    assert sorted(serving.pins.rglob("*")) == pins
    assert {each["dst"] for each in json.loads(serving.host.run("ip", "-j", "neigh").stdout)} >= {"10.9.0.11"}


def test_an_instance_that_wants_an_absent_interface_keeps_its_pins(serving):
    """The interface may come back, and its connections with it."""
    serving.host.run("ip", "link", "del", "eth0")
    wait_until(lambda: serving.get("/v1/interfaces")["interfaces"][0]["problem"])
    serving.stop()
    assert (serving.pins / "maps" / "flows").exists()


def test_check_asks_neighbours_and_leaves_none(idle, before):
    path = configuration(idle, ["{name: eth0}"])
    done = idle.run(["--json", "check", "--file", path], status=None)
    assert "findings" in done.stdout, done.stderr
    assert state(idle.host, idle.instance)["neighbours"] == before["neighbours"]


@pytest.mark.parametrize("mode", ["native", "generic"])
@pytest.mark.parametrize("twice", [False, True], ids=["once", "attached twice"])
def test_a_receiver_that_is_detached_leaves_nothing(idle, before, mode, twice):
    for _ in range(1 + twice):
        done = idle.run(["receiver", "attach", "eth0", "--from", "10.9.0.0/24", "--mode", mode], status=None)
        assert done.returncode == 0, done.stderr
    assert idle.host.program_on("eth0")
    done = idle.run("receiver detach eth0", status=None)
    assert done.returncode == 0, done.stderr
    assert not changed(before, state(idle.host, idle.instance))

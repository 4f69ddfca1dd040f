# SPDX-License-Identifier: Apache-2.0
"""With the daemon dead, under traffic: what the pins alone tell, and that the traffic can be let go of.

And the counters that both forms show: per reason, service, backend and interface, with rates."""

import itertools
import re

import pytest

from harness import HarnessError, servers


VIPS = ("203.0.113.10", "2001:db8:203::10")
PORT = 5432
RATE, COUNT = 500, 400
NEAR = 0.35  # of what is right: how far a rate may be off on a machine that does much else


def at(vip, port):
    return f"[{vip}]:{port}" if ":" in vip else f"{vip}:{port}"


@pytest.fixture(scope="module")
def served(lab):
    """A daemon that serves both families, a datagram server on every backend; alive or dead as the last test left it."""
    for backend in lab.backends:
        backend.attach_receiver()
        for vip in VIPS:
            servers.start_datagram_server(backend, vip, PORT)
    daemon = lab.lb1.daemon().start()
    daemon.run("pool add db")
    for backend, address in zip(lab.backends, itertools.cycle(("address", "address6"))):
        daemon.run(f"backend add db/{backend.name} {getattr(backend, address)}")
    for vip in VIPS:
        daemon.run(f"service add tcp {at(vip, 80)} --pool db")
        daemon.run(f"service add udp {at(vip, PORT)} --pool db")
    daemon.run("interface attach eth0")
    return lab, daemon


@pytest.fixture(params=["", "--offline"], ids=["daemon", "offline"])
def form(request, served):
    """The option of the form to ask in; for --offline the daemon is dead."""
    lab, daemon = served
    if request.param and daemon.process.alive():
        daemon.kill()
    if not request.param and not daemon.process.alive():
        daemon.start()
    return lab, daemon, request.param


def counted(daemon, form, interval=""):
    told = daemon.json(f"{form} counters {interval}")
    return {"reasons": {one["reason"]: one for one in told["reasons"]},
            "services": {one["service"]: one for one in told["services"]},
            "backends": {one["name"]: one for one in told["backends"]},
            "interfaces": {one["name"]: one for one in told["interfaces"]}}


def risen(before, after, kind, name, what="packets"):
    return after[kind][name][what] - before[kind][name][what]


@pytest.mark.parametrize("vip", VIPS)
def test_every_packet_is_counted(form, vip):
    """By service, backend and interface, or by reason, each once."""
    lab, daemon, form = form
    before = counted(daemon, form, "--interval 0")
    sent = servers.start_traffic(lab.c1, "send", vip, PORT, "--seconds", COUNT / RATE, "--rate", RATE).result(30)
    assert sent["received"] == COUNT
    lab.c1.run("bash", "-c", f"for ((i = 0; i < 50; i++)); do echo >/dev/udp/{vip}/81; done")
    after = counted(daemon, form, "--interval 0")
    service = f"udp {at(vip, PORT)}"
    assert risen(before, after, "services", service) == COUNT
    assert risen(before, after, "services", service, "bytes") > COUNT * (14 + 20 + 8)
    for name, answers in sent["answers"].items():
        assert risen(before, after, "backends", name) == answers
    assert risen(before, after, "reasons", "no-service") >= 50
    assert risen(before, after, "interfaces", "eth0", "rx_packets") >= COUNT + 50
    assert after["services"][service]["flows"] is None, "nobody sees datagrams begin a flow"
    assert after["services"][service]["flows_unseen"] and not after["services"][f"tcp {at(vip, 80)}"]["flows_unseen"]
    assert all(one["flows_unseen"] for one in after["backends"].values())
    unmoved = set(after["services"]) - {service}
    assert all(risen(before, after, "services", name) == 0 for name in unmoved)
    drops = [name for name, one in after["reasons"].items() if one["verdict"] == "drop"]
    assert all(risen(before, after, "reasons", name) == 0 for name in drops)


def test_rates(form):
    lab, daemon, form = form
    datagrams = servers.start_traffic(lab.c1, "send", VIPS[0], PORT, "--seconds", 3, "--rate", RATE)
    nothing = servers.start_traffic(lab.c1, "send", VIPS[0], 81, "--seconds", 3, "--rate", RATE / 5)
    connections = servers.start_traffic(lab.c1, "connect", VIPS[1], 80, "--rate", 100)
    counted(daemon, form, "--interval 1s")  # the first second, in which they start
    told = counted(daemon, form, "--interval 1s")
    connections.result()
    for sender in (datagrams, nothing):
        sender.result(30)
    service = told["services"][f"udp {at(VIPS[0], PORT)}"]
    assert service["packets_per_second"] == pytest.approx(RATE, rel=NEAR)
    assert service["bits_per_second"] > service["packets_per_second"] * 8 * (14 + 20 + 8)
    assert told["services"][f"tcp {at(VIPS[1], 80)}"]["new_per_second"] == pytest.approx(100, rel=NEAR)
    assert sum(one["new_per_second"] for one in told["backends"].values()) == pytest.approx(100, rel=NEAR)
    assert sum(one["packets_per_second"] for one in told["backends"].values()) > RATE * (1 - NEAR)
    assert told["reasons"]["no-service"]["packets_per_second"] >= RATE / 5 * (1 - NEAR)
    assert told["interfaces"]["eth0"]["rx_packets_per_second"] > (RATE + RATE / 5) * (1 - NEAR)
    assert told["interfaces"]["eth0"]["tx_bits_per_second"] > 0


@pytest.mark.parametrize("vip", VIPS)
def test_why_tells_where_packets_go_without_the_daemon(served, vip):
    lab, daemon = served
    daemon.kill()
    connected = servers.start_traffic(lab.c1, "connect", vip, 80, "--count", 12, "--flows").result(60)
    assert connected["failed"] == 0
    said = {flow: daemon.json(f"--offline why tcp {flow} {at(vip, 80)}")["backend"] for flow in connected["flows"]}
    assert said == {flow: f"db/{name}" for flow, name in connected["flows"].items()}
    assert len(set(said.values())) > 1


def test_status_and_backends_without_the_daemon(served):
    lab, daemon = served
    daemon.kill()
    assert daemon.run("status", status=None).returncode == 4
    status = daemon.run("--offline status").stdout
    assert re.search(r"^eth0 +native ", status, re.M), status
    for vip in VIPS:
        assert re.search(rf"^udp {re.escape(at(vip, PORT))} +db +4/4 ", status, re.M), status
    listed = daemon.json("--offline backend list")["backends"]
    assert {one["name"]: one["address"] for one in listed} == {
        "b1": lab.b1.address, "b2": lab.b2.address6, "b3": lab.b3.address, "b4": lab.b4.address6}
    assert sum(one["slots"] for one in listed) == 65537


def test_letting_go_of_the_traffic(served):
    """Every interface at once, with the daemon dead; a daemon that starts again takes it up again."""
    lab, daemon = served
    daemon.kill()
    assert lab.c1.curl(f"http://{VIPS[0]}/")
    assert "eth0 detached" in daemon.run("--offline interface detach --all").stdout
    assert "prog/xdp" not in lab.lb1.run("ip", "link", "show", "eth0").stdout
    with pytest.raises(HarnessError):
        lab.c1.curl(f"http://{VIPS[0]}/", timeout=1)
    daemon.start()
    assert lab.c1.curl(f"http://{VIPS[0]}/")

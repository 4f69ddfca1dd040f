# SPDX-License-Identifier: Apache-2.0
"""Packets that the data plane sends and the driver loses: no reason counts them, but the driver does.

A veth hands frames sent by XDP_TX to a peer that has a native XDP program. Without one they vanish."""

import contextlib

import pytest

from harness import PASS, servers
from harness.wait import wait_until


VIP = "203.0.113.10"
PORT = 5432


@pytest.fixture(scope="module")
def served(lab):
    lab.b1.attach_receiver()
    servers.start_datagram_server(lab.b1, VIP, PORT)
    daemon = lab.lb1.daemon().start()
    daemon.run("pool add db")
    daemon.run(f"backend add db/b1 {lab.b1.address}")
    daemon.run(f"service add udp {VIP}:{PORT} --pool db")
    daemon.run("interface attach eth0")
    wait_until(lambda: daemon.json("status")["state"] == "ready", 20, "the next hop is known")
    return lab, daemon


@contextlib.contextmanager
def lossy(lab):
    """The router's end without a program."""
    lab.router.run("ip", "link", "set", lab.lb1.far, "xdpdrv", "off")
    try:
        yield
    finally:
        lab.router.run("ip", "link", "set", lab.lb1.far, "xdpdrv", "obj", PASS, "sec", "xdp")


def lost(daemon, form=""):
    (eth0,) = (one for one in daemon.json(f"{form} counters --interval 0")["interfaces"] if one["name"] == "eth0")
    return eth0["sent_lost"]


def send(lab):
    return servers.start_traffic(lab.c1, "send", VIP, PORT, "--seconds", 1, "--rate", 200).result(60)


def problems(daemon):
    return [line for line in daemon.json("status")["problems"] if "its driver lost" in line]


def test_what_the_driver_loses_is_told_while_it_does(served):
    lab, daemon = served
    before = lost(daemon)
    assert send(lab)["received"] > 0 and lost(daemon) == before and not problems(daemon)
    with lossy(lab):
        assert send(lab)["received"] == 0
        assert lost(daemon) >= before + 100

        def told():
            send(lab)
            return problems(daemon)

        (problem,) = wait_until(told, 60, "status tells of it")
        assert problem.startswith("interface eth0: its driver lost ") and "ethtool -S eth0" in problem
        assert daemon.run("status --check", status=None).returncode == 1
        assert any("loses forwarded packets" in event["text"] for event in daemon.json("events")["events"])
    wait_until(lambda: not problems(daemon), 60, "it is over")
    assert send(lab)["received"] > 0


def test_the_rate_of_an_interval(served):
    lab, daemon = served
    with lossy(lab):
        traffic = servers.start_traffic(lab.c1, "send", VIP, PORT, "--seconds", 4, "--rate", 200)
        wait_until(lambda: daemon.json("counters --interval 1s")["interfaces"][0]["sent_lost_per_second"] > 0, 10,
                   "it is seen to rise")
        traffic.result(60)
    assert "SENT-LOST" in daemon.run("counters --interval 0").stdout


def test_without_the_daemon(served):
    lab, daemon = served
    before = lost(daemon)
    daemon.kill()
    try:
        with lossy(lab):
            send(lab)
        assert lost(daemon, "--offline") >= before + 100
    finally:
        daemon.start()

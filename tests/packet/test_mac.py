# SPDX-License-Identifier: Apache-2.0
"""Frames for other hosts, as user space tells the data plane of its own MAC addresses, on an interface that the test
makes. tests/lab/test_macs.py sends such frames."""

import socket
import subprocess

import pytest

from harness import PASS as PASSES_ALL
from harness.layout import constants
from harness.words import next_hop
from dataplane import PASS, TCP, TX, UDP, DataPlane, mac_bytes
from frames import client_frame

MACS = constants("abi.h")["HF_MAX_MACS"]
OWN, SECOND, THIRD, STRANGER, NOW = (f"02:00:00:00:00:{n}" for n in ("b1", "b2", "b3", "99", "77"))


@pytest.fixture(scope="module")
def wire(namespace):
    """An interface whose address is NOW, by which frames may come in: a veth takes some once it runs a program."""
    def ip(*words):
        subprocess.run(["ip", "link", *words], check=True)

    ip("add", "mac0", "address", NOW, "type", "veth", "peer", "name", "mac1")
    try:
        ip("set", "mac1", "up")
        ip("set", "mac0", "up", "xdpdrv", "obj", str(PASSES_ALL), "sec", "xdp")
        yield socket.if_nametoindex("mac0")
    finally:
        ip("del", "mac0")


def know(plane, *macs):
    for i in range(MACS):
        plane.control.macs[i] = next_hop(mac_bytes(macs[i]), 0) if i < len(macs) else 0


def sent_to(mac, family=4, proto=TCP):
    return mac_bytes(mac) + client_frame(family, proto, 5)[6:]


@pytest.mark.parametrize("family", (4, 6))
@pytest.mark.parametrize("proto", (TCP, UDP))
def test_only_frames_for_this_host_are_balanced(fresh, wire, family, proto):
    know(fresh, OWN, SECOND, THIRD)
    for mac in (OWN, SECOND, THIRD):
        assert fresh.program.run(sent_to(mac, family, proto), wire)[0] == TX
    frame = sent_to(STRANGER, family, proto)
    assert fresh.program.run(frame, wire) == (PASS, frame)
    assert fresh.reasons() == {"other-mac": (1, len(frame))}


def test_what_the_interface_has_now_counts(fresh, wire):
    """Whatever user space believed."""
    know(fresh, OWN)
    assert fresh.program.run(sent_to(NOW), wire)[0] == TX
    assert not fresh.reasons()


def test_a_test_run_may_be_for_any_host(fresh):
    """It comes in by the loopback, which has no address."""
    know(fresh, OWN)
    assert fresh.program.run(sent_to(STRANGER))[0] == TX
    assert not fresh.reasons()


def test_nobody_has_said_which_addresses_are_ours(fresh):
    know(fresh)
    assert fresh.program.run(sent_to(STRANGER))[0] == TX
    assert not fresh.reasons()


@pytest.mark.parametrize("macs", ((), (OWN,)))
@pytest.mark.parametrize("mac", ("ff:ff:ff:ff:ff:ff", "01:00:5e:00:00:01", "33:33:00:00:00:01"))
def test_frames_for_many_hosts_have_their_own_reason(fresh, macs, mac):
    know(fresh, *macs)
    frame = sent_to(mac)
    assert fresh.program.run(frame) == (PASS, frame)
    assert fresh.reasons() == {"not-unicast": (1, len(frame))}


def test_tracked_flows_are_asked_about_once(fresh, wire):
    """The flow table's look at the packet does not count it again."""
    fresh.add_service(TCP, "203.0.113.10", 90, pool=1, ordinals=4, track="always")
    know(fresh, OWN)
    frame = mac_bytes(STRANGER) + client_frame(4, TCP, 5, dport=90)[6:]
    assert fresh.program.run(frame, wire) == (PASS, frame) and not fresh.flows()
    assert fresh.program.run(mac_bytes(OWN) + frame[6:], wire)[0] == TX and len(fresh.flows()) == 1


def test_observing_does_not_mind(fresh, wire):
    know(fresh, OWN)
    observer = DataPlane(shared_with=fresh, observing=True)
    try:
        assert observer.program.run(sent_to(STRANGER), wire)[0] == TX
        assert observer.observation().reason == 0
    finally:
        observer.object.close()

# SPDX-License-Identifier: Apache-2.0
"""Frames for other hosts, as user space tells the data plane of its own MAC addresses. Test runs come in by lo, whose
address is all 0; tests/lab/test_macs.py has real interfaces."""

import struct

import pytest

from dataplane import PASS, TCP, TX, UDP, DataPlane, mac_bytes
from frames import client_frame

MACS_AT, MACS = 40, 3  # hf_control.macs
OWN, SECOND, THIRD, STRANGER = (f"02:00:00:00:00:{n}" for n in ("b1", "b2", "b3", "99"))


def know(plane, *macs):
    for i in range(MACS):
        word = mac_bytes(macs[i]) + bytes(2) if i < len(macs) else bytes(8)
        struct.pack_into("<8s", plane.control, MACS_AT + 8 * i, word)


def sent_to(mac, family=4, proto=TCP):
    return mac_bytes(mac) + client_frame(family, proto, 5)[6:]


@pytest.mark.parametrize("family", (4, 6))
@pytest.mark.parametrize("proto", (TCP, UDP))
def test_only_frames_for_this_host_are_balanced(fresh, family, proto):
    know(fresh, OWN, SECOND, THIRD)
    for mac in (OWN, SECOND, THIRD):
        assert fresh.program.run(sent_to(mac, family, proto))[0] == TX
    frame = sent_to(STRANGER, family, proto)
    assert fresh.program.run(frame) == (PASS, frame)
    assert fresh.reasons() == {"other-mac": (1, len(frame))}


def test_what_the_interface_has_now_counts(fresh):
    """Whatever user space believed."""
    know(fresh, OWN)
    assert fresh.program.run(sent_to("00:00:00:00:00:00"))[0] == TX
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


def test_tracked_flows_are_asked_about_once(fresh):
    """The flow table's look at the packet does not count it again."""
    fresh.add_service(TCP, "203.0.113.10", 90, pool=1, ordinals=4, track="always")
    know(fresh, OWN)
    frame = mac_bytes(STRANGER) + client_frame(4, TCP, 5, dport=90)[6:]
    assert fresh.program.run(frame) == (PASS, frame) and not fresh.flows()
    assert fresh.program.run(mac_bytes(OWN) + frame[6:])[0] == TX and len(fresh.flows()) == 1


def test_observing_does_not_mind(fresh):
    know(fresh, OWN)
    observer = DataPlane(shared_with=fresh, observing=True)
    try:
        assert observer.program.run(sent_to(STRANGER))[0] == TX
        assert observer.observation().reason == 0
    finally:
        observer.object.close()

# SPDX-License-Identifier: Apache-2.0
"""What the receiver's XDP program cannot send itself it leaves to the tc program, with a note in front of the frame."""

import struct

import pytest

from dataplane import TX
from test_hops import FAMILIES, HERE, HOPS, LB_MAC, SELF, gue, inner_packet
from test_receiver import Receiver, prefix_key

ELSEWHERE, THIS_INTERFACE, NOWHERE, OWN = range(4)
LOOPBACK = 1  # where test runs say that a frame came in
SECRET = 0x1122334455667788
NOTE = struct.pack("<QII16x", SECRET, LOOPBACK, 0)


@pytest.fixture
def receiver(namespace):
    receiver = Receiver()
    if "ways" not in receiver.object.maps:
        pytest.fail("this receiver can only send a frame back to its sender")
    receiver.object.maps["secret"].update(0, struct.pack("<Q", SECRET))
    yield receiver
    receiver.object.close()


def lead(receiver, to, prefix, bits):
    receiver.object.maps["ways"].update(prefix_key(f"{prefix}/{bits}"), bytes([to]))


def sent_on(family, macs=(HERE, LB_MAC)):
    return gue(inner_packet(4, sport=999), family, next_hop=1, destination=HOPS[family][0], macs=macs, ttl=63)


SEGMENT = {4: ("10.0.0.0", 8), 6: ("fd00::", 16)}


@pytest.mark.parametrize("family", FAMILIES)
def test_a_hop_behind_this_interface_is_handed_over(receiver, family):
    """The frame says where it goes; its MAC addresses and all the rest are as they came."""
    lead(receiver, THIS_INTERFACE, *SEGMENT[family])
    receiver.expect(gue(inner_packet(4, sport=999), family), "handed-over", NOTE + sent_on(family))


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("to", (ELSEWHERE, OWN))
def test_a_hop_behind_another_interface_goes_back(receiver, family, to):
    """The longest prefix decides, as it does for the kernel."""
    lead(receiver, THIS_INTERFACE, *SEGMENT[family])
    lead(receiver, to, HOPS[family][0], 32 if family == 4 else 128)
    lead(receiver, OWN, SELF[family], 32 if family == 4 else 128)
    receiver.expect(gue(inner_packet(4, sport=999), family), "passed-on", sent_on(family, macs=(LB_MAC, HERE)), TX)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_frame_for_a_neighbour_does_not_go_back(receiver, family):
    """A switch floods it to this host, which its next hop names: the neighbour passes it on itself."""
    lead(receiver, THIS_INTERFACE, *SEGMENT[family])
    lead(receiver, OWN, HOPS[family][0], 32 if family == 4 else 128)
    for next_hop in (0, 1, 2):
        frame = gue(inner_packet(4, sport=999), family, next_hop=next_hop, macs=("02:00:00:00:00:77", LB_MAC))
        receiver.expect(frame, "other-mac")


@pytest.mark.parametrize("family", FAMILIES)
def test_a_hop_that_the_routes_refuse_is_dropped(receiver, family):
    lead(receiver, NOWHERE, *SEGMENT[family])
    receiver.expect(gue(inner_packet(4, sport=999), family), "no-route", sent_on(family))


@pytest.mark.parametrize("family", FAMILIES)
def test_without_a_secret_nothing_is_handed_over(receiver, family):
    """Zero is what anybody could leave."""
    receiver.object.maps["secret"].update(0, bytes(8))
    lead(receiver, THIS_INTERFACE, *SEGMENT[family])
    lead(receiver, OWN, SELF[family], 32 if family == 4 else 128)
    receiver.expect(gue(inner_packet(4, sport=999), family), "passed-on", sent_on(family, macs=(LB_MAC, HERE)), TX)

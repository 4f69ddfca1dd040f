# SPDX-License-Identifier: Apache-2.0
"""Moving slots and the flow table: connections stay put."""

import ipaddress
import itertools

import pytest
from scapy.layers.inet import ICMP
from scapy.layers.l2 import Ether

from harness.words import Slot
from dataplane import (CLAIMED, CLOSING, ESTABLISHED, OPENING, SERVES_TCP, SERVES_UDP, TAKES_NEW, TCP, TX, UDP, DataPlane, moving,
                       now)
from frames import BACKENDS, CLIENT_MAC, LINK_MAC, SIZE, VIPS, client_frame, flow_hash
from test_icmp import error_frame, quoted
import flowhash

OLD, NEW, OTHER = 1, 2, 3
SEED = 0x0123456789ABCDEF
EVERYTHING = TAKES_NEW | SERVES_TCP | SERVES_UDP
DRAINING = SERVES_TCP | SERVES_UDP


class Mover:
    """A pool whose slots all move from OLD to NEW, since some seconds ago."""

    def __init__(self, plane, since=0):
        self.plane = plane
        self.first = plane.set_table(3, [moving(NEW, OLD)] * SIZE, pool=1, seed=SEED)
        plane.set_since(self.first, SIZE, now() - since)

    def send(self, flags="A", sport=40000, proto=TCP, family=4, payload=1):
        """Returns the backend that a packet goes to."""
        verdict, out = self.plane.program.run(client_frame(family, proto, payload, sport, flags=flags))
        assert verdict == TX
        return next(n for n, backend in BACKENDS.items() if out[:6].hex(":") == backend.mac)

    def flow(self):
        flows = list(self.plane.flows().values())
        assert len(flows) == 1
        return flows[0]


@pytest.fixture
def mover(fresh):
    return Mover(fresh)


@pytest.mark.parametrize("family, proto", itertools.product((4, 6), (TCP, UDP)))
def test_old_flows_stay_with_the_base(mover, family, proto):
    """Not remembered, not opening: it was there before the slot moved. From then on it is remembered."""
    assert [mover.send("A", family=family, proto=proto) for _ in range(3)] == [OLD] * 3
    flow = mover.flow()
    hash_ = flow_hash(family, proto)
    assert (flow.backend, flow.slot, flow.pool, flow.proto) == (OLD, flowhash.slot_index(hash_, SIZE), 1, proto)
    assert flow.service == mover.plane.on[family, proto, 80].number and abs(flow.seen - now()) <= 1
    assert (flow.state, flow.idle) == (ESTABLISHED, 7200)


@pytest.mark.parametrize("family", (4, 6))
def test_new_flows_go_to_the_owner_and_stay(mover, family):
    assert [mover.send(flags, family=family) for flags in ("S", "A", "PA", "FA", "A")] == [NEW] * 5
    assert mover.flow().state == CLOSING


def test_many_flows_of_both_kinds(mover):
    """Whatever comes between, each goes on to where it was."""
    for sport in range(1000, 1100):
        assert mover.send("S", sport) == NEW
        assert mover.send("A", sport + 1000) == OLD
    for sport in range(1000, 1100):
        assert mover.send("A", sport) == NEW
        assert mover.send("PA", sport + 1000) == OLD
    assert len(mover.plane.flows()) == 200 and mover.plane.flow_events() == [200, 0, 0, 0, 0, 0, 0]


@pytest.mark.parametrize("family, proto", itertools.product((4, 6), (TCP, UDP)))
def test_after_the_idle_time_the_unknown_are_new(fresh, family, proto):
    mover = Mover(fresh, since=7300)
    assert mover.send("A", proto=proto, family=family) == NEW


def test_remembered_flows_outlive_the_idle_time_of_the_slot(mover):
    assert mover.send("A") == OLD
    mover.plane.set_since(mover.first, SIZE, now() - 8000)
    assert mover.send("A") == OLD
    assert mover.send("A", sport=5) == NEW


def test_a_flow_silent_for_longer_than_its_idle_time_is_over(mover):
    assert [mover.send("A"), mover.send("A")] == [OLD, OLD]
    mover.plane.set_since(mover.first, SIZE, now() - 8000)
    mover.plane.age_flows(7100)
    assert mover.send("A") == OLD
    mover.plane.age_flows(7300)
    assert mover.send("A") == NEW
    assert mover.flow().backend == NEW


@pytest.mark.parametrize("proto, left", [(TCP, SERVES_UDP), (UDP, SERVES_TCP)])
def test_a_backend_that_serves_no_more(mover, proto, left):
    """Its flows are placed anew at their next packet, remembered or not; by protocol."""
    assert mover.send("A", proto=proto) == OLD
    mover.plane.set_flags(OLD, left)
    assert mover.send("A", proto=proto) == NEW
    assert mover.flow().backend == NEW
    assert mover.send("A", proto=proto, sport=7) == NEW
    other = UDP if proto == TCP else TCP
    assert mover.send("A", proto=other, sport=8) == OLD
    mover.plane.set_flags(OLD, EVERYTHING)
    assert mover.send("A", proto=proto) == NEW


def test_draining_keeps_what_it_has(mover):
    mover.plane.set_flags(OLD, DRAINING)
    assert [mover.send("A"), mover.send("PA"), mover.send("S", sport=9)] == [OLD, OLD, NEW]


def test_a_syn_that_is_sent_again_after_a_change_opens_another_connection(fresh):
    """A settled slot remembers no SYN. So the old backend's SYN-ACK, if it comes later than the second SYN, is answered
    to the new owner, which resets the connection (docs/design.md). The client connects again."""
    fresh.set_table(3, [OLD] * SIZE, pool=1, seed=SEED)
    mover = Mover.__new__(Mover)
    mover.plane = fresh
    assert mover.send("S") == OLD
    mover = Mover(fresh)
    assert [mover.send("S"), mover.send("A"), mover.send("A")] == [NEW, NEW, NEW]


class TestSynOfAKnownFlow:
    @pytest.fixture
    def lively(self, mover):
        assert [mover.send("A"), mover.send("A")] == [OLD, OLD]
        return mover

    def test_stays_where_new_flows_are_taken(self, lively):
        lively.plane.age_flows(100)
        assert lively.send("S") == OLD

    def test_does_not_tear_a_lively_flow_off_a_draining_backend(self, lively):
        lively.plane.set_flags(OLD, DRAINING)
        assert [lively.send("S"), lively.send("A"), lively.send("S"), lively.send("A")] == [OLD] * 4
        assert lively.flow().state == ESTABLISHED

    def test_places_a_quiet_flow_anew(self, lively):
        lively.plane.set_flags(OLD, DRAINING)
        lively.plane.age_flows(7)
        assert [lively.send("S"), lively.send("A")] == [NEW, NEW]

    def test_does_not_keep_a_quiet_flow_from_being_quiet(self, lively):
        lively.plane.set_flags(OLD, DRAINING)
        lively.plane.age_flows(1)
        assert lively.send("S") == OLD
        lively.plane.age_flows(10)
        assert lively.send("S") == NEW

    @pytest.mark.parametrize("flags", ["FA", "R", "RA"])
    def test_places_a_closing_flow_anew(self, lively, flags):
        lively.plane.set_flags(OLD, DRAINING)
        assert [lively.send(flags), lively.send("A"), lively.send("S"), lively.send("A")] == [OLD, OLD, NEW, NEW]
        assert lively.flow().state == ESTABLISHED

    def test_opens_a_closed_flow_again(self, lively):
        assert [lively.send("FA"), lively.send("S")] == [OLD, OLD]
        assert lively.flow().state == OPENING


@pytest.mark.parametrize("sent, state, idle", [
    ("S", OPENING, 60), ("S A", ESTABLISHED, 7200), ("A", OPENING, 7200), ("A A", ESTABLISHED, 7200),
    ("S A FA", CLOSING, 60), ("S A R", CLOSING, 60), ("S R", CLOSING, 60), ("FA", CLOSING, 60),
    ("S A FA A", CLOSING, 60), ("S S S", OPENING, 60), ("S A S", ESTABLISHED, 7200), ("A SA", ESTABLISHED, 7200),
])
def test_states(mover, sent, state, idle):
    for flags in sent.split():
        mover.send(flags)
    assert (mover.flow().state, mover.flow().idle) == (state, idle)


def test_settled_slots_touch_no_memory_of_flows(fresh):
    fresh.set_table(3, [NEW] * SIZE, pool=1, seed=SEED)
    mover = Mover.__new__(Mover)
    mover.plane = fresh
    for flags, sport in itertools.product(("S", "A", "FA"), range(50)):
        assert mover.send(flags, sport) == NEW
    assert not fresh.flows() and not any(fresh.flow_events())


@pytest.mark.parametrize("proto", (TCP, UDP))
def test_track_always(fresh, proto):
    """Remembered in a settled slot, so that any change finds it known."""
    fresh.add_service(proto, VIPS[4], 80, pool=1, track="always")
    fresh.set_table(3, [OTHER] * SIZE, pool=1, seed=SEED)
    mover = Mover.__new__(Mover)
    mover.plane = fresh
    assert mover.send("A", proto=proto) == OTHER
    assert mover.flow().backend == OTHER
    mover = Mover(fresh)
    assert mover.send("A", proto=proto) == OTHER
    assert mover.send("A", 2, proto=proto) == OLD


def test_track_never(fresh):
    fresh.add_service(TCP, VIPS[4], 80, pool=1, track="never")
    mover = Mover(fresh)
    assert [mover.send("A"), mover.send("S")] == [NEW, NEW]
    assert not fresh.flows()


def test_any_number_of_changes(mover):
    """The owner changes again while the slot moves: the base stays what it was, and so do all flows."""
    assert [mover.send("A", 1), mover.send("S", 2)] == [OLD, NEW]
    mover.first = mover.plane.set_table(4, [moving(OTHER, OLD)] * SIZE, pool=1, seed=SEED)
    mover.plane.set_since(mover.first, SIZE, now())
    assert [mover.send("A", 1), mover.send("A", 2), mover.send("A", 3), mover.send("S", 4)] == [OLD, NEW, OLD, OTHER]


@pytest.mark.parametrize("family, old_policy", itertools.product((4, 6), ("5tuple", "source")))
def test_migrating_from_another_table(fresh, family, old_policy):
    """Another size, seed and hash: what is not remembered lives where the old table says, for the idle time."""
    old_words = [i % 4 + 1 for i in range(101)]
    old_words[::3] = [moving(4, 1) for _ in old_words[::3]]
    first = fresh.set_table(3, old_words, pool=1, seed=77, policy=old_policy)
    where = dict(old_first=first, old_size=101, old_seed=77, old_hash=old_policy == "source")
    fresh.set_table(4, [NEW] * 211, pool=1, seed=78, since=now(), **where)
    mover = Mover.__new__(Mover)
    mover.plane = fresh
    source = {4: "198.51.100.7", 6: "2001:db8:ffff::7"}[family]
    for sport in range(3000, 3100):
        hash_ = flowhash.flow_hash(source, VIPS[family], sport, 80, TCP, 77, old_policy)
        base = old_words[flowhash.slot_index(hash_, 101)]
        base = Slot.of(base).base or base
        assert [mover.send("A", sport, family=family), mover.send("S", sport + 1000, family=family)] == [base, NEW]
    first = fresh.set_table(5, [NEW] * 211, pool=1, seed=79, since=now() - 7300, **where)
    fresh.set_since(first, 211, now() - 7300)
    assert mover.send("A", 3000, family=family) == base_of(source, family, old_words, old_policy)
    assert mover.send("A", 9999, family=family) == NEW


def base_of(source, family, old_words, old_policy):
    hash_ = flowhash.flow_hash(source, VIPS[family], 3000, 80, TCP, 77, old_policy)
    word = old_words[flowhash.slot_index(hash_, 101)]
    return Slot.of(word).base or word


def test_icmp_errors_look_and_leave_no_trace(mover):
    """An error about a flow goes where the flow lives, and is not the flow's own packet."""
    def send(dport):
        frame = error_frame(4, ICMP(type=3, code=4), quoted(4, TCP, sport=dport))
        verdict, out = mover.plane.program.run(frame)
        assert verdict == TX
        return next(n for n, backend in BACKENDS.items() if out[:6].hex(":") == backend.mac)

    assert send(1) == OLD and not mover.plane.flows()
    assert mover.send("S", 2) == NEW
    assert send(2) == NEW
    assert mover.flow().state == OPENING


def test_observing_looks_and_leaves_no_trace(mover):
    observer = DataPlane(shared_with=mover.plane, observing=True)
    try:
        for flags, sport, backend, how in (("A", 1, OLD, 2), ("S", 2, NEW, 0)):
            observer.program.run(client_frame(4, TCP, 0, sport, flags=flags))
            found = observer.observation()
            assert (found.backend, found.choice) == (backend, how)
            assert not mover.plane.flows()
            assert mover.send(flags, sport) == backend
            observer.program.run(client_frame(4, TCP, 0, sport, flags="A"))
            assert (observer.observation().backend, observer.observation().choice) == (backend, 1)
            mover.plane.maps["flows"].update(next(iter(mover.plane.flows())), bytes(32))
    finally:
        observer.object.close()


def test_tags_that_are_nearly_equal_are_not_equal(mover):
    """An entry with our tag and another's second half is another's."""
    assert mover.send("A") == OLD
    (place, flow), = mover.plane.flows().items()
    flow.backend = OTHER
    mover.plane.maps["flows"].update(place, flow)
    assert mover.send("A") == OTHER
    flow.tag2 ^= 1
    mover.plane.maps["flows"].update(place, flow)
    assert mover.send("A") == OLD


class TestClaimed:
    """Another processor is in the middle of a change of the flow's own entry: its tag is gone for that time."""

    @pytest.fixture
    def claimed(self, mover):
        assert mover.send("S") == NEW
        (place, flow), = mover.plane.flows().items()
        flow.tag = CLAIMED
        mover.plane.maps["flows"].update(place, flow)
        return mover

    @pytest.mark.parametrize("flags", ("A", "FA", "R", "S"))
    def test_the_flow_stays_where_it_is_remembered(self, claimed, flags):
        assert [claimed.send(flags) for _ in range(2)] == [NEW] * 2

    @pytest.mark.parametrize("flags", ("A", "FA", "R", "S"))
    def test_it_is_not_entered_a_second_time(self, claimed, flags):
        claimed.send(flags)
        assert (claimed.flow().tag, claimed.flow().backend, claimed.flow().state) == (CLAIMED, NEW, OPENING)

    def test_of_another_flow_it_is_no_business(self, claimed):
        (place, flow), = claimed.plane.flows().items()
        flow.tag2 ^= 1
        claimed.plane.maps["flows"].update(place, flow)
        assert claimed.send("A") == OLD
        assert len(claimed.plane.flows()) == 2


def test_entries_are_told_apart_by_vip_and_protocol(fresh):
    """Two VIPs whose halves fold to the same word, one client, one port."""
    twin = "2001:db8::10"
    packed = ipaddress.ip_address(twin).packed
    other = str(ipaddress.ip_address(packed[8:] + packed[:8]))
    fresh.add_service(TCP, other, 80, pool=1, ordinals=4)
    mover = Mover(fresh)
    for destination, flags, backend in ((twin, "S", NEW), (other, "A", OLD), (twin, "A", NEW), (other, "A", OLD)):
        verdict, out = fresh.program.run(client_frame(6, TCP, 0, flags=flags, destination=destination))
        assert verdict == TX and out[:6].hex(":") == BACKENDS[backend].mac
    assert len(fresh.flows()) == 2 and mover.first
    assert Ether(client_frame(4, TCP)).src == CLIENT_MAC and LINK_MAC


class TestBeginnings:
    """New flows as the services' counters have them."""

    @staticmethod
    def begun(plane, service):
        return sum(plane.counters(service, ordinal)[2] for ordinal in range(4))

    @pytest.fixture(params=(4, 6))
    def tracked(self, request, fresh):
        fresh.family = request.param
        fresh.datagrams = fresh.add_service(UDP, VIPS[request.param], 90, pool=1, ordinals=4, track="always", idle=30)
        fresh.connections = fresh.add_service(TCP, VIPS[request.param], 90, pool=1, ordinals=4, track="always")
        return fresh

    def send(self, plane, sport, proto=UDP, flags="A"):
        assert plane.program.run(client_frame(plane.family, proto, 1, sport, dport=90, flags=flags))[0] == TX

    def test_a_tracked_flow_of_datagrams_begins_once(self, tracked):
        for sport in (1, 2, 1, 3, 2, 1):
            self.send(tracked, sport)
        assert self.begun(tracked, tracked.datagrams) == 3
        assert sum(tracked.counters(tracked.datagrams, ordinal)[0] for ordinal in range(4)) == 6
        tracked.age_flows(31)
        for _ in range(2):
            self.send(tracked, 1)
        assert self.begun(tracked, tracked.datagrams) == 4, "silent for longer than its idle time: it begins again"

    def test_it_begins_at_the_backend_that_it_goes_to(self, tracked):
        """A slot that moves sends it to its base."""
        tracked.set_since(tracked.set_table(3, [moving(NEW, OLD)] * SIZE, pool=1, seed=SEED), SIZE, now())
        self.send(tracked, 1)
        assert [tracked.counters(tracked.datagrams, n - 1)[2] for n in (OLD, NEW)] == [1, 0]

    def test_a_tracked_connection_begins_with_its_syn_alone(self, tracked):
        for sport, flags in ((1, "S"), (1, "A"), (2, "A"), (2, "PA"), (3, "S")):
            self.send(tracked, sport, TCP, flags)
        assert len(tracked.flows()) == 3 and self.begun(tracked, tracked.connections) == 2

    def test_what_is_only_looked_at_begins_nothing(self, tracked):
        observer = DataPlane(shared_with=tracked, observing=True)
        try:
            observer.program.run(client_frame(tracked.family, UDP, 1, 1, dport=90))
        finally:
            observer.object.close()
        assert self.begun(tracked, tracked.datagrams) == 0

# SPDX-License-Identifier: Apache-2.0
"""A full flow table: what it gives up, and that every flow keeps one backend with all its packets."""

import random

import pytest

from dataplane import (CLOSING, ESTABLISHED, OPENING, SERVES_UDP, TCP, UDP, DataPlane, moving, now)
from frames import SIZE, client_frame
from pools import make_plane
from test_flow import DRAINING, NEW, OLD, OTHER, Mover

REMEMBERED, EVICTED_OPENING, EVICTED_CLOSING, EVICTED_ESTABLISHED, EVICTED_BASE, UNFIT, UNFIT_PACKETS = range(7)
IDLE, SHORT, HANDSHAKE = 7200, 60, 5
WAYS, ROOM = 8, 64
MIGRATING = 211


@pytest.fixture
def small():
    """Room for 64 flows: eight sets."""
    plane = make_plane(sizes={"flows": ROOM})
    yield Mover(plane)
    plane.close()


def fill(mover, sports=range(1, 400)):
    """Until every place is taken by an established flow away from the base."""
    for sport in sports:
        mover.send("S", sport)
        mover.send("A", sport)
    flows = mover.plane.flows().values()
    assert len(flows) == ROOM and all((f.state, f.backend) == (ESTABLISHED, NEW) for f in flows)


def put(mover, **values):
    """As if every remembered flow were so."""
    for place, flow in mover.plane.flows().items():
        for name, value in values.items():
            setattr(flow, name, value)
        mover.plane.maps["flows"].update(place, flow)


def grown(mover, *packets):
    """The kinds of events that sending these counted, with how often."""
    before = mover.plane.flow_events()
    for packet in packets:
        mover.send(*packet)
    return {kind: b - a for kind, (a, b) in enumerate(zip(before, mover.plane.flow_events())) if a != b}


def since_of(mover):
    """When the slots began to move, as the data plane has it now."""
    return [mover.plane.since_of(slot) for slot in range(mover.first, mover.first + SIZE)]


# One backend with all its packets -----------------------------------------------------------------------------------

@pytest.mark.parametrize("family", (4, 6))
def test_a_flow_that_does_not_fit_goes_to_one_backend_with_all_its_packets(small, family):
    """The base, SYN included: there its next packet would go."""
    fill(small)
    went = {sport: {small.send(flags, sport, family=family) for flags in ("S", "S", "A", "PA", "FA", "A")}
            for sport in range(3000, 3200)}
    assert {len(backends) for backends in went.values()} == {1}
    assert set.union(*went.values()) == {OLD}


def test_a_flow_that_does_not_fit_goes_to_the_owner_where_its_next_packet_goes_there(small):
    """The base serves no more, or the time of the old flows is over."""
    fill(small)
    small.plane.set_flags(OLD, SERVES_UDP)
    assert [small.send(flags, 3000) for flags in ("S", "A", "FA")] == [NEW] * 3
    small.plane.set_flags(OLD, DRAINING)
    small.plane.set_since(small.first, SIZE, now() - IDLE - 100)
    assert [small.send(flags, 3001) for flags in ("S", "A", "FA")] == [NEW] * 3
    assert max((now() - at) % (1 << 32) for at in since_of(small)) >= IDLE


def test_an_unremembered_flow_keeps_the_base_beyond_the_idle_time(small):
    """Its slot goes on moving for an idle time from each of its packets on."""
    fill(small)
    assert [small.send("S", 3000), small.send("A", 3000)] == [OLD, OLD]
    for _ in range(4):
        small.plane.set_since(small.first, SIZE, now() - IDLE // 2)
        assert small.send("A", 3000) == OLD
        moved = [at for at in since_of(small) if (now() - at) % (1 << 32) < 100]
        assert len(moved) == 1, "the slot of the flow, and no other"
    put(small, seen=now() - IDLE - 100)
    assert small.send("A", 3000) == OLD
    assert any(f.backend == OLD for f in small.plane.flows().values()), "there is room now: it is remembered"


@pytest.mark.parametrize("flags, event", [("S", UNFIT), ("A", UNFIT_PACKETS)])
def test_what_does_not_fit_is_counted(small, flags, event):
    fill(small)
    assert grown(small, (flags, 3000), (flags, 3000)) == {event: 2}


def test_udp_that_does_not_fit_keeps_its_backend(small):
    fill(small)
    assert grown(small, ("", 3000, UDP), ("", 3000, UDP)) == {UNFIT_PACKETS: 2}
    assert small.send("", 3000, UDP) == OLD


def test_a_pool_that_migrates(small):
    """The old table says where the unremembered live, for an idle time from the last of them on."""
    fill(small)
    old = small.plane.set_table(4, [OTHER] * 101, pool=1, seed=77)
    small.first = small.plane.set_table(5, [moving(NEW, NEW)] * MIGRATING, pool=1, seed=78, old_first=old, old_size=101,
                                        old_seed=77, since=now() - IDLE // 2)
    small.plane.set_since(small.first, MIGRATING, now() - IDLE // 2)
    put(small, slot=0)
    assert [small.send(flags, 3000) for flags in ("S", "A")] == [OTHER, OTHER]
    began = since_of(small)[:MIGRATING]
    assert sum((now() - at) % (1 << 32) < 100 for at in began) == 1
    # The idle time since the migration began is over, but not the one since this flow's last packet.
    table = {"old_first": old, "old_size": 101, "old_seed": 77, "since": now() - IDLE - 100}
    small.plane.next_slot = small.first
    small.plane.set_table(5, [moving(NEW, NEW)] * MIGRATING, pool=1, seed=78, **table)
    assert small.send("A", 3000) == OTHER


def test_observing_says_where_a_flow_without_room_would_go(small):
    observer = DataPlane(shared_with=small.plane, observing=True)
    try:
        fill(small)
        before = small.plane.flow_events()
        observer.program.run(client_frame(4, TCP, 0, 3000, flags="S"))
        assert (observer.observation().backend, observer.observation().choice) == (OLD, 2)
        assert small.plane.flow_events() == before
    finally:
        observer.object.close()


# What a full set gives up -------------------------------------------------------------------------------------------

def test_a_flood_of_syns_evicts_no_established_flow(small):
    """Sixteen flows that have shown two packets, then thousands that show one."""
    for sport in range(1, 17):
        assert [small.send("S", sport), small.send("A", sport)] == [NEW, NEW]
    went = []
    for sport in range(1000, 2000):
        if not sport % 20:
            put(small, seen=now())  # on a slow machine, too, no handshake goes silent
        went.append(small.send("S", sport))
    assert set(went) == {NEW, OLD} and went.count(NEW) == len(small.plane.flows()) - 16
    for sport in range(1, 17):
        assert small.send("A", sport) == NEW
    events = small.plane.flow_events()
    assert events[REMEMBERED] == len(small.plane.flows()) == ROOM
    assert events[UNFIT] == 16 + 1000 - ROOM and not any(events[EVICTED_OPENING:UNFIT])


def test_a_handshake_is_not_evicted_while_it_may_be_under_way(small):
    """Nor is a close: the next packet would go to the base."""
    for sport in range(1, 400):
        small.send("S", sport)
    put(small, seen=now())
    kept = {flow.tag for flow in small.plane.flows().values()}
    assert grown(small, ("S", 3000), ("A", 3001)) == {UNFIT: 1, UNFIT_PACKETS: 1}
    put(small, state=CLOSING)
    assert grown(small, ("S", 3000)) == {UNFIT: 1}
    assert {flow.tag for flow in small.plane.flows().values()} == kept


@pytest.mark.parametrize("state, event", [(OPENING, EVICTED_OPENING), (CLOSING, EVICTED_CLOSING)])
def test_a_handshake_or_close_that_went_silent_gives_way(small, state, event):
    fill(small)
    put(small, state=state, idle=SHORT)
    small.plane.age_flows(HANDSHAKE + 2)
    assert grown(small, ("S", 3000)) == {REMEMBERED: 1, event: 1}
    assert [small.send("A", 3000), small.send("PA", 3000)] == [NEW, NEW]


def test_a_syn_that_is_sent_again_keeps_its_handshake_young(small):
    assert small.send("S", 1) == NEW
    put(small, seen=now() - HANDSHAKE - 2)
    small.send("S", 1)
    assert small.flow().seen >= now() - 1


@pytest.mark.parametrize("silent", (0, IDLE // 2))
def test_an_established_flow_away_from_its_base_is_not_evicted(small, silent):
    fill(small)
    kept = {flow.tag for flow in small.plane.flows().values()}
    small.plane.age_flows(silent)
    assert grown(small, *[("S", sport) for sport in range(3000, 3100)]) == {UNFIT: 100}
    assert {flow.tag for flow in small.plane.flows().values()} == kept


def test_flows_at_their_base_give_way_to_new_ones_and_stay_where_they_are(small):
    """They are found without an entry, and their slots go on moving for as long as they may be silent."""
    for sport in range(1, 400):
        assert [small.send("A", sport), small.send("A", sport)] == [OLD, OLD]
    assert len(small.plane.flows()) == ROOM
    put(small, seen=now() - 100)
    small.plane.set_since(small.first, SIZE, now() - IDLE // 2)
    assert grown(small, ("S", 3000)) == {REMEMBERED: 1, EVICTED_BASE: 1}
    assert sum(90 < (now() - at) % (1 << 32) < 110 for at in since_of(small)) == 1
    assert [small.send("A", 3000), small.send("FA", 3000)] == [NEW, NEW]
    assert {small.send("A", sport) for sport in range(1, 400)} == {OLD}


def test_flows_at_their_base_do_not_give_way_to_each_other(small):
    for sport in range(1, 400):
        assert [small.send("A", sport), small.send("A", sport)] == [OLD, OLD]
    assert grown(small, *[("A", sport) for sport in range(3000, 3100)]) == {UNFIT_PACKETS: 100}


def test_what_is_over_goes_first(small):
    fill(small)
    small.plane.age_flows(IDLE + 100)
    assert grown(small, ("S", 7001)) == {REMEMBERED: 1}


def test_a_flow_that_is_over_leaves_no_second_entry(small):
    """It is remembered anew, in one place."""
    assert [small.send("S", 1), small.send("A", 1)] == [NEW, NEW]
    small.plane.age_flows(IDLE + 100)
    assert [small.send("A", 1), small.send("A", 1)] == [OLD, OLD]
    assert small.flow().backend == OLD


@pytest.mark.parametrize("seed", range(3))
def test_no_flow_is_split_in_a_table_that_is_too_small(small, seed):
    """Connections open, speak and end in random order while floods come and go, and others leave the table."""
    chance, live, sport = random.Random(seed), {}, 0
    for _ in range(2500):
        what = chance.random()
        if what < 0.02:
            for one in [one for one, (_, answered) in live.items() if not answered]:
                assert small.send("A", one) == live[one][0], one
                live[one][1] = True
            small.plane.age_flows(HANDSHAKE + 1)
        elif what < 0.3:
            sport += 1
            live[sport] = [small.send("S", sport), False]
        elif what < 0.4:
            small.send(chance.choice(("S", "A")), 50000 + chance.randrange(9000))
        elif live:
            one = chance.choice(list(live))
            ends = chance.random() < 0.1
            assert small.send("FA" if ends else "A", one) == live[one][0], one
            live[one][1] = True
            if ends:
                del live[one]


def test_a_drain_with_a_table_for_a_sixth_of_the_flows():
    """New connections open while the old ones speak: none goes to two backends."""
    plane = make_plane(sizes={"flows": 256})
    try:
        mover = Mover(plane)
        for sport in range(1, 1501):
            mover.send("A", sport)
        went = {sport: mover.send("S", sport) for sport in range(10000, 10750)}
        split = sum(mover.send("A", sport) != backend for sport, backend in went.items())
        assert split == 0, f"{split} of {len(went)} new connections were split"
    finally:
        plane.close()

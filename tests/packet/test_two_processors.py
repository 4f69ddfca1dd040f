# SPDX-License-Identifier: Apache-2.0
"""Two processors at one entry of the flow table: test runs in threads, which leave the interpreter while they run."""

import itertools
import threading
import time

import pytest

from dataplane import ESTABLISHED, OPENING, TCP, Flow, now
from frames import client_frame
from pools import make_plane
from test_flow import NEW, OLD, OTHER, Mover

WAYS = 8
MINE, OTHERS = 40000, 50000


@pytest.fixture
def one_set():
    """A flow table of a single set."""
    plane = make_plane(sizes={"flows": WAYS})
    yield Mover(plane)
    plane.close()


def runner(mover, flags, sport, repeat):
    frame = client_frame(4, TCP, 1, sport, flags=flags)
    return threading.Thread(target=lambda: mover.plane.program.run(frame, repeat=repeat))


def tags(mover):
    return [flow.tag for flow in mover.plane.flows().values() if flow.tag > 1]


def stays_twice(mover):
    """Whether a flow has two entries, and not for the moment in which they are united alone."""
    for _ in range(50):
        found = tags(mover)
        if len(set(found)) == len(found):
            return False
        time.sleep(0.001)
    return True


def test_a_flow_that_two_processors_enter_has_one_entry(one_set):
    """Its entry goes again and again while both have packets of it."""
    for _ in range(20):
        threads = [runner(one_set, "A", MINE, 60_000) for _ in range(2)]
        for thread in threads:
            thread.start()
        while all(thread.is_alive() for thread in threads):
            assert not stays_twice(one_set), "two entries of one flow"
            for place in range(WAYS):
                one_set.plane.flow(place).tag = 0
        for thread in threads:
            thread.join()
        assert len(tags(one_set)) <= 1


def fill_but_one(mover):
    """Seven established flows away from their base, which nobody displaces."""
    for place in range(WAYS):
        flow = Flow(tag=1000 + place, tag2=1, slot=0, seen=now(), backend=NEW, service=1, state=ESTABLISHED, proto=TCP,
                    pool=1, idle=7200)
        mover.plane.maps["flows"].update(place, flow if place else Flow())


def test_a_packet_changes_no_entry_that_was_given_to_another_flow(one_set):
    """A flow at its base closes, with many packets, while new ones take its place again and again."""
    fill_but_one(one_set)
    changed, given, ends = [], 0, time.monotonic() + 4
    syns = itertools.cycle(client_frame(4, TCP, 1, OTHERS + number, flags="S") for number in range(500))
    while time.monotonic() < ends and not changed:
        closing = runner(one_set, "FA", MINE, 100_000)
        closing.start()
        while closing.is_alive():
            one_set.plane.program.run(next(syns))
            entry = Flow.from_buffer_copy(one_set.plane.flow(0))
            if entry.tag > 1 and entry.backend == NEW:
                given += 1
                if (entry.state, entry.idle) != (OPENING, 60):
                    changed.append((entry.state, entry.idle))
                one_set.plane.flow(0).tag = 0
        closing.join()
    assert given > 30, "the new flow never took the place"
    assert not changed, f"one of {given} entries was changed by another flow's packet: {changed}"


def test_of_two_entries_one_stays(one_set):
    """Two processors have entered one flow, and one of the entries is over."""
    assert one_set.send("A", MINE) == OLD
    (entry,) = one_set.plane.flows().values()
    for place in range(WAYS):
        one_set.plane.maps["flows"].update(place, Flow())
    twin = Flow.from_buffer_copy(entry)
    twin.backend = OTHER
    entry.seen = now() - 7300
    one_set.plane.maps["flows"].update(2, entry)
    one_set.plane.maps["flows"].update(6, twin)
    went = one_set.send("A", MINE)
    assert len(tags(one_set)) == 1, "two entries of one flow"
    assert {one_set.send("A", MINE) for _ in range(3)} == {went}

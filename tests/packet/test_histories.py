# SPDX-License-Identifier: Apache-2.0
"""Random histories of a moving slot: drains, failures, returns, silences; every packet goes where a model that
remembers every flow says."""

import random

import pytest

from dataplane import CLOSING, ESTABLISHED, OPENING, SERVES_TCP, SERVES_UDP, TAKES_NEW, TCP, UDP
from test_flow import SEED, Mover, moving, now
from frames import SIZE

IDLE, SHORT, QUIET = 7200, 60, 5
GRID = 10  # every silence is a multiple of it, so that the seconds a test takes itself do not count
FLAGS = {"active": TAKES_NEW | SERVES_TCP | SERVES_UDP, "draining": SERVES_TCP | SERVES_UDP, "down": SERVES_TCP,
         "gone": 0}


class Model:
    """Of flow_place(): flows are [backend, state, silent since, idle]."""

    def __init__(self, chance):
        self.chance, self.flows = chance, {}
        self.admin = dict.fromkeys(range(1, 5), "active")
        self.owner, self.base, self.moving_since = 2, 1, 0

    def serves(self, backend, proto):
        return FLAGS[self.admin[backend]] & (SERVES_UDP if proto == UDP else SERVES_TCP)

    def stays(self, flow, proto, syn):
        backend, state, silent, _ = flow
        if not self.serves(backend, proto):
            return False
        return not syn or self.admin[backend] == "active" or (state != CLOSING and silent <= QUIET)

    def route(self, key, proto, flags):
        syn, ends = flags == "S" and proto == TCP, proto == TCP and ("F" in flags or "R" in flags)
        flow = self.flows.get(key)
        if flow and flow[2] <= flow[3]:
            backend = flow[0] if self.stays(flow, proto, syn) else self.owner
            self.refresh(flow, backend, syn, ends)
            return backend
        backend = self.owner
        if not syn and self.moving_since < IDLE and self.serves(self.base, proto):
            backend = self.base
        self.flows[key] = [backend, CLOSING if ends else OPENING, 0, SHORT if syn or ends else IDLE]
        return backend

    def refresh(self, flow, backend, syn, ends):
        moved, flow[0] = flow[0] != backend, backend
        if syn and not moved and flow[1] == ESTABLISHED:
            return
        flow[2] = 0
        if syn and not moved and flow[1] == OPENING:
            return
        if syn or ends:
            flow[1], flow[3] = (OPENING if syn else CLOSING), SHORT
        elif flow[1] == OPENING:
            flow[1], flow[3] = ESTABLISHED, IDLE


def change(model, mover):
    """Something happens; the data plane is told as user space would tell it."""
    what = model.chance.choice(["admin", "owner", "silence", "age"])
    if what == "admin":
        number = model.chance.randrange(1, 5)
        model.admin[number] = model.chance.choice(list(FLAGS))
        mover.plane.set_flags(number, FLAGS[model.admin[number]])
    if what == "owner":
        model.owner = model.chance.randrange(1, 5)
        mover.plane.next_slot = mover.first
        mover.plane.set_table(3, [moving(model.owner, model.base)] * SIZE, pool=1, seed=SEED)
    mover.plane.round_ages(GRID)
    if what == "silence":
        seconds = model.chance.choice([130, 4010])
        mover.plane.age_flows(seconds)
        for flow in model.flows.values():
            flow[2] += seconds
    if what == "age":
        model.moving_since = model.chance.choice([0, 1000, 9000])
        mover.plane.set_since(mover.first, SIZE, now() - model.moving_since)


@pytest.mark.parametrize("seed", range(6))
def test_every_packet_goes_where_the_model_says(fresh, seed):
    chance = random.Random(seed)
    model, mover = Model(chance), Mover(fresh)
    for step in range(150):
        change(model, mover)
        for _ in range(12):
            proto, sport = chance.choice((TCP, UDP)), chance.randrange(1, 25)
            flags = chance.choice(("S", "A", "A", "A", "FA", "R"))
            expected = model.route((proto, sport), proto, flags)
            assert mover.send(flags, sport, proto) == expected, (step, proto, sport, flags)
    assert len(fresh.flows()) == len(model.flows) and not any(fresh.flow_events()[1:])

# SPDX-License-Identifier: Apache-2.0
"""What a storm consists of: one row a change, in the order in which it comes."""

import time

from field import POOL, Refused, Unavailable, change

GRACE = 10  # seconds, a pool's default


class Change:
    """One row. act(field) makes the change.

    needs_receivers: only another hop can save the flows of a balancer that does not know them.
    udp_moves: datagrams that no receiver passes on may go elsewhere.
    lasts: how long it takes until every packet that this may touch has come by, in seconds."""

    def __init__(self, name, act, needs_receivers=False, udp_moves=False, lasts=3.0):
        self.name, self.act = name, act
        self.needs_receivers, self.udp_moves, self.lasts = needs_receivers, udp_moves, lasts


def nothing(field):
    """The base line: a flock that breaks by itself proves nothing."""


def add_two(field):
    for host in field.spare:
        field.everywhere(f"backend add {POOL}/{host.name} {host.address}")


def drain_two(field):
    for host in field.first[:2]:
        field.everywhere(f"backend drain {POOL}/{host.name}")


def remove_one(field):
    """Drains first: it leaves when its last flow has ended, and its server lives on."""
    field.everywhere(f"backend remove {POOL}/{field.first[3].name}")


def change_weights(field):
    field.everywhere(f"backend set {POOL}/{field.first[4].name} --weight 300")
    field.everywhere(f"backend set {POOL}/{field.first[5].name} --weight 20")


def grow_table(field):
    words = f"pool set {POOL} --table-size 131071"
    for daemon in field.daemons:
        try:
            change(daemon, words)
        except Refused as refusal:
            if "force" not in str(refusal):
                raise
            if field.form.track:
                raise Unavailable(f"the old table is not kept: {refusal}") from None
            change(daemon, words + " --force")


def kill_daemon(field):
    field.daemons[0].kill()
    field.client.report()
    time.sleep(1)
    field.daemons[0].start()


def activate_one(field):
    field.everywhere(f"backend activate {POOL}/{field.first[0].name}")


def upgrade(field):
    field.everywhere("upgrade")


def reboot(field):
    """Balancer 1 forgets every flow, and builds everything again from its database."""
    field.daemons[0].stop()
    field.daemons[0].remove_pins()
    field.daemons[0].start()


def withdraw(field):
    field.lab.route(field.lab.balancers[1:])


def bring_back(field):
    field.lab.route(field.lab.balancers)


def blind(field):
    change(field.daemons[0], f"backend health {POOL}/{field.first[2].name} down")


def see_again(field):
    change(field.daemons[0], f"backend health {POOL}/{field.first[2].name} auto")


def slots_of(field, name):
    """How many slots the backend owns on each balancer."""
    return [daemon.json(f"backend show {name}")["slots"] for daemon in field.daemons]


def false_alarm(field):
    """Down everywhere, and up before the grace is over."""
    name = f"{POOL}/{field.first[6].name}"
    before = slots_of(field, name)
    field.everywhere(f"backend health {name} down")
    time.sleep(GRACE * 0.4)
    field.everywhere(f"backend health {name} auto")
    after = slots_of(field, name)
    if after != before:
        raise Refused(f"{name} had {before} slots on the balancers, and has {after} now that it is up again")


CHANGES = (
    Change("nothing", nothing),
    Change("add two backends", add_two),
    Change("drain two backends", drain_two),
    Change("remove a backend (it drains)", remove_one),
    Change("change two weights", change_weights),
    Change("grow the table", grow_table),
    Change("kill -9 a daemon, start it", kill_daemon),
    Change("upgrade the program", upgrade),
    Change("mark a healthy backend down, up", false_alarm, udp_moves=True),
    Change("withdraw balancer 1", withdraw, needs_receivers=True, udp_moves=True),
    Change("bring balancer 1 back", bring_back, needs_receivers=True, udp_moves=True),
    Change("reboot balancer 1: flows forgotten", reboot, needs_receivers=True, udp_moves=True),
    Change("balancer 1 alone calls one down", blind, needs_receivers=True, udp_moves=True, lasts=GRACE + 4),
    Change("balancer 1 sees it again", see_again, needs_receivers=True, udp_moves=True),
    Change("activate a drained backend", activate_one),
)

# SPDX-License-Identifier: Apache-2.0
"""The trial of removals: a backend is removed within a second after connections to it have opened, again and again."""

import time

from harness.wait import wait_until
from field import POOL

ROUNDS, OPENED = 12, 60
DECIDED_SECONDS = 60


def shown(daemon, name):
    """A backend as this balancer shows it, None if it has left."""
    return next((b for b in daemon.json(f"backend list {POOL}")["backends"] if b["name"] == name), None)


def has_decided(daemon, name):
    """It has left, or the balancer has counted flows after the removal."""
    backend = shown(daemon, name)
    return not backend or (backend["remembered"] > backend["closing"] and backend.get("counted", 0) is not None)


def remove_while_opening(field):
    """Returns how many connections were on the backend when it was removed, and how many broke."""
    host, broken, there = field.first[0], 0, 0
    for _ in range(ROUNDS):
        for daemon in field.daemons:
            daemon.run(f"backend remove {POOL}/{host.name} --now --force", status=None)  # where it has not left yet
        field.everywhere(f"backend add {POOL}/{host.name} {host.address}")  # its slots move now
        time.sleep(1.1)
        for daemon in field.daemons:
            shown(daemon, host.name)  # the daemon counts
        field.client.open("tcp", OPENED)
        field.everywhere(f"backend remove {POOL}/{host.name}")
        there += field.client.report()["tcp"]["servers"][host.name]["live"]
        for daemon in field.daemons:
            wait_until(lambda: has_decided(daemon, host.name), DECIDED_SECONDS, f"{daemon.host.name} has counted")
        time.sleep(1)
        field.client.report()
        broken = field.client.mishaps("tcp")
        field.client.close("tcp", 10 * OPENED)
        field.client.wait_for(lambda r: r["tcp"]["live"] == 0, 60, "every connection ends")
    return there, broken

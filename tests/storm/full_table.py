# SPDX-License-Identifier: Apache-2.0
"""The trial of a full flow table: far more connections live than it has room for, a backend drains, new ones open.

Without receivers, for with them the backend would pass on what came to it by mistake."""

import time

from harness.wait import wait_until
from broken import expect
from field import POOL, SERVICES

LIVE, NEW = 6000, 3000
PLACES = 512  # of each balancer: together a sixth of the live connections
IDLE = 20
SPEAKS = 2  # seconds in which every connection does
SETTLED_SECONDS = 120


def status(daemon):
    """What it says, and the exit status of status --check."""
    done = daemon.run("status --check --json", status=None)
    return daemon.json("status"), done.returncode


def is_drained(daemon, name):
    return daemon.json(f"backend show {POOL}/{name}")["admin"] == "drained"


def keep_all(field, live=LIVE, new=NEW):
    """Returns how many of the new connections went to two backends; they must outlive the idle time, and all end."""
    name = field.first[0].name
    for proto, listen in SERVICES:
        field.everywhere(f"service set {proto} {listen} --idle {IDLE}s")
    field.population("tcp", live)
    expect(not field.client.events, f"broken before: {field.client.events[:3]}")
    field.everywhere(f"backend drain {POOL}/{name}")
    time.sleep(SPEAKS)
    field.client.ask(f"open tcp {new}")
    field.client.wait_for(lambda r: r["tcp"]["opened"] + field.client.mishaps("tcp", "unopened") >= live + new
                          and not r["tcp"]["opening"], 120, f"{new} more have opened or broken", 1)
    told = [status(daemon) for daemon in field.daemons]
    time.sleep(IDLE + SPEAKS)
    field.client.report()
    split, unfit = field.client.mishaps("tcp"), sum(state["flows"].get("unfit", 0) for state, _ in told)
    expect(not split, f"{split} of {live + new} connections were split: {field.client.events[:2]}")
    expect(unfit, "every connection found room: the table was not full")
    for state, degraded in told:
        if state["flows"]["unfit"]:
            expect(degraded and any("--max-flows" in problem for problem in state["problems"]),
                   f"status does not warn: exit {degraded}, {state['problems']}")
    field.client.close("tcp", live + new)
    began = time.monotonic()
    for daemon in field.daemons:
        wait_until(lambda: is_drained(daemon, name), SETTLED_SECONDS, f"{name} is drained", 0.5)
    return (f"split 0 of {live + new}, {unfit} of {new} found no room; drained {time.monotonic() - began:.0f} s after the"
            f" last connection had ended, with an idle time of {IDLE} s")

# SPDX-License-Identifier: Apache-2.0
"""A trial: balancers and backends share one Ethernet segment, and connections find their backends by the hops alone."""

import json
import time

from harness import BUILD
from broken import expect
from changes import add_two, bring_back, reboot, withdraw

CONNECTIONS, IDLE = 1000, 50
SETTLES_WITHIN = 5  # seconds in which every connection speaks again


def counted(field, verdict):
    """What the receivers of all backends counted, added up."""
    total = 0
    for host in field.lab.backends:
        receivers = json.loads(host.run(BUILD / "holdfast", "--json", "receiver", "list").stdout)["receivers"]
        total += sum(receiver["verdicts"].get(verdict, 0) for receiver in receivers)
    return total


def everyone_is_answered(field, after):
    """Every flow speaks, and who is silent then speaks again or is given up."""
    field.client.ask("check")
    time.sleep(SETTLES_WITHIN)
    field.client.ask("check")
    field.client.wait_for(lambda r: not any(r[kind]["stalled"] for kind in ("tcp", "idle")), field.limit + 5,
                          "nobody is silent", 0.3)
    broken = [event for event in field.client.events if event["kind"] != "udp"]
    expect(not broken, f"{len(broken)} broke after {after}: {broken[:3]}")
    field.downloads.go_on(field.limit)


def stays_put(field):
    field.population("tcp", CONNECTIONS)
    field.population("idle", IDLE)
    field.downloads.start()
    add_two(field)
    everyone_is_answered(field, "two backends were added")
    passed = []
    for change, words in ((reboot, "a reboot of balancer 1"), (withdraw, "balancer 1 was withdrawn"),
                          (bring_back, "balancer 1 came back")):
        for host in field.lab.backends:
            host.forget_neighbours()
        before = counted(field, "passed-on")
        change(field)
        everyone_is_answered(field, words)
        passed.append(counted(field, "passed-on") - before)
    expect(passed[0], "after the reboot no packet needed a further hop: this trial proves nothing")
    field.downloads.finish()
    field.downloads.collect()
    expect(not field.downloads.failed, f"downloads: {field.downloads.failed[:3]}")
    return (f"0 of {CONNECTIONS + IDLE} broke, {field.downloads.done} downloads whole; passed on after each change:"
            f" {passed[0]}, {passed[1]}, {passed[2]} packets; refused by routes {counted(field, 'no-route')}")

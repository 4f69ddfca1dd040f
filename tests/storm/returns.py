# SPDX-License-Identifier: Apache-2.0
"""The trial of backends that leave a file and come back, and of names that other servers take, with a balancer lost
while they drain."""

import time

from broken import expect
from field import POOL, change

ROUNDS, CONNECTIONS = 3, 600
SEEN_SECONDS = 2  # until every connection has spoken


def without(text, names):
    return "".join(line for line in text.splitlines(keepends=True)
                   if not any(f"{{name: {name}," in line for name in names))


def apply(field, text):
    for number, daemon in enumerate(field.daemons):
        path = field.lab.dir / f"returns-{number}.yaml"
        path.write_text(text)
        change(daemon, f"apply -f {path} --force")


def none_broke(field, when):
    time.sleep(SEEN_SECONDS)
    field.client.report()
    expect(not field.client.events, f"{len(field.client.events)} broke {when}: {field.client.events[:3]}")


def agree(field, when):
    first, second = ({(b["name"], b["slots"]) for b in daemon.json(f"backend list {POOL}")["backends"] if not b["removing"]}
                     for daemon in field.daemons)
    digests = field.digests()
    expect(first == second and digests[0] == digests[1], f"the balancers do not agree {when}: {first ^ second} {digests}")
    expect(all(slots for _, slots in first), f"some own no slots {when}: {first}")
    return len(first)


def leave_and_return(field):
    """Returns how many connections stayed through how many changes."""
    file = change(field.daemons[0], "export")
    dropped = [host.name for host in field.first[:2]]
    taker, changes, losses = field.spare[0], 0, 0
    field.population("tcp", CONNECTIONS)
    for number in range(ROUNDS):
        apply(field, without(file, dropped))
        none_broke(field, "when a file dropped two backends")
        if number % 2:  # where a drain has ended, the backend has left: one balancer sees it, the other not yet
            for balancer in field.daemons[:1]:
                balancer.kill()
                balancer.start()
        apply(field, file)
        none_broke(field, "when the file named them again")
        expect(agree(field, "when the file named them again") == len(field.first), "not all are back")
        apply(field, file.replace(f"address: {field.first[0].address}", f"address: {taker.address}"))
        field.client.open("tcp", 30)
        none_broke(field, "when another server took a name")
        if field.form.receivers:
            field.lab.route(field.lab.balancers[1:])
            none_broke(field, "when a balancer was lost meanwhile")
            field.lab.route(field.lab.balancers)
            losses += 1
        apply(field, file)
        none_broke(field, "when the server had its name again")
        agree(field, "at the end of a round")
        changes += 4
    return f"{field.live()} connections stayed through {changes} changes by file, and {losses} losses of a balancer"

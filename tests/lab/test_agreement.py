# SPDX-License-Identifier: Apache-2.0
"""Balancers agree with each other, whatever the order of their changes."""

import holdfast


def digest(daemon):
    return daemon.json("pool show db")["digests"]["table"]


def test_order_of_members_does_not_matter(make_lab):
    lab = make_lab(clients=0, balancers=2, backends=0)
    one, other = (holdfast.Daemon(host).start() for host in lab.balancers)
    members = [(f"b{n}", f"10.0.0.{10 + n}", 50 + 37 * n) for n in range(1, 13)]
    for daemon, ordered in ((one, members), (other, members[::-1])):
        daemon.say("pool add db")
        for name, address, weight in ordered:
            daemon.say(f"backend add db/{name} {address} --weight {weight}")
    assert digest(one) == digest(other)
    other.say("backend set db/b7 --weight 1000")
    assert digest(one) != digest(other)
    other.say("backend set db/b7 --weight 309")
    assert digest(one) == digest(other)


def test_another_seed_is_another_table(make_lab):
    lab = make_lab(clients=0, balancers=1, backends=0)
    daemons = [holdfast.Daemon(lab.lb1, suffix, seed).start() for suffix, seed in (("", "0000000000000011"), ("-other", "0000000000000012"))]
    for daemon in daemons:
        daemon.say("pool add db")
        daemon.say("backend add db/b1 10.0.0.11")
        daemon.say("backend add db/b2 10.0.0.12")
    assert digest(daemons[0]) != digest(daemons[1])

# SPDX-License-Identifier: Apache-2.0
"""Balancers agree with each other, whatever the order of their changes."""



def digest(daemon):
    return daemon.json("pool show db")["digests"]["table"]


def test_order_of_members_does_not_matter(make_lab):
    lab = make_lab(clients=0, balancers=2, backends=0)
    one, other = (host.daemon().start() for host in lab.balancers)
    members = [(f"b{n}", f"10.0.0.{10 + n}", 50 + 37 * n) for n in range(1, 13)]
    for daemon, ordered in ((one, members), (other, members[::-1])):
        daemon.run("pool add db")
        for name, address, weight in ordered:
            daemon.run(f"backend add db/{name} {address} --weight {weight}")
    assert digest(one) == digest(other)
    other.run("backend set db/b7 --weight 1000")
    assert digest(one) != digest(other)
    other.run("backend set db/b7 --weight 309")
    assert digest(one) == digest(other)


def test_another_seed_is_another_table(make_lab):
    lab = make_lab(clients=0, balancers=1, backends=0)
    daemons = [lab.lb1.daemon(suffix, seed).start() for suffix, seed in (("", "0000000000000011"), ("-other", "0000000000000012"))]
    for daemon in daemons:
        daemon.run("pool add db")
        daemon.run("backend add db/b1 10.0.0.11")
        daemon.run("backend add db/b2 10.0.0.12")
    assert digest(daemons[0]) != digest(daemons[1])

# SPDX-License-Identifier: Apache-2.0
"""Balancers agree with each other, and `why` agrees with where packets really went."""

import holdfast
import servers

VIP, PORT = "203.0.113.10", 5432
FLOWS = 500  # of each protocol
MORE_CLIENTS = [f"198.51.100.{n}" for n in range(129, 149)]


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


def test_why_tells_where_packets_go(balanced):
    lab, daemon = balanced(ports=((80, "tcp"), (PORT, "udp")), weights={"b1": 100, "b2": 200, "b3": 300, "b4": 150})
    lab.router("ip", "route", "replace", "198.51.100.128/25", "via", lab.c1.address, "dev", "c1")
    for address in MORE_CLIENTS:
        lab.c1.run("ip", "addr", "replace", f"{address}/32", "dev", "lo")
    receivers = {backend.name: servers.start_datagram_server(backend, VIP, PORT) for backend in lab.backends}
    servers.start_traffic(lab.c1, "send", VIP, PORT, "--seconds", 1, "--rate", FLOWS, "--sources", FLOWS,
                          "--from", *MORE_CLIENTS).result(60)
    went = {("udp", flow): name for name, receiver in receivers.items() for flow in receiver.result()["flows"]}
    connected = servers.start_traffic(lab.c1, "connect", VIP, 80, "--count", FLOWS, "--from", *MORE_CLIENTS,
                                      "--flows").result(60)
    went.update({("tcp", flow): name for flow, name in connected["flows"].items()})
    assert len(went) == 2 * FLOWS
    said = {(proto, flow): daemon.json(f"why {proto} {flow} {VIP}:{PORT if proto == 'udp' else 80}")["backend"]
            for proto, flow in went}
    wrong = {flow: (said[flow], went[flow]) for flow in went if said[flow] != f"db/{went[flow]}"}
    assert not wrong
    assert len(set(said.values())) == 4


def test_why_names_the_reason_for_what_is_not_forwarded(balanced):
    _, daemon = balanced(ports=((80, "tcp"), (PORT, "udp")))
    told = daemon.say("why tcp 198.51.100.11:4000 192.0.2.1:80", check=False)
    assert "no-service" in told.stdout

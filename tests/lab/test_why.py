# SPDX-License-Identifier: Apache-2.0
"""`why` tells where packets go, in both families and to a pool of mixed ones, and leaves no trace of having asked."""

import itertools
from urllib.parse import quote

import pytest

from harness import servers
import counters

VIPS = {4: "203.0.113.10", 6: "2001:db8:203::10"}
WEIGHTS = {"b1": 100, "b2": 200, "b3": 300, "b4": 150}
PORTS = {"tcp": 80, "udp": 5432}
FLOWS = 500  # of each protocol and family
CLIENTS = {4: [f"198.51.100.{n}" for n in range(129, 149)], 6: [f"2001:db8:1::1:{n:x}" for n in range(1, 21)]}
CLIENT_NETS = {4: "198.51.100.128/25", 6: "2001:db8:1::1:0/112"}
# Maps that can be read whole in no time.
SMALL = ("--max-slots", 2048, "--max-flows", 4096, "--max-hops", 64, "--max-counters", 64)
NOTHING_OF_IT = ["tcp 198.51.100.11:4000 203.0.113.10:81", "tcp 198.51.100.11:4000 192.0.2.1:80",
                 "udp [2001:db8:1::1]:4000 [2001:db8:203::10]:81", "tcp 198.51.100.11:4000 203.0.113.11:80"]


def at(address, port):
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


@pytest.fixture(scope="module")
def mixed(lab):
    """One pool of both families behind a VIP of each, and clients with many addresses."""
    for family, net in CLIENT_NETS.items():
        via = lab.c1.address6 if family == 6 else lab.c1.address
        lab.router.run("ip", "route", "replace", net, "via", via, "dev", "c1")
        for address in CLIENTS[family]:
            lab.c1.run("ip", "addr", "replace", address, "dev", "lo")
    for backend in lab.backends:
        backend.attach_receiver()
    daemon = lab.lb1.daemon(arguments=SMALL).start()
    daemon.run("pool add db --table-size 509")
    for name, weight in WEIGHTS.items():
        host = lab.hosts[name]
        daemon.run(f"backend add db/{name} {host.address if name in ('b1', 'b2') else host.address6} --weight {weight}")
    for vip, (proto, port) in itertools.product(VIPS.values(), PORTS.items()):
        daemon.run(f"service add {proto} {at(vip, port)} --pool db")
    daemon.run("pool add empty --table-size 251")
    daemon.run("service add tcp 203.0.113.11:80 --pool empty")
    daemon.run("interface attach eth0")
    return lab, daemon


def where_they_went(lab, family):
    """(proto, flow) -> the backend that counted it, for FLOWS flows of each protocol."""
    vip = VIPS[family]
    listeners = {host.name: servers.start_datagram_server(host, vip, PORTS["udp"]) for host in lab.backends}
    servers.start_traffic(lab.c1, "send", vip, PORTS["udp"], "--seconds", 1, "--rate", FLOWS, "--sources", FLOWS,
                          "--from", *CLIENTS[family]).result(60)
    went = {("udp", flow): name for name, listener in listeners.items() for flow in listener.result()["flows"]}
    connected = servers.start_traffic(lab.c1, "connect", vip, PORTS["tcp"], "--count", FLOWS, "--from",
                                      *CLIENTS[family], "--flows").result(60)
    assert connected["failed"] == 0, connected["errors"]
    went.update({("tcp", flow): name for flow, name in connected["flows"].items()})
    assert len(went) == 2 * FLOWS
    return went


def line(proto, flow, family):
    return f"{proto} {flow} {at(VIPS[family], PORTS[proto])}"


def ask(api, words):
    proto, source, destination = words.split()
    return api.get(f"/v1/why?proto={proto}&src={quote(source)}&dst={quote(destination)}")


@pytest.mark.parametrize("family", VIPS)
def test_a_thousand_flows(mixed, family):
    lab, daemon = mixed
    went = where_they_went(lab, family)
    before = counters.live_maps(daemon.instance)
    with_daemon = daemon.api()
    told = {key: ask(with_daemon, line(*key, family)) for key in went}
    after = counters.live_maps(daemon.instance)
    addresses = {host.name: host.address if host.name in ("b1", "b2") else host.address6 for host in lab.backends}
    wrong = {key: (told[key]["backend"], told[key]["outer"], name) for key, name in went.items()
             if (told[key]["verdict"], told[key]["backend"]) != ("forward", f"db/{name}")
             or told[key]["outer"]["destination"] != addresses[name]}
    assert not wrong
    assert set(went.values()) == set(WEIGHTS)
    for key in list(went)[::100]:
        assert daemon.json(f"why {line(*key, family)}") == told[key]
    # Neighbours are asked for all the time, and their answers are counted as no service's; nothing else is.
    assert {name for name in before if before[name] != after[name]} <= {"reasons"}


def test_no_trace_of_having_asked(mixed):
    """Not in any map, whatever the answer; and it would show: one packet that is none of ours is in the maps."""
    lab, daemon = mixed
    daemon.run("backend set db/b1 --weight 300")  # so that some slots move, and flows there are remembered
    daemon.run("interface detach eth0")
    api = daemon.api()
    asked = [line(proto, at(address, port), family) for family, proto, port in itertools.product(VIPS, PORTS, range(5000, 5050))
             for address in CLIENTS[family][:1]]
    before = counters.live_maps(daemon.instance)
    told = [ask(api, words) for words in asked + NOTHING_OF_IT]
    assert counters.live_maps(daemon.instance) == before
    assert {one["moving"] for one in told[:len(asked)]} == {True, False}
    assert {one["verdict"] for one in told[:len(asked)]} == {"forward"}
    assert [(one["verdict"], one["reason"]["word"]) for one in told[len(asked):]] == [
        ("pass", "no-service"), ("pass", "no-service"), ("pass", "no-service"), ("drop", "no-backend")]
    daemon.run("interface attach eth0")
    before = counters.live_maps(daemon.instance)
    lab.c1.run("bash", "-c", f"echo >/dev/udp/{VIPS[4]}/81")
    after = counters.live_maps(daemon.instance)
    assert {name for name in before if before[name] != after[name]} == {"reasons"}


def test_the_same_without_the_daemon(mixed):
    """From the pins alone, and again without a trace; the daemon, started again, finds all as it was."""
    lab, daemon = mixed
    asked = [line(proto, at(address, 6000 + n), family) for family, proto in itertools.product(VIPS, PORTS)
             for n, address in enumerate(CLIENTS[family][:3])] + NOTHING_OF_IT
    api = daemon.api()
    live = [ask(api, words) for words in asked]
    daemon.run("interface detach eth0")
    daemon.kill()
    before = counters.live_maps(daemon.instance)
    offline = [daemon.json(f"--offline why {words}") for words in asked]
    assert counters.live_maps(daemon.instance) == before
    for words, one, other in zip(asked, live, offline):
        same = {key: value for key, value in one.items() if value is not None and key not in ("next_hop", "hops", "stated")}
        assert {key: other.get(key) for key in same} == same, words
    daemon.start()
    daemon.run("interface attach eth0")
    assert where_they_went(lab, 4)


@pytest.mark.parametrize("interface", ["lo", "eth0"])
def test_an_interface_to_come_in_by(mixed, interface):
    _, daemon = mixed
    told = daemon.run(f"--json why tcp 198.51.100.11:4000 203.0.113.10:80 --interface {interface}")
    assert '"forward"' in told.stdout
    refused = daemon.run("why tcp 198.51.100.11:4000 203.0.113.10:80 --interface nosuch0", status=None)
    assert refused.returncode == 1 and "nosuch0" in refused.stderr

# SPDX-License-Identifier: Apache-2.0
"""What stops packets is seen: UP counts backends that can be reached, and `status --check` fails where packets do not."""


import pytest

from harness.wait import wait_until


FLOW = "/v1/why?proto=tcp&src=198.51.100.7:{}&dst=203.0.113.10:5432"
ALL = "tcp 203.0.113.10:5432"


def holdfast(daemon, *words):
    """What the command line exits with, and prints."""
    done = daemon.run(words, status=None)
    return done.returncode, done.stdout + done.stderr


def ip(daemon, words):
    daemon.host.run("ip", *words.split())


def service(daemon, name=ALL):
    return next(s for s in daemon.get("/v1/status")["services"] if s["service"] == name)


def is_sound(daemon):
    status = daemon.get("/v1/status")
    return status["state"] == "ready" and not status["problems"] and service(daemon)["up"] == 3


@pytest.fixture
def reached(serving):
    wait_until(lambda: is_sound(serving))
    assert holdfast(serving, "status", "--check")[0] == 0
    return serving


def assert_degraded(daemon, up, *texts):
    """Everywhere alike: the state, the count of each view, the exit status, a line for each text."""
    wait_until(lambda: service(daemon)["up"] == up)
    status = wait_until(lambda: (s := daemon.get("/v1/status"))["problems"] and s)
    assert status["state"] == "degraded"
    assert service(daemon)["up"] == up == daemon.get("/v1/pools/db")["up"]
    assert daemon.get("/v1/services/tcp/203.0.113.10:5432")["up"] == up
    code, said = holdfast(daemon, "status", "--check")
    assert code == 1 and f"{up}/3" in said, said
    for text in texts:
        assert any(text in line for line in said.splitlines() if line.startswith("ERROR")), said


def test_no_route_to_any_backend(reached):
    ip(reached, "addr del 10.9.0.1/24 dev eth0")
    assert_degraded(reached, 0, f"service {ALL}: no backend can be reached",
                    "packets to db/db1, db/db2, db/db3 are dropped: no route")
    ip(reached, "addr add 10.9.0.1/24 dev eth0")
    wait_until(lambda: is_sound(reached))
    assert holdfast(reached, "status", "--check")[0] == 0


def test_the_attached_link_is_down(reached):
    ip(reached, "link set eth0 down")
    assert_degraded(reached, 0, "interface eth0: it is down", "no backend can be reached")
    ip(reached, "link set eth0 up")
    wait_until(lambda: is_sound(reached))
    reached.host.peer.run("ip", "link", "set", "r0", "down")
    assert_degraded(reached, 0, "interface eth0: it has no carrier", "dropped: interface down")
    assert "no carrier" in reached.get("/v1/interfaces")["interfaces"][0]["problem"]
    reached.host.peer.run("ip", "link", "set", "r0", "up")
    wait_until(lambda: is_sound(reached))


def test_what_befalls_an_attached_link_is_an_event(reached):
    def texts():
        return [e["text"] for e in reached.get("/v1/events")["events"] if (e["kind"], e["subject"]) == ("interface", "eth0")]

    assert texts() == []
    reached.host.peer.run("ip", "link", "set", "r0", "down")
    wait_until(lambda: len(texts()) == 1)
    reached.host.peer.run("ip", "link", "set", "r0", "up")
    wait_until(lambda: len(texts()) == 2)
    lost, found = texts()
    assert lost.startswith("it has no carrier") and found == "it is up, and packets come in again"


def test_one_of_two_attached_links_is_down(reached):
    """Backends are reached by the other one, yet what should come in by this one does not."""
    ip(reached, "link add in0 type veth peer name in1")
    ip(reached, "link set in0 up")
    ip(reached, "link set in1 up")
    reached.operate("interface.attach", name="in0")
    wait_until(lambda: is_sound(reached))
    ip(reached, "link set in1 down")
    assert_degraded(reached, 3, "interface in0: it has no carrier")
    ip(reached, "link set in1 up")
    wait_until(lambda: is_sound(reached))


def test_the_balancers_own_address_as_the_only_backend(reached):
    own = {"pool": "own", "name": "b", "address": "10.9.0.1"}
    reached.operate("pool.add", name="own", source="10.64.0.0/16")
    status, answer = reached.post("backend.add", own, force=True)
    assert status == 200, answer
    reached.operate("service.add", proto="tcp", listen="203.0.113.11:80", pool="own")
    wait_until(lambda: service(reached, "tcp 203.0.113.11:80")["up"] == 0)
    code, said = holdfast(reached, "status", "--check")
    assert code == 1 and "packets to own/b are dropped: local address" in said, said


def test_one_backend_without_a_route_is_an_error_until_its_packets_go_elsewhere(reached):
    ip(reached, "route add unreachable 10.9.0.12/32")
    assert_degraded(reached, 2, "packets to db/db2 are dropped: no route: unreachable")
    reached.operate("backend.health", pool="db", name="db2", state="down")
    status = wait_until(lambda: (s := reached.get("/v1/status"))["state"] == "ready" and s, 60)
    assert service(reached)["up"] == 2 and any("db/db2 down" in line for line in status["warnings"]), status
    assert holdfast(reached, "status", "--check")[0] == 0


def test_a_pool_that_nobody_uses_only_warns(reached):
    reached.operate("pool.add", name="spare", source="10.64.0.0/16")
    reached.operate("backend.add", pool="spare", name="s", address="192.0.2.1")
    wait_until(lambda: any("spare/s: no route" in line for line in reached.get("/v1/status")["warnings"]))
    assert reached.get("/v1/status")["state"] == "ready" and reached.get("/v1/pools/spare")["up"] == 0


def test_the_same_from_the_pins_alone(reached):
    reached.kill()

    def offline():
        return holdfast(reached, "--offline", "status", "--check")

    code, said = offline()
    assert code == 0 and "3/3" in said, said
    ip(reached, "link set eth0 down")
    code, said = offline()
    assert code == 1 and "0/3" in said and "interface eth0: it is down" in said, said
    reached.start()
    wait_until(lambda: service(reached)["up"] == 0)
    reached.kill()
    ip(reached, "link set eth0 up")
    code, said = offline()
    assert code == 1 and "0/3" in said and "it is down" not in said, said
    reached.start()
    wait_until(lambda: is_sound(reached))


# While a next hop is lost ------------------------------------------------------------------------------------

def flow_of(daemon, backend):
    """A question about a flow of that backend."""
    return next(FLOW.format(port) for port in range(40000, 40200)
                if daemon.get(FLOW.format(port))["backend"] == backend)


def watch_until_dropped(daemon, flow):
    """What `why` answers from now until the flow's packets are dropped."""
    told = []
    wait_until(lambda: told.append(daemon.get(flow)) or told[-1]["verdict"] == "drop", 30)
    return told


def goes_nowhere(why):
    """Forwarded, as it says, to a next hop that it says is not there."""
    hop = why["next_hop"]
    return why["verdict"] == "forward" and not hop["resolved"] and hop.get("held") is None


def test_a_lost_route_is_held_and_every_view_says_so(reached):
    flow = flow_of(reached, "db/db1")
    mac = reached.get(flow)["next_hop"]["mac"]
    ip(reached, "route del 10.9.0.0/24 dev eth0")
    held = wait_until(lambda: not (why := reached.get(flow))["next_hop"]["resolved"] and why)
    backend, status = reached.get("/v1/backends/db/db1"), reached.get("/v1/status")
    _, said = holdfast(reached, "why", "tcp", "198.51.100.7:" + flow.split("198.51.100.7:")[1].split("&")[0],
                       "203.0.113.10:5432")
    _, listed = holdfast(reached, "backend", "list")
    if reached.get(flow)["verdict"] != "forward":
        pytest.skip("this machine takes longer for five questions than a lost route is held")
    hop = held["next_hop"]
    assert held["verdict"] == "forward" and not goes_nowhere(held), held
    assert (hop["interface"], hop["mac"], hop["problem"]) == ("eth0", mac, "no route") and hop["held"] >= 0
    assert backend["note"].startswith("held: lost ") and backend["next_hop"]["mac"] == mac
    assert status["state"] == "ready" and status["services"][0]["up"] == 3, status
    assert any(line.startswith("db/db1: held: lost ") for line in status["warnings"]), status["warnings"]
    assert "held: lost " in said and f"packets still go to {mac} on eth0" in said, said
    assert listed.count("held: lost ") == 3, listed
    told = watch_until_dropped(reached, flow)
    assert not any(map(goes_nowhere, told))
    assert told[-1]["next_hop"]["held"] is None and told[-1]["next_hop"]["mac"] is None, told[-1]


def flow_over_ipv6(daemon):
    """A flow to a backend that has an IPv6 address, reached on link."""
    ip(daemon, "addr add 2001:db8:9::1/64 dev eth0 nodad")
    daemon.host.peer.run("ip", "addr", "add", "2001:db8:9::11/64", "dev", "r0", "nodad")
    daemon.operate("pool.add", name="six", source="2001:db8:64::/64")
    daemon.operate("backend.add", pool="six", name="b", address="2001:db8:9::11")
    daemon.operate("service.add", proto="tcp", listen="[2001:db8:203::10]:80", pool="six")
    flow = "/v1/why?proto=tcp&src=[2001:db8:1::1]:40000&dst=[2001:db8:203::10]:80"
    wait_until(lambda: daemon.get(flow)["next_hop"]["resolved"])
    return flow


@pytest.mark.parametrize("family", [4, 6])
@pytest.mark.parametrize("kind", ["blackhole", "unreachable", "prohibit"])
def test_a_route_that_refuses_is_no_flap(reached, kind, family):
    """From the moment when it is known the packets are dropped: no answer says that they are forwarded and refused."""
    flow = flow_over_ipv6(reached) if family == 6 else flow_of(reached, "db/db1")
    ip(reached, f"route add {kind} " + ("2001:db8:9::11/128" if family == 6 else "10.9.0.11/32"))
    told = watch_until_dropped(reached, flow)
    assert all(why["next_hop"]["resolved"] for why in told[:-1]), told[-2]
    assert told[-1]["next_hop"]["problem"] == f"no route: {kind}"


def test_an_interface_that_goes_down_takes_its_routes_along(reached):
    """The kernel removes the routes, too; still nothing is held that would be sent into the void."""
    flow = flow_of(reached, "db/db1")
    ip(reached, "link set eth0 down")
    told = watch_until_dropped(reached, flow)
    assert all(why["next_hop"]["resolved"] for why in told[:-1]), told[-2]

# SPDX-License-Identifier: Apache-2.0
"""What reads well and cannot work: addresses that no host has, backends that are VIPs, options without effect; and what
may be meant, but rarely is, and so needs force."""

import json
import signal
import sqlite3

import pytest

from harness import BUILD
from harness.wait import wait_until


UNFIT = {"::1": "loopback", "fe80::11": "link-local", "169.254.7.7": "link-local", "::203.0.113.10": "IPv4-compatible"}
OWN, BROADCAST, NETWORK, GATEWAY = "10.9.0.1", "10.9.0.255", "10.9.0.0", "10.9.0.254"


def listen(address, port=80):
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


def backends(*addresses):
    return [{"name": f"b{i}", "address": address} for i, address in enumerate(addresses)]


def configuration(daemon, pools=(), vips=()):
    """A whole configuration: pools as lists of addresses, services that lead to the first."""
    return {"version": 1, "seed": daemon.get("/v1/status")["seed"],
            "pools": [{"name": f"p{i}", "table_size": 251, "backends": backends(*pool)} for i, pool in enumerate(pools)],
            "services": [{"listen": f"tcp {listen(vip)}", "pool": "p0"} for vip in vips]}


def names(daemon):
    (pool,) = (pool for pool in daemon.get("/v1/export?state=1")["configuration"]["pools"] if pool["name"] == "db")
    return [backend["name"] for backend in pool["backends"]]


def refused(daemon, status, what, operation, **arguments):
    code, error = daemon.refuse(operation, **arguments)
    assert code == status and what in error["what"], error
    assert error["where"] and error["right"], error
    return error


@pytest.mark.parametrize("address, name", UNFIT.items())
def test_addresses_that_no_host_can_be_reached_at(serving, address, name):
    serving.operate("pool.set", name="db", source="")
    error = refused(serving, 400, name, "backend.add", pool="db", name="db9", address=address)
    assert address in error["what"] and error["where"] == "pool db, backend db9"
    refused(serving, 400, name, "backend.set", pool="db", name="db1", address=address)
    error = refused(serving, 400, name, "service.add", proto="udp", listen=listen(address), pool="db")
    assert error["where"] == f"service udp {listen(address)}"
    for pools, vips in (([[address]], []), ([["10.9.0.11"]], [address])):
        refused(serving, 400, name, "model.apply", configuration=configuration(serving, pools, vips))


def test_sources_that_no_packet_can_have(daemon):
    for source, name in (("169.254.0.0/16", "link-local"), ("fe80::/64", "link-local"), ("::1", "loopback"),
                         ("96.0.0.0/3", "loopback"), ("128.0.0.0/1", "link-local")):
        error = refused(daemon, 400, name, "pool.add", name="p", source=source)
        assert f"source {source} has" in error["what"] and error["where"] == "pool p"


# A backend at a VIP ------------------------------------------------------------------

LOOPED = "10.9.0.18"


def test_a_backend_at_a_vip_is_refused_by_verbs_in_either_order(serving):
    serving.operate("service.add", proto="udp", listen=f"{LOOPED}:53", pool="db")
    for pool in ("db", "other"):
        if pool == "other":
            serving.operate("pool.add", name=pool)
        error = refused(serving, 400, "is a VIP of this instance", "backend.add", pool=pool, name="db9", address=LOOPED)
        assert error["where"] == f"pool {pool}, backend db9"
    refused(serving, 400, "is a VIP", "backend.set", pool="db", name="db1", address=LOOPED)
    serving.operate("service.remove", proto="udp", listen=f"{LOOPED}:53")
    serving.operate("backend.add", pool="other", name="db9", address=LOOPED)
    refused(serving, 400, "is a VIP", "service.add", proto="udp", listen=f"{LOOPED}:53", pool="db")


def test_a_backend_at_a_vip_is_refused_in_a_file(idle):
    idle.start()
    looped = configuration(idle, [["10.9.0.11"], [LOOPED]], [LOOPED])
    refused(idle, 400, "is a VIP", "model.apply", configuration=looped)
    status, answer = idle.post("model.apply", {"configuration": looped}, force=True)
    assert status == 400, "force is for what may be meant"
    idle.stop()
    file = idle.directory / "holdfast.yaml"
    file.write_text(json.dumps(looped))
    idle.start("--config", file)
    status = idle.get("/v1/status")
    assert "is a VIP" in status["problems"][0] and not status["services"]


def edit(daemon, number, change):
    """Makes another model of a stored generation, as an earlier version might have stored it."""
    daemon.stop()
    with sqlite3.connect(daemon.database) as database:
        (text,) = database.execute("SELECT model FROM generations WHERE number = ?", (number,)).fetchone()
        model = json.loads(text)
        change(model)
        database.execute("UPDATE generations SET model = ? WHERE number = ?", (json.dumps(model), number))
    database.close()
    daemon.start()


def test_a_rollback_does_not_bring_a_backend_at_a_vip(serving):
    number = serving.get("/v1/status")["generation"]["number"]
    serving.operate("backend.set", pool="db", name="db1", weight=70)
    edit(serving, number, lambda model: model["pools"][0]["backends"].append({"name": "db9", "address": "203.0.113.10"}))
    for force in (False, True):
        status, answer = serving.request("POST", "/v1/rollback", {"generation": number, "force": force})
        assert status == 400 and "is a VIP" in answer["error"]["what"], answer


def spoil(model):
    pool = model["pools"][0]
    pool.update(source="169.254.0.0/16", gue_port=6080)
    pool["backends"] += [{"name": "db7", "address": "203.0.113.10"}, {"name": "db8", "address": "10.9.0.11"},
                         {"name": "db9", "address": "169.254.7.7"}]
    model["services"].insert(0, {"listen": "tcp 169.254.9.9:80", "pool": "db"})


def test_what_an_earlier_version_accepted_stays_and_is_warned_of(serving):
    edit(serving, serving.get("/v1/status")["generation"]["number"], spoil)
    status = serving.get("/v1/status")
    assert len(status["services"]) == 2 and len(names(serving)) == 6
    for said in ("203.0.113.10 is a VIP", "db1 has the address 10.9.0.11 already", "169.254.7.7", "169.254.9.9", "169.254.0.0/16",
                 "gue_port 6080"):
        assert sum(said in line for line in status["warnings"]) >= 1, status["warnings"]
    # It is nobody's fault who changes something else, or applies what is in force, or part of it.
    serving.operate("backend.set", pool="db", name="db1", weight=70)
    serving.operate("backend.drain", pool="db", name="db7")
    serving.operate("model.apply", configuration=serving.get("/v1/export")["configuration"])
    serving.operate("pool.add", name="other")
    refused(serving, 400, "is a VIP", "backend.add", pool="other", name="db7", address="203.0.113.10")
    refused(serving, 400, "link-local", "backend.add", pool="other", name="db9", address="169.254.7.7")


def test_a_backend_that_leaves_goes_at_once_when_its_address_becomes_a_vip(serving):
    """No change may depend on whether a backend has left, so the VIP is not refused; what is sent there would come back."""
    serving.operate("backend.remove", pool="db", name="db1")
    assert names(serving) == ["db1", "db2", "db3"]
    serving.operate("service.add", proto="udp", listen="10.9.0.11:53", pool="db")
    assert names(serving) == ["db2", "db3"]


# What needs force --------------------------------------------------------------------


def needs_force(daemon, what, operation, **arguments):
    """Refused without force, warned of in a dry run, and done with it."""
    error = refused(daemon, 403, what, operation, **arguments)
    assert error["kind"] == "likely-mistake" and "--force" in error["right"]
    status, answer = daemon.post(operation, arguments, dry_run=True)
    assert status == 200 and any(what in line for line in answer["warnings"]), answer
    status, answer = daemon.post(operation, arguments, force=True)
    assert status == 200 and any(what in line for line in answer["warnings"]), answer


@pytest.mark.parametrize("address, what", [(OWN, "this host's own address"), (BROADCAST, "broadcast address"),
                                           (NETWORK, "first address of a network"), ("10.77.0.5", "this host's own address")])
def test_addresses_of_this_host_are_no_backends_without_force(serving, address, what):
    serving.host.run("ip", "route", "add", "local", "10.77.0.0/24", "dev", "lo")
    needs_force(serving, what, "backend.add", pool="db", name="db9", address=address)
    serving.operate("backend.set", pool="db", name="db9", weight=7)
    serving.operate("backend.remove", pool="db", name="db9", now=True)
    whole = serving.get("/v1/export")["configuration"]
    whole["pools"].append({"name": "other", "backends": backends(address)})
    needs_force(serving, what, "model.apply", configuration=whole)


@pytest.mark.parametrize("proto, vip, port, what", [
    ("tcp", OWN, "any", "SSH"), ("udp", OWN, "any", "own address"), ("tcp", OWN, "22", "so SSH"), ("tcp", OWN, "1-1000", "so SSH"),
    ("tcp", GATEWAY, "80", "gateway"), ("tcp", "10.9.0.253", "80", "gateway"), ("tcp", BROADCAST, "80", "broadcast"),
    ("tcp", NETWORK, "80", "first address"), ("tcp", "fd00:9::1", "any", "SSH"), ("tcp", "fd00:9::fe", "80", "gateway"),
    ("tcp", "fd00:9::", "80", "first address")])
def test_vips_of_this_host_that_would_end_more_than_is_meant(serving, proto, vip, port, what):
    host = serving.host
    host.run("ip", "addr", "add", "fd00:9::1/64", "dev", "eth0", "nodad")
    host.run("ip", "route", "add", "default", "via", GATEWAY)
    host.run("ip", "route", "add", "198.51.100.0/24", "nexthop", "via", "10.9.0.252", "nexthop", "via", "10.9.0.253")
    host.run("ip", "-6", "route", "add", "default", "via", "fd00:9::fe")
    needs_force(serving, what, "service.add", proto=proto, listen=listen(vip, port), pool="db")
    serving.operate("service.set", proto=proto, listen=listen(vip, port), track="always")


def test_the_hosts_own_address_is_a_vip_like_others_for_the_ports_of_its_clients(serving):
    for proto, port in (("tcp", "80"), ("tcp", "8000-9000"), ("udp", "1-1000")):
        assert not serving.operate("service.add", proto=proto, listen=listen(OWN, port), pool="db")["warnings"]


def test_two_names_of_one_address_need_force(serving):
    needs_force(serving, "db1 has the address 10.9.0.11 already", "backend.add", pool="db", name="again", address="10.9.0.11")
    serving.operate("backend.set", pool="db", name="again", weight=7)
    refused(serving, 403, "3 shares", "backend.set", pool="db", name="db2", address="10.9.0.11")
    assert any("10.9.0.11 already" in line for line in serving.get("/v1/status")["warnings"])
    serving.operate("pool.add", name="other")
    serving.operate("backend.add", pool="other", name="db1", address="10.9.0.11")


def test_a_backend_that_leaves_makes_room_for_another_name(serving):
    serving.operate("backend.remove", pool="db", name="db1")
    serving.operate("backend.add", pool="db", name="renamed", address="10.9.0.11")
    serving.operate("backend.set", pool="db", name="db2", address="10.9.0.14")
    serving.operate("backend.add", pool="db", name="db4", address="10.9.0.12")
    assert names(serving) == ["db1", "db2", "db3", "db4", "renamed", "db2"], "two leave"
    assert not [line for line in serving.get("/v1/status")["warnings"] if "already" in line]


def test_files_of_likely_mistakes(idle):
    """A first start cannot be told to use force: what would only be useless is warned of. Later ones are refused."""
    file = idle.directory / "holdfast.yaml"

    def write(pools, vips):
        file.write_text(json.dumps({"version": 1, "seed": "6f1c9a3e5b7d2048",
                                    "pools": [{"name": "p", "table_size": 251, "backends": backends(*pools)}],
                                    "services": [{"listen": f"tcp {vip}", "pool": "p"} for vip in vips]}))

    write([OWN, "10.9.0.11", "10.9.0.12", "10.9.0.12"], ["203.0.113.10:80"])
    idle.start("--config", file)
    status = idle.get("/v1/status")
    assert len(status["services"]) == 1
    assert any("10.9.0.12 already" in line for line in status["warnings"])
    assert any("local address" in line for line in status["warnings"] + status["problems"]), status
    write([OWN, "10.9.0.11", "10.9.0.12", "10.9.0.12", BROADCAST], ["203.0.113.10:80"])
    idle.process.send_signal(signal.SIGHUP)
    (problem,) = wait_until(lambda: [line for line in idle.get("/v1/status")["problems"] if "not applied" in line])
    assert "broadcast" in problem and f"holdfast apply -f {file} --force" in problem
    idle.kill()
    idle.start("--config", file)
    assert any("broadcast" in line for line in idle.get("/v1/status")["problems"])


def test_a_first_start_does_not_take_the_hosts_own_ssh(idle):
    file = idle.directory / "holdfast.yaml"
    file.write_text(json.dumps({"version": 1, "seed": "6f1c9a3e5b7d2048", "pools": [{"name": "p", "backends": backends("10.9.0.11")}],
                                "services": [{"listen": f"tcp {OWN}:any", "pool": "p"}]}))
    idle.start("--config", file)
    status = idle.get("/v1/status")
    assert not status["services"] and "SSH" in status["problems"][0]


def findings(host, tmp_path, pools, services):
    file = tmp_path / "checked.yaml"
    file.write_text(json.dumps({"version": 1, "seed": "6f1c9a3e5b7d2048", "pools": pools, "services": services}))
    done = host.run(BUILD / "holdfast", "--json", "check", "-f", file, check=False)
    assert done.stdout, done.stderr
    return [f"{one['severity']} {one['subject']}: {one['what']}" for one in json.loads(done.stdout)["findings"]], done.returncode


@pytest.mark.parametrize("pool, vip, found", [
    ({"backends": backends("10.9.0.11", "10.9.0.12")}, "10.9.0.11:80", "fault pool p, backend b0: 10.9.0.11 is a VIP"),
    ({"backends": backends("10.9.0.11", "fe80::1")}, "203.0.113.10:80", "fault pool p, backend b1: fe80::1 is link-local"),
    ({"backends": []}, "[::1]:80", "fault service tcp [::1]:80: ::1 is loopback"),
    ({"backends": [], "source": "fe80::/64"}, "203.0.113.10:80", "fault pool p: source fe80::/64 has addresses that are link-local"),
    ({"backends": [], "gue_port": 6080}, "203.0.113.10:80", "fault pool p: gue_port 6080 has no effect with encap ipip"),
    ({"backends": backends("10.9.0.11", "10.9.0.11")}, "203.0.113.10:80", "warn pool p, backend b1: backend b0 has the address"),
    ({"backends": backends("10.9.0.11")}, f"{OWN}:any", f"warn service tcp {OWN}:any: {OWN} is this host's own address, so SSH"),
    ({"backends": backends("10.9.0.11")}, f"{BROADCAST}:80", f"warn service tcp {BROADCAST}:80: {BROADCAST} is the broadcast"),
])
def test_check_says_of_a_file_what_a_change_would_be_refused_for(host, tmp_path, pool, vip, found):
    told, status = findings(host, tmp_path, [{"name": "p", "table_size": 251, **pool}], [{"listen": f"tcp {vip}", "pool": "p"}])
    assert any(line.startswith(found) for line in told), told
    assert status == 1 or found.startswith("warn")
    sound, _ = findings(host, tmp_path, [{"name": "p", "table_size": 251, "backends": backends("10.9.0.11", "10.9.0.12")}],
                        [{"listen": "tcp 203.0.113.10:80", "pool": "p"}])
    assert not any(line.startswith(found.split(":")[0]) for line in sound), sound


# Options without effect, and times ---------------------------------------------------


@pytest.mark.parametrize("encap", ["ipip", "gre", "l2"])
def test_a_port_of_gue_goes_with_gue_alone(daemon, encap):
    error = refused(daemon, 400, f"gue_port 6080 has no effect with encap {encap}", "pool.add", name="p", encap=encap,
                    gue_port=6080)
    assert error["where"] == "pool p" and "encap gue" in error["right"]
    daemon.operate("pool.add", name="p", encap="gue", gue_port=6080)
    refused(daemon, 400, "gue_port 6081", "pool.set", name="p", encap=encap, gue_port=6081)
    daemon.operate("pool.set", name="p", encap=encap)
    daemon.operate("pool.set", name="p", encap="gue")
    assert "gue_port" not in daemon.get("/v1/export")["configuration"]["pools"][0], "it went with gue"


def test_an_idle_time_is_not_nothing(serving):
    service = {"proto": "tcp", "listen": "203.0.113.10:5432"}
    refused(serving, 400, "idle", "service.set", **service, idle=0)
    refused(serving, 400, "idle", "service.set", **service, idle="0s")
    warned = serving.operate("service.set", **service, idle="5s")["warnings"]
    assert any("silent for more than 5s" in line for line in warned)
    assert not serving.operate("service.set", **service, idle="5m")["warnings"]
    warned = serving.operate("service.set", **service, track="never")["warnings"]
    assert any("no effect while track is never" in line for line in warned)


@pytest.mark.parametrize("operation, arguments", [
    ("backend.drain", {"pool": "db", "name": "db1", "deadline": "5"}), ("pool.set", {"name": "db", "grace": "10"}),
    ("service.set", {"proto": "tcp", "listen": "203.0.113.10:5432", "idle": "30"})])
def test_a_time_as_text_has_a_unit(serving, operation, arguments):
    (key,) = {"deadline", "grace", "idle"} & set(arguments)
    error = refused(serving, 400, key, operation, **arguments)
    assert "s or 1h30m" in error["right"]
    serving.operate(operation, **(arguments | {key: 3600}))

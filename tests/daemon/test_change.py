# SPDX-License-Identifier: Apache-2.0
"""Changes: what they answer, what they refuse, and that a refusal changes nothing."""

import threading

import pytest

from harness.wait import wait_until



def test_a_change_is_a_generation(daemon):
    assert daemon.operate("pool.add", name="db")["generation"] == 2
    answer = daemon.operate("backend.add", pool="db", name="db1", address="10.9.0.11")
    assert answer["generation"] == 3 and answer["changed"] and not answer["dry_run"]
    assert answer["plan"]["pools"][0]["name"] == "db"
    assert answer["plan"]["backends"]["added"] == 1
    last = daemon.get("/v1/status")["generation"]
    assert (last["number"], last["author"], last["cause"]) == (3, "root", "backend add db/db1")


def test_one_backend_more_takes_its_share_and_no_more(serving):
    answer = serving.operate("backend.add", pool="db", name="db4", address="10.9.0.14")
    (pool,) = answer["plan"]["pools"]
    assert pool["change"] == "change" and not pool["rebuilt"]
    assert 0.24 < pool["share"] < 0.27
    assert pool["needless"] < 0.01 * pool["slots"]
    backends = serving.get("/v1/backends/db")["backends"]
    assert sum(b["slots"] for b in backends) == pool["slots"]
    assert max(b["slots"] for b in backends) - min(b["slots"] for b in backends) < 0.01 * pool["slots"]


def test_a_dry_run_changes_nothing(serving):
    before, export = serving.get("/v1/status")["generation"], serving.get("/v1/export")
    status, answer = serving.post("backend.remove", {"pool": "db", "name": "db1", "now": True}, dry_run=True)
    assert status == 200 and answer["dry_run"] and answer["generation"] == before["number"]
    assert answer["plan"]["pools"][0]["moved"] > 20000
    assert serving.get("/v1/status")["generation"] == before
    assert serving.get("/v1/export") == export
    (planned,), (done,) = answer["plan"]["pools"], serving.operate("backend.remove", pool="db", name="db1",
                                                                   now=True)["plan"]["pools"]
    # Remembered flows on the slots are looked for only while one may still think again.
    assert planned.pop("remembered") == 0 and done.pop("remembered") is None
    assert planned == done


def test_a_change_that_changes_nothing_is_no_generation(serving):
    before = serving.get("/v1/status")["generation"]
    answer = serving.operate("backend.set", pool="db", name="db1", weight=100)
    assert not answer["changed"] and answer["generation"] == before["number"]
    assert serving.get("/v1/status")["generation"] == before


@pytest.mark.parametrize("operation, arguments, status, text", [
    ("backend.add", {"pool": "db", "name": "db1", "address": "10.9.0.18"}, 409, "there already"),
    ("backend.add", {"pool": "dc", "name": "db9", "address": "10.9.0.18"}, 404, "no pool"),
    ("backend.add", {"pool": "db", "name": "db9"}, 400, "address is missing"),
    ("backend.add", {"pool": "db", "name": "db9", "address": "10.9.0"}, 400, "10.9.0"),
    ("backend.add", {"pool": "db", "name": "db9", "address": "10.9.0.18", "weight": 70000}, 400, "70000"),
    ("backend.add", {"pool": "db", "name": "db9", "address": "10.9.0.18", "weigth": 7}, 400, "weigth"),
    ("backend.remove", {"pool": "db", "name": "db9"}, 404, "no backend db9"),
    ("pool.remove", {"name": "db"}, 409, "203.0.113.10:5432"),
    ("pool.add", {"name": "p2", "table_size": 65536}, 400, "65536"),
    ("service.add", {"proto": "tcp", "listen": "203.0.113.10:5432", "pool": "db"}, 409, "there already"),
    ("service.add", {"proto": "sctp", "listen": "203.0.113.10:1", "pool": "db"}, 400, "sctp"),
    ("interface.attach", {"name": "eth7"}, 404, "eth7"),
    ("backend.fly", {}, 400, "backend.fly"),
])
def test_a_refusal_says_why_and_changes_nothing(serving, operation, arguments, status, text):
    before, export, pool = serving.get("/v1/status")["generation"], serving.get("/v1/export"), serving.get("/v1/pools/db")
    given, error = serving.refuse(operation, **arguments)
    assert text in error["what"] + error["where"] + error["right"], error
    assert given == status, error
    assert serving.get("/v1/status")["generation"] == before
    assert serving.get("/v1/export") == export
    assert serving.get("/v1/pools/db") == pool


def test_no_room_in_the_data_plane_is_a_refusal(idle):
    """The commit came first: it is withdrawn, here and for a daemon that starts later."""
    idle.start("--max-hops", "16")
    idle.operate("pool.add", name="db", table_size=251, encap="gue")
    for i in (1, 2, 3):
        idle.operate("backend.add", pool="db", name=f"db{i}", address=f"10.9.0.1{i}")
    status, error = idle.refuse("backend.add", pool="db", name="db4", address="10.9.0.14")
    assert status == 503 and "hops" in error["what"], error
    assert idle.get("/v1/status")["generation"]["number"] == 5
    assert [g["number"] for g in idle.get("/v1/generations")["generations"]] == [5, 4, 3, 2, 1]
    assert [b["name"] for b in idle.get("/v1/backends/db")["backends"]] == ["db1", "db2", "db3"]
    assert idle.operate("pool.add", name="small", table_size=251)["generation"] == 6
    idle.kill()
    idle.start("--max-hops", "16")
    assert [p["name"] for p in idle.get("/v1/pools")["pools"]] == ["db", "small"]


def test_a_generation_that_is_not_in_force_is_a_conflict(serving):
    number = serving.get("/v1/status")["generation"]["number"]
    arguments = {"pool": "db", "name": "db1", "weight": 50}
    status, answer = serving.post("backend.set", arguments, expect=number - 1)
    assert status == 409 and str(number) in answer["error"]["what"]
    status, answer = serving.post("backend.set", arguments, expect=number)
    assert status == 200 and answer["generation"] == number + 1


def test_two_at_once_are_both_applied_or_one_is_refused(serving):
    number = serving.get("/v1/status")["generation"]["number"]
    answers = []

    def change(weight):
        answers.append(serving.post("backend.set", {"pool": "db", "name": "db1", "weight": weight}, expect=number))

    threads = [threading.Thread(target=change, args=(weight,)) for weight in (50, 60, 70, 80)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(status for status, _ in answers) == [200, 409, 409, 409]
    assert serving.get("/v1/status")["generation"]["number"] == number + 1


@pytest.mark.parametrize("body", [
    {"operation": "pool.add"}, {"arguments": {}}, {"operation": 7, "arguments": {}}, [], "text", 7, None,
    {"operation": "pool.add", "arguments": []}, {"operation": "pool.add", "arguments": {"name": "x"}, "dryrun": True},
    {"operation": "pool.add", "arguments": {"name": "x"}, "dry_run": 1},
    {"operation": "pool.add", "arguments": {"name": "x"}, "expect": -1},
])
def test_a_malformed_change_is_400(daemon, body):
    import json
    status, answer = daemon.request("POST", "/v1/operations", json.dumps(body))
    assert status == 400, answer
    assert answer["error"]["what"] and daemon.get("/v1/status")["generation"]["number"] == 1


def test_order_of_members_does_not_matter(serving):
    digest = serving.get("/v1/pools/db")["digests"]["table"]
    for name in ("db1", "db2", "db3"):
        assert serving.post("backend.remove", {"pool": "db", "name": name, "now": True}, force=True)[0] == 200
    assert serving.get("/v1/pools/db")["digests"]["table"] != digest
    for i in (3, 1, 2):
        serving.operate("backend.add", pool="db", name=f"db{i}", address=f"10.9.0.1{i}")
    assert serving.get("/v1/pools/db")["digests"]["table"] == digest


def test_many_changes_do_not_fill_the_data_plane(idle):
    """Retired tables are given back: two tables' room lasts for ever."""
    idle.start("--max-slots", "200000")
    idle.operate("pool.add", name="db")
    idle.operate("backend.add", pool="db", name="db1", address="10.9.0.11")
    for weight in range(1, 40):
        idle.operate("backend.add", pool="db", name=f"x{weight}", address="10.9.0.12", weight=weight)
        idle.operate("backend.remove", pool="db", name=f"x{weight}", now=True)
    assert idle.get("/v1/backends/db/db1")["slots"] == 65537


def test_next_hops_follow_the_kernel(serving, host):
    def hop():
        return serving.get("/v1/backends/db/db1")["next_hop"]

    assert hop()["resolved"] and hop()["interface"] == "eth0"
    host.run("ip", "neigh", "replace", "10.9.0.11", "lladdr", "02:00:00:00:00:77", "dev", "eth0", "nud",
        "permanent")
    wait_until(lambda: hop()["mac"] == "02:00:00:00:00:77")
    host.run("ip", "route", "add", "unreachable", "10.9.0.11/32")
    wait_until(lambda: not hop()["resolved"])
    backend = serving.get("/v1/backends/db/db1")
    assert backend["next_hop"]["problem"] and backend["note"] == backend["next_hop"]["problem"]
    assert any("db/db1" in line for line in serving.get("/v1/status")["problems"])
    host.run("ip", "route", "del", "unreachable", "10.9.0.11/32")
    wait_until(lambda: hop()["resolved"])


def test_an_interface_that_comes_later_is_attached_then(serving, host):
    serving.operate("interface.detach", name="eth0")
    configuration = serving.get("/v1/export")["configuration"]
    configuration["interfaces"] = [{"name": "late0"}]
    serving.operate("model.apply", configuration=configuration)
    status = serving.get("/v1/status")
    assert status["state"] == "degraded" and "late0" in status["problems"][0]
    host.run("ip", "link", "add", "late0", "type", "veth", "peer", "name", "late1")
    for name in ("late0", "late1"):
        host.run("ip", "link", "set", name, "up")
    wait_until(lambda: serving.get("/v1/interfaces")["interfaces"][0]["state"] == "attached")
    wait_until(lambda: serving.get("/v1/status")["state"] == "ready")


def attached(daemon):
    interface = daemon.get("/v1/interfaces")["interfaces"][0]
    return interface["state"] == "attached" and interface["program_id"]


def test_an_interface_that_is_let_go_stays_so_until_it_is_attached_again(serving, host):
    """The way out in need: nothing but an attach of that interface, or a new start, takes it back."""
    serving.run("--offline interface detach --all")
    status = wait_until(lambda: (s := serving.get("/v1/status"))["problems"] and s)
    assert status["state"] == "degraded" and "eth0" in status["problems"][0], status["problems"]
    serving.operate("backend.drain", pool="db", name="db1")
    assert not attached(serving)
    last = serving.get("/v1/status")["generation"]["number"]
    assert serving.refuse("interface.attach", name="eth0", mode="generic")[0] == 409
    assert serving.operate("interface.attach", name="eth0")["generation"] == last
    assert attached(serving) and serving.get("/v1/status")["state"] == "ready"
    assert serving.refuse("interface.attach", name="eth0")[0] == 409


def test_an_interface_that_is_let_go_is_attached_at_the_next_start(serving, host):
    serving.run("--offline interface detach eth0")
    serving.stop()
    serving.start()
    assert attached(serving)


def test_an_interface_that_went_is_attached_when_it_is_back(serving, host):
    configuration = serving.get("/v1/export")["configuration"]
    configuration["interfaces"].append({"name": "late0"})
    serving.operate("model.apply", configuration=configuration)
    state = lambda: serving.get("/v1/interfaces")["interfaces"][1]["state"]  # noqa: E731
    for _ in range(2):
        host.run("ip", "link", "add", "late0", "type", "veth", "peer", "name", "late1")
        wait_until(lambda: state() == "attached")
        host.run("ip", "link", "del", "late0")
        wait_until(lambda: state() != "attached")


def test_a_refusal_has_a_kind_for_programs(serving):
    def kind(word, **arguments):
        return serving.refuse(word, **arguments)[1]["kind"]
    for i in range(4, 9):
        serving.operate("backend.add", pool="db", name=f"db{i}", address=f"10.9.0.{10 + i}")
    configuration = serving.get("/v1/export")["configuration"]
    configuration["pools"][0]["backends"] = configuration["pools"][0]["backends"][:3]
    assert kind("model.apply", configuration=configuration) == "move-limit"
    for i in range(2, 9):
        serving.operate("backend.disable", pool="db", name=f"db{i}")
    assert kind("backend.disable", pool="db", name="db1") == "breaks-flows"
    assert kind("backend.add", pool="db", name="db1", address="10.9.0.99") == "exists"
    assert kind("backend.set", pool="db", name="db1", weight=-1) == "invalid"
    assert kind("backend.drain", pool="db", name="nosuch") == "missing"
    assert kind("pool.remove", name="db") == "in-use"
    assert serving.post("backend.drain", {"pool": "db", "name": "db1"}, expect=1)[1]["error"]["kind"] == "stale"
    assert serving.request("GET", "/v1/nosuch")[1]["error"]["kind"] == "missing"

# SPDX-License-Identifier: Apache-2.0
"""Generations: shown, compared, gone back to, kept; and changes that need `force`."""

import sqlite3


from harness.wait import wait_until
from host import serve_many



def state(daemon):
    """All but the history of member sets, which goes on whatever one goes back to."""
    configuration = daemon.get("/v1/export?state=1")["configuration"]
    configuration.pop("history", None)
    return configuration


def test_rollback_is_the_old_state_under_a_new_number(serving):
    number = serving.get("/v1/status")["generation"]["number"]
    export, digest = state(serving), serving.get("/v1/pools/db")["digests"]["table"]
    serving.operate("backend.drain", pool="db", name="db1")
    serving.operate("backend.set", pool="db", name="db2", weight=300)
    status, answer = serving.request("POST", "/v1/rollback", {"generation": number, "force": True})
    assert status == 200 and answer["generation"] == number + 3, answer
    assert state(serving) == export
    assert serving.get("/v1/pools/db")["digests"]["table"] == digest
    assert serving.get("/v1/status")["generation"]["cause"] == f"rollback {number}"


def test_rollback_to_what_is_not_there_is_404(serving):
    before = serving.get("/v1/status")["generation"]
    status, answer = serving.request("POST", "/v1/rollback", {"generation": 99})
    assert status == 404 and "99" in answer["error"]["what"]
    assert serving.get("/v1/status")["generation"] == before


def test_differences(serving):
    number = serving.get("/v1/status")["generation"]["number"]
    serving.operate("backend.set", pool="db", name="db2", weight=200)
    diff = serving.get(f"/v1/generations/{number}/diff")
    assert (diff["from"], diff["to"]) == (number, number + 1)
    (change,) = diff["differences"]
    assert (change["noun"], change["name"], change["change"]) == ("backend", "db/db2", "change")
    assert change["keys"]["weight"] == {"before": 100, "after": 200}
    assert serving.get(f"/v1/generations/{number}/diff?to={number}")["differences"] == []
    assert serving.request("GET", f"/v1/generations/{number}/diff?to=99")[0] == 404


def test_generations_are_forgotten_by_count_and_age(idle):
    """Three are many enough, and one of them is young: those beyond the three that are old go."""
    idle.start()
    for i in range(8):
        idle.operate("pool.add", name=f"p{i}", table_size=251)
    idle.stop()
    with sqlite3.connect(idle.database) as database:
        database.execute("UPDATE generations SET time = time - 30 * 86400 * 1000 WHERE number NOT IN (2, 9)")
    database.close()
    idle.start("--keep-generations", "3", "--keep-days", "7")
    wait_until(lambda: [g["number"] for g in idle.get("/v1/generations")["generations"]] == [9, 8, 7, 2])


def test_a_step_of_the_clock_forgets_no_generation(idle):
    """All were made within a second, by a clock that was a month behind: none is older than the newest."""
    idle.start()
    for i in range(8):
        idle.operate("pool.add", name=f"p{i}", table_size=251)
    idle.stop()
    with sqlite3.connect(idle.database) as database:
        database.execute("UPDATE generations SET time = time - 30 * 86400 * 1000")
    database.close()
    idle.start("--keep-generations", "3", "--keep-days", "7")
    counted = idle.get("/v1/status")["uptime"]
    wait_until(lambda: idle.get("/v1/status")["uptime"] > counted + 2)  # they are looked at at the first second's end
    assert len(idle.get("/v1/generations")["generations"]) == 9


def insert_generations(daemon, count):
    """As an older version leaves a day of one change a minute: the last generation, a minute apart, time and again."""
    with sqlite3.connect(daemon.database) as database:
        (number, at, author, cause, model), = database.execute("SELECT * FROM generations ORDER BY number DESC LIMIT 1")
        database.executemany("INSERT INTO generations VALUES (?, ?, ?, ?, ?)",
                             ((number + i, at + i * 60000, author, cause, model) for i in range(1, count + 1)))
    database.close()
    return len(model), number + count


def test_a_database_that_has_grown_is_brought_under_its_bound(idle):
    idle.start()
    serve_many(idle, 1000, "p")
    idle.stop()
    size, last = insert_generations(idle, 1440)
    before = idle.database.stat().st_size
    idle.start()
    idle.operate("backend.set", pool="p", name="b7", weight=200)
    after = sum(path.stat().st_size for path in idle.database.parent.glob(f"{idle.database.name}*"))
    kept = [g["number"] for g in idle.get("/v1/generations")["generations"]]
    print(f"1440 generations of {size >> 10} KiB: {before >> 20} MiB become {after >> 20} MiB with {len(kept)} generations")
    assert after <= (64 + 4 + 1) << 20 < before
    assert kept == list(range(last + 1, last + 1 - len(kept), -1)) and len(kept) >= 100
    answer = idle.get(f"/v1/generations/{kept[-1]}")
    assert len(answer["model"]["pools"][0]["backends"]) == 1000


def test_a_plan_tells_the_share_of_new_flows(serving):
    status, answer = serving.post("backend.remove", {"pool": "db", "name": "db1", "now": True}, dry_run=True)
    (pool,) = answer["plan"]["pools"]
    assert pool["new_per_second"] == 0 and pool["remembered"] == 0 and 0.3 < pool["share"] < 0.36


def refused(daemon, operation, **arguments):
    """Refused without force, told by a dry run, done with force."""
    before, export = daemon.get("/v1/status")["generation"], daemon.get("/v1/export?state=1")
    status, answer = daemon.post(operation, arguments)
    assert status == 403, answer
    what = answer["error"]["what"]
    assert "--force" in answer["error"]["right"]
    assert daemon.get("/v1/status")["generation"] == before and daemon.get("/v1/export?state=1") == export
    status, answer = daemon.post(operation, arguments, dry_run=True)
    assert status == 200 and what in answer["warnings"][0]
    status, answer = daemon.post(operation, arguments, force=True)
    assert status == 200 and what in answer["warnings"][0], answer
    return what


def test_the_last_backend_is_not_taken_without_force(serving):
    serving.operate("backend.drain", pool="db", name="db1")
    serving.operate("backend.disable", pool="db", name="db2")
    assert "no backend" in refused(serving, "backend.drain", pool="db", name="db3")
    # Who has nobody cannot lose anybody.
    serving.operate("backend.disable", pool="db", name="db3")


def test_a_pool_that_nobody_uses_may_lose_its_last_backend(daemon):
    daemon.operate("pool.add", name="db")
    daemon.operate("backend.add", pool="db", name="db1", address="10.9.0.11")
    daemon.operate("backend.remove", pool="db", name="db1", now=True)


def configuration(daemon, **weights):
    whole = daemon.get("/v1/export")["configuration"]
    for backend in whole["pools"][0]["backends"]:
        backend["weight"] = weights.get(backend["name"], 100)
    return whole


def test_apply_moves_no_more_than_the_limit(serving):
    before = serving.get("/v1/status")["generation"]
    whole = configuration(serving, db1=1)
    status, answer = serving.post("model.apply", {"configuration": whole})
    assert status == 403 and "%" in answer["error"]["what"] and "db" in answer["error"]["where"]
    assert serving.get("/v1/status")["generation"] == before
    assert serving.post("model.apply", {"configuration": whole}, limit=20)[0] == 403
    assert serving.post("model.apply", {"configuration": whole}, limit=60)[0] == 200
    assert serving.post("model.apply", {"configuration": configuration(serving)}, force=True)[0] == 200
    whole = configuration(serving, db1=1)
    whole["move_limit"] = 60
    assert serving.post("model.apply", {"configuration": whole})[0] == 200


def test_export_then_apply_is_nothing(serving):
    serving.operate("backend.drain", pool="db", name="db1")
    before = serving.get("/v1/status")["generation"]
    for path in ("/v1/export", "/v1/export?state=1"):
        answer = serving.operate("model.apply", configuration=serving.get(path)["configuration"])
        assert not answer["changed"], path
    assert serving.get("/v1/status")["generation"] == before
    assert serving.get("/v1/backends/db/db1")["admin"] == "draining"


def test_state_is_exported_only_where_asked_for(serving):
    serving.operate("backend.drain", pool="db", name="db1")
    db1 = lambda path: serving.get(path)["configuration"]["pools"][0]["backends"][0]
    assert "admin" not in db1("/v1/export") and db1("/v1/export?state=1")["admin"] == "draining"

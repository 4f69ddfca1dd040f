# SPDX-License-Identifier: Apache-2.0
"""A full instance: what was accepted can be changed, again and again, and in whatever order."""

import random

import pytest

from harness.wait import wait_until


SLOTS = 8192
SIZES = (251, 509, 1021, 2039)


def change(daemon, operation, **arguments):
    """Status and answer of a change that may break flows."""
    return daemon.post(operation, arguments, force=True)


def add_pool(daemon, number, size, **more):
    status, answer = change(daemon, "pool.add", name=f"p{number}", table_size=size, **more)
    if status == 200:
        for i in (1, 2, 3):
            daemon.operate("backend.add", pool=f"p{number}", name=f"b{i}", address=f"10.9.0.1{i}")
        daemon.operate("service.add", proto="tcp", listen=f"203.0.113.{number + 1}:80", pool=f"p{number}", idle=1)
    return status, answer


@pytest.fixture
def full(idle):
    """Pools of 1,021 slots, as many as are accepted."""
    idle.start("--max-slots", str(SLOTS))
    number = 0
    while (answer := add_pool(idle, number, 1021))[0] == 200:
        number += 1
    assert answer[0] == 503 and "1021 slots" in answer[1]["error"]["what"], answer
    assert "--max-slots" in answer[1]["error"]["right"]
    idle.pools = number
    return idle


def test_a_backend_fails_in_each_pool_of_a_full_instance(full):
    assert full.pools == SLOTS // 1024 - 1
    for number in range(full.pools):
        status, answer = change(full, "backend.health", pool=f"p{number}", name="b2", state="down")
        assert status == 200, answer
        assert full.get(f"/v1/backends/p{number}/b2")["slots"] == 0


def test_a_change_of_all_pools_at_once_goes_one_after_the_other(full):
    exported = full.get("/v1/export")["configuration"]
    for pool in exported["pools"]:
        pool["backends"][0]["weight"] = 50
    status, answer = change(full, "model.apply", configuration=exported)
    assert status == 200 and len(answer["plan"]["pools"]) == full.pools, answer
    for number in range(full.pools):
        assert 150 < full.get(f"/v1/backends/p{number}/b1")["slots"] < 250
    restart_finds_nothing_to_do(full)


def test_a_migration_without_room_is_refused_by_name(full):
    status, answer = change(full, "pool.set", name="p0", table_size=2039)
    assert status == 503 and answer["error"]["where"] == "pool p0", answer
    assert change(full, "backend.drain", pool="p0", name="b1")[0] == 200


def restart_finds_nothing_to_do(daemon):
    """What the maps hold is what the daemon thinks, word for word."""
    wait_until(lambda: not any(pool["moving"] for pool in daemon.get("/v1/pools")["pools"]))
    daemon.kill()
    daemon.log.write_text("")
    daemon.start("--max-slots", str(SLOTS))
    assert "is made what" not in daemon.log.read_text()


def one_of_many(daemon, draw, made):
    """A change by chance: its status and answer, and whether it takes more room than there was."""
    pool, backend = f"p{draw.choice(sorted(made))}" if made else None, f"b{draw.randint(1, 3)}"
    kind = draw.randint(0, 11)
    if kind < 4 or not made:
        number = next(n for n in range(100) if n not in made)
        status, answer = add_pool(daemon, number, draw.choice(SIZES))
        made.update([number] if status == 200 else [])
        return status, answer, True
    if kind == 4:
        change(daemon, "service.remove", proto="tcp", listen=f"203.0.113.{int(pool[1:]) + 1}:80")
        made.remove(int(pool[1:]))
        return *change(daemon, "pool.remove", name=pool), False
    if kind < 7:
        return *change(daemon, "pool.set", name=pool, table_size=draw.choice(SIZES)), True
    if kind < 10:
        return *change(daemon, "backend.set", pool=pool, name=backend, weight=draw.randint(1, 1000)), False
    return *change(daemon, "backend.health", pool=pool, name=backend, state=draw.choice(("down", "up"))), False


def test_changes_by_chance_always_find_room(idle):
    draw, made, refused = random.Random(5), set(), 0
    idle.start("--max-slots", str(SLOTS))
    for _ in range(150):
        status, answer, grows = one_of_many(idle, draw, made)
        refused += status != 200
        assert status == 200 or grows and status == 503, answer
    assert refused > 5, "it is full"
    assert "what is due waits" not in idle.log.read_text()
    restart_finds_nothing_to_do(idle)


def test_room_that_an_option_makes_is_room(idle):
    """19 tables of a million slots, and what a change of one needs; 16777216 is only the default of --max-slots."""
    idle.start("--max-slots", str(20 << 20))
    pools = [{"name": f"p{i}", "table_size": 1048573} for i in range(19)]
    seed = idle.get("/v1/status")["seed"]
    assert idle.operate("model.apply", configuration={"version": 1, "seed": seed, "pools": pools})["changed"]
    assert idle.get("/v1/status")["slots"] == {"used": 19 * 1048573, "limit": 20 << 20}
    status, error = idle.refuse("pool.add", name="more", table_size=1048573)
    assert status == 503 and "--max-slots" in error["right"]


def test_room_for_counters_is_what_was_loaded(idle):
    """Its size is fixed while the instance is loaded: a later start that does not say it has no other."""
    idle.start("--max-counters", "200")
    idle.operate("pool.add", name="p", table_size=251)
    idle.kill()  # a stop would take the pins along, since nothing is attached
    idle.start()

    def listens(count):
        seed = idle.get("/v1/status")["seed"]
        return {"configuration": {"version": 1, "seed": seed, "pools": [{"name": "p", "table_size": 251}],
                                  "services": [{"listen": f"tcp 203.0.113.10:{port}", "pool": "p"} for port in range(1, count + 1)]}}

    status, answer = idle.post("model.apply", listens(250))
    assert status == 503 and "counters" in answer["error"]["what"], answer
    assert idle.post("model.apply", listens(3))[0] == 200

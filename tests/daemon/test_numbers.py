# SPDX-License-Identifier: Apache-2.0
"""Numbers of backends: there are 65,535, and one that nothing carries any more is given again."""

import time

from harness.wait import wait_until


IN_EACH = 1000


def whole(daemon, name, pools, services=()):
    """A configuration of so many pools of a thousand backends each."""
    return {"version": 1, "seed": daemon.get("/v1/status")["seed"], "interfaces": [], "services": list(services),
            "pools": [{"name": f"{name}{i}", "table_size": 1021,
                       "backends": [{"name": f"{name}{j}", "address": f"10.{100 + i}.{j // 250}.{j % 250 + 1}"}
                                    for j in range(IN_EACH)]} for i in range(pools)]}


def apply(daemon, configuration):
    return daemon.post("model.apply", {"configuration": configuration}, force=True)


def applied(daemon, configuration):
    status, answer = apply(daemon, configuration)
    assert status == 200, answer
    return True


def count(daemon):
    return len(daemon.get("/v1/backends")["backends"])


def test_six_thousand_removed_make_room_for_sixty_thousand_at_once(idle):
    idle.start()
    applied(idle, whole(idle, "old", 6))
    applied(idle, whole(idle, "none", 0))
    applied(idle, whole(idle, "new", 60))
    assert count(idle) == 60 * IN_EACH


def test_thousands_that_a_file_drops_leave_together(idle):
    """They drain, and hold nothing: all are drained by the next count, and need not wait for each other."""
    idle.start()
    service = {"listen": "tcp 203.0.113.10:80", "pool": "old0", "idle": 1}
    applied(idle, whole(idle, "old", 1, services=[service]))
    few = whole(idle, "old", 1, services=[service])
    del few["pools"][0]["backends"][3:]
    applied(idle, few)
    assert count(idle) == IN_EACH, "they drain first"
    wait_until(lambda: count(idle) == 3)
    generations = [g["cause"] for g in idle.get("/v1/generations")["generations"] if g["author"] == "holdfastd"]
    assert len([cause for cause in generations if cause.startswith("drained old0/")]) <= 3, generations


def test_a_number_that_only_an_old_table_names_is_kept(daemon):
    """db1 is the base of flows in the table that the pool migrates from: no other backend may get its number."""
    def number(pool, name):
        return daemon.get(f"/v1/backends/{pool}/{name}")["number"]

    def add(pool, name, address):
        daemon.operate("backend.add", pool=pool, name=name, address=address)
        return number(pool, name)

    def remove(pool, name):
        daemon.operate("backend.remove", pool=pool, name=name, now=True)

    daemon.operate("pool.add", name="db", table_size=1021)
    daemon.operate("pool.add", name="other", table_size=1021)
    first = add("db", "db1", "10.9.0.11")
    add("db", "db2", "10.9.0.12")
    free = add("other", "o1", "10.9.0.13")
    daemon.operate("service.add", proto="tcp", listen="203.0.113.10:5432", pool="db", idle=3600)
    daemon.operate("backend.drain", pool="db", name="db1")
    daemon.operate("pool.set", name="db", table_size=2039)
    remove("db", "db1")
    remove("other", "o1")

    def is_released():
        """A backend whose number was released comes back under another one."""
        time.sleep(2)  # it is looked for once a second, and what this does puts it off
        again = add("other", "o1", "10.9.0.13")
        remove("other", "o1")
        return again != free

    wait_until(is_released, 90)
    assert add("db", "db1", "10.9.0.11") == first

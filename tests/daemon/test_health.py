# SPDX-License-Identifier: Apache-2.0
"""Health is a fact: who stated it, and when, stands beside the generations, and nothing but the next word changes it."""

import json
import shutil
import signal
import sqlite3
import time
import uuid

import pytest

from harness.wait import wait_until
from test_configuration import FILE, configuration, file, number  # noqa: F401 (file is a fixture)


def backend(daemon, name):
    return daemon.get(f"/v1/backends/db/{name}")


def state(daemon, name, word):
    return daemon.operate("backend.health", pool="db", name=name, state=word)


def rollback(daemon, to):
    status, answer = daemon.request("POST", "/v1/rollback", {"generation": to, "force": True})
    assert status == 200, answer
    return answer


def events(daemon, kind):
    return [(event["subject"], event["text"]) for event in daemon.get("/v1/events")["events"] if event["kind"] == kind]


def assert_down(daemon, name="db1", author="root"):
    found = backend(daemon, name)
    assert found["health"] == found["health_rule"] == "down" and found["slots"] == 0, found
    assert found["health_author"] == author


def test_a_rollback_revives_nobody(serving):
    before = number(serving)
    state(serving, "db1", "down")
    serving.operate("backend.set", pool="db", name="db2", weight=90)
    rollback(serving, before)
    assert backend(serving, "db2")["weight"] == 100
    assert backend(serving, "db1")["slots"] == 0 and backend(serving, "db1")["health"] == "down"
    serving.kill()
    serving.start()
    assert backend(serving, "db1")["slots"] == 0 and backend(serving, "db1")["health"] == "down"


def test_a_rollback_takes_nobody_down(serving):
    state(serving, "db1", "down")
    serving.operate("backend.set", pool="db", name="db2", weight=90)
    then = number(serving)
    state(serving, "db1", "auto")
    slots = backend(serving, "db1")["slots"]
    serving.operate("backend.set", pool="db", name="db2", weight=80)
    rollback(serving, then)
    assert backend(serving, "db1")["slots"] and backend(serving, "db1")["health"] == "unknown" and slots


def test_who_stated_it_and_when_is_told_and_it_makes_no_generation(serving):
    before, began = number(serving), time.time()
    status, answer = serving.post("backend.health", {"pool": "db", "name": "db1", "state": "down"}, dry_run=True)
    assert status == 200 and answer["changed"] and answer["plan"]["pools"][0]["moved"]
    assert backend(serving, "db1")["health"] == "unknown"
    answer = state(serving, "db1", "down")
    assert answer["changed"] and answer["generation"] == before and answer["plan"]["pools"][0]["moved"]
    assert_down(serving)
    since = backend(serving, "db1")["health_since"]
    assert began - 1 < since < time.time() + 1
    assert any(line.startswith("db/db1 down ") and "stated by root" in line
               for line in serving.get("/v1/status")["warnings"])
    assert not state(serving, "db1", "down")["changed"] and backend(serving, "db1")["health_since"] == since
    assert number(serving) == before and not any("health" in g["cause"]
                                                 for g in serving.get("/v1/generations")["generations"])
    assert state(serving, "db1", "auto")["changed"]
    assert backend(serving, "db1")["health_author"] is None and backend(serving, "db1")["slots"]
    assert events(serving, "health") == [("db/db1", "stated down by root"), ("db/db1", "statement withdrawn by root")]


def test_the_last_one_is_stated_down_by_force_alone(serving):
    for name in ("db1", "db2"):
        state(serving, name, "down")
    said = {"pool": "db", "name": "db3", "state": "down"}
    assert serving.refuse("backend.health", **said)[0] == 403
    assert backend(serving, "db3")["health"] == "unknown" and backend(serving, "db3")["slots"]
    serving.kill()
    serving.start()
    assert backend(serving, "db3")["health"] == "unknown" and backend(serving, "db3")["slots"]
    status, answer = serving.post("backend.health", said, force=True)
    assert status == 200 and answer["warnings"]
    assert_down(serving, "db3")


def test_files_leave_it_alone_and_name_the_command(idle, file):
    idle.start("--config", file)
    state(idle, "db1", "down")
    silent = configuration(150)
    assert not idle.operate("model.apply", configuration=silent)["warnings"]
    assert_down(idle)
    told = configuration(150)
    told["pools"][0]["backends"][0]["health"] = "up"
    told["pools"][0]["backends"][1]["health"] = "down"
    answer = idle.operate("model.apply", configuration=told)
    assert not answer["changed"]
    assert ["`holdfast backend health db/db1 up`" in line for line in answer["warnings"]] == [True, False]
    assert "`holdfast backend health db/db2 down`" in answer["warnings"][1]
    assert_down(idle)
    assert backend(idle, "db2")["health"] == "unknown"
    file.write_text(FILE.replace("db2, address", "db2, health: down, address"))
    idle.process.send_signal(signal.SIGHUP)
    wait_until(lambda: any("holdfast backend health db/db2 down" in text for _, text in events(idle, "configuration")))
    assert_down(idle)
    assert backend(idle, "db2")["health"] == "unknown"
    assert not idle.operate("model.apply", configuration=silent)["warnings"], "what a file said is forgotten"


def test_a_start_with_an_empty_database_reads_it_from_the_file(idle, file):
    file.write_text(FILE.replace("db2, address", "db2, health: down, address"))
    idle.start("--config", file)
    assert_down(idle, "db2", "holdfastd")
    state(idle, "db2", "auto")
    state(idle, "db1", "down")
    export = idle.get("/v1/export?state=1")["configuration"]
    assert [b.get("health") for b in export["pools"][0]["backends"]] == ["down", None]
    assert "health" not in json.dumps(idle.get("/v1/export")["configuration"])
    last = idle.get(f"/v1/generations/{number(idle)}")["model"]
    assert "health" not in json.dumps(last)
    file.write_text(FILE.replace("db2, address", "db2, health: down, weight: 7, address").replace(", weight: 200", ""))
    idle.stop()
    idle.start("--config", file)
    assert backend(idle, "db2")["weight"] == 7 and backend(idle, "db2")["slots"]
    assert_down(idle)


def test_a_start_that_is_fresh_reads_it_from_the_file(idle, file):
    idle.start("--config", file)
    state(idle, "db1", "down")
    idle.kill()
    file.write_text(FILE.replace("db2, address", "db2, health: down, address"))
    idle.start("--config", file, "--fresh")
    assert backend(idle, "db1")["health"] == "unknown" and backend(idle, "db1")["slots"]
    assert backend(idle, "db2")["health"] == "down" and backend(idle, "db2")["slots"] == 0


def test_a_first_file_that_is_refused_states_nothing(idle, file):
    broken = FILE.replace("db2, address", "db2, health: down, address").replace("table_size: 1021", "table_size: 1020")
    file.write_text(broken)
    idle.start("--config", file)
    file.write_text(FILE)
    idle.process.send_signal(signal.SIGHUP)
    wait_until(lambda: idle.get("/v1/backends")["backends"])
    assert backend(idle, "db2")["health"] == "unknown" and backend(idle, "db2")["slots"]


def test_it_is_of_a_server_and_goes_with_it(serving):
    before = number(serving)
    state(serving, "db1", "down")
    serving.operate("backend.remove", pool="db", name="db1", now=True)
    answer = rollback(serving, before)  # an older generation still names it
    assert any("holdfast backend health db/db1 auto" in line for line in answer["warnings"])
    assert_down(serving)
    serving.operate("backend.remove", pool="db", name="db1", now=True)
    serving.operate("backend.add", pool="db", name="db1", address="10.9.0.11")  # an operator's own word
    assert backend(serving, "db1")["health"] == "unknown" and backend(serving, "db1")["slots"]


def test_another_address_under_the_name_is_another_server(serving):
    state(serving, "db1", "down")
    serving.operate("backend.set", pool="db", name="db1", address="10.9.0.18")
    assert backend(serving, "db1")["health"] == "unknown" and backend(serving, "db1")["slots"]
    serving.operate("backend.set", pool="db", name="db1", address="10.9.0.11")
    assert_down(serving)


def test_why_tells_what_is_stated_of_those_that_the_slot_prefers(serving):
    for name in ("db1", "db2"):
        state(serving, name, "down")
    why = serving.get("/v1/why?proto=tcp&src=198.51.100.7:40000&dst=203.0.113.10:5432")
    assert why["owner"] == "db/db3"
    assert sorted((fact["backend"], fact["health"], fact["author"]) for fact in why["stated"]) == [
        ("db/db1", "down", "root"), ("db/db2", "down", "root")]


def test_health_of_an_older_databases_last_generation_becomes_a_fact(serving):
    serving.operate("backend.set", pool="db", name="db2", weight=90)
    slots = backend(serving, "db3")["slots"]
    serving.kill()
    database = sqlite3.connect(serving.database)
    now = int(time.time() * 1000)
    last, = database.execute("SELECT max(number) FROM generations").fetchone()
    for generation, name in ((last, "db1"), (last - 1, "db3")):
        text, = database.execute("SELECT model FROM generations WHERE number = ?", (generation,)).fetchone()
        model = json.loads(text)
        for found in model["pools"][0]["backends"]:
            if found["name"] == name:
                found.update(health="down", since=now)
        database.execute("UPDATE generations SET model = ? WHERE number = ?",
                         (json.dumps(model, separators=(",", ":")), generation))
    database.execute("DROP TABLE facts")
    database.execute("DELETE FROM settings WHERE key IN ('facts', 'clock')")
    database.commit()
    database.close()
    serving.start()
    assert_down(serving)
    assert abs(backend(serving, "db1")["health_since"] * 1000 - now) < 2
    rollback(serving, last - 1)
    assert_down(serving)
    assert backend(serving, "db3")["health"] == "unknown" and backend(serving, "db3")["slots"] >= slots


# Reboots ----------------------------------------------------------------------------


def reboot(daemon, id_file):
    """The pins are gone, and the kernel has another boot id: a file over it, in a mount namespace of the daemon's."""
    daemon.kill()
    shutil.rmtree(daemon.pins, ignore_errors=True)
    id_file.write_text(f"{uuid.uuid4()}\n")
    mount = f"mount --bind {id_file} /proc/sys/kernel/random/boot_id"
    daemon.under = ("unshare", "-m", "sh", "-c", f'{mount} && exec "$@"', "sh")
    daemon.start()


@pytest.fixture
def silent(serving):
    """A backend whose host answers nothing. One that answers stays the last hop, however long it is down."""
    serving.host.peer.run("ip", "addr", "del", "10.9.0.13/24", "dev", "r0")
    return "db3"


def test_what_was_stated_before_a_reboot_is_past_its_grace(serving, silent, tmp_path):
    serving.operate("pool.set", name="db", encap="gue", grace=3600)
    state(serving, silent, "down")
    serving.kill()
    serving.start()
    assert any(silent in hop for hop in hops(serving)), "within its grace it may hold flows"
    reboot(serving, tmp_path / "boot-id")
    assert backend(serving, silent)["health"] == "down"
    assert not any(silent in hop for hop in hops(serving))


def hops(daemon):
    """Of many flows."""
    found = []
    for port in range(40000, 40060):
        why = daemon.get(f"/v1/why?proto=tcp&src=198.51.100.7:{port}&dst=203.0.113.10:5432")
        found += why["hops"]
    assert found
    return found


def test_a_deadline_keeps_what_was_left_across_a_reboot(serving, tmp_path):
    serving.operate("backend.drain", pool="db", name="db1", deadline=3600)
    left = backend(serving, "db1")["deadline"] - time.time()
    assert 3590 < left <= 3600
    serving.stop()
    # The host was off for a day: all that was stamped, and the clock as it was noted last, are a day old.
    database = sqlite3.connect(serving.database)
    day = 24 * 3600 * 1000
    generation, text = database.execute("SELECT max(number), model FROM generations").fetchone()
    model = json.loads(text)
    for found in model["pools"][0]["backends"]:
        for key in {"since", "deadline"} & set(found):
            found[key] -= day
    database.execute("UPDATE generations SET model = ? WHERE number = ?",
                     (json.dumps(model, separators=(",", ":")), generation))
    for noted, in database.execute("SELECT value FROM settings WHERE key = 'clock'").fetchall():
        boot, offset, last = noted.split()
        database.execute("UPDATE settings SET value = ? WHERE key = 'clock'",
                         (f"{boot} {int(offset) - day} {int(last) - day}",))
    database.commit()
    database.close()
    reboot(serving, tmp_path / "boot-id")
    after = backend(serving, "db1")["deadline"] - time.time()
    assert left - 60 < after <= 3601
    assert backend(serving, "db1")["admin"] == "draining"

# SPDX-License-Identifier: Apache-2.0
"""A database that is lost, or older than the data plane: what the pins serve goes on, until a person decides."""

import json
import shutil
import sqlite3
import subprocess

import pytest

from harness.wait import wait_until

LOST = 3  # exit status
FLOW = "/v1/why?proto=tcp&src=198.51.100.7:40000&dst=203.0.113.10:5432"

FILE = """
version: 1
seed: "{seed}"
interfaces:
  - name: eth0
pools:
  - name: db
    source: 10.64.0.0/16
    backends:
      - {{name: db1, address: 10.9.0.11}}
      - {{name: db2, address: 10.9.0.12}}
      - {{name: db3, address: 10.9.0.13}}
services:
  - {{listen: "tcp 203.0.113.10:5432", pool: db}}
"""


def kernel_state(daemon):
    """What packets meet: the attached link, and every entry of the maps that decide where they go."""
    link = json.loads(subprocess.run(["bpftool", "-j", "link", "show", "pinned", daemon.pins / "links" / "eth0"],
                                     check=True, capture_output=True, text=True).stdout)
    link = link[0] if isinstance(link, list) else link
    maps = {name: subprocess.run(["bpftool", "-j", "map", "lookup", "pinned", daemon.pins / "maps" / name, "key",
                                  "0", "0", "0", "0"], check=True, capture_output=True, text=True).stdout
            for name in ("control",)}
    pools = subprocess.run(["bpftool", "-j", "map", "dump", "pinned", daemon.pins / "maps" / "pools"], check=True,
                           capture_output=True, text=True).stdout
    return link["id"], link["prog_id"], maps, pools


def start_refused(daemon, *arguments):
    """What a start says that ends with the status of a lost database."""
    return daemon.refused(*arguments, status=LOST)


def lose(daemon):
    for path in daemon.database.parent.glob(daemon.database.name + "*"):
        if not path.name.endswith(".lock"):
            path.unlink()


def write_file(daemon, text=None):
    path = daemon.directory / "holdfast.yaml"
    path.write_text((text or FILE).format(seed=daemon.get("/v1/status")["seed"]))
    return path


@pytest.mark.parametrize("with_file", [False, True])
def test_a_lost_database_is_refused_and_packets_are_left_alone(serving, with_file):
    path = write_file(serving)
    serving.kill()
    before = kernel_state(serving)
    lose(serving)
    for _ in range(2):
        said = start_refused(serving, *(["--config", path] if with_file else []))
        assert str(serving.database) in said and "services 1, pools 1, interfaces 1" in said, said
        assert "restore the database" in said and "--fresh" in said
        assert kernel_state(serving) == before
        assert not serving.database.exists(), "what would stand in the way of a backup"


def test_a_restored_database_goes_on(serving):
    status, pool = serving.get("/v1/status"), serving.get("/v1/pools/db")
    serving.stop()
    backup = serving.database.read_bytes()
    lose(serving)
    start_refused(serving)
    serving.database.write_bytes(backup)
    serving.log.write_text("")
    serving.start()
    assert serving.get("/v1/status")["generation"] == status["generation"]
    assert serving.get("/v1/pools/db") == pool
    assert "is made what" not in serving.log.read_text()


def test_a_database_without_a_generation_is_a_lost_one(serving):
    serving.stop()
    with sqlite3.connect(serving.database) as database:
        database.execute("DELETE FROM generations")
        database.execute("DELETE FROM ledger")
    database.close()
    before = kernel_state(serving)
    start_refused(serving)
    assert kernel_state(serving) == before


@pytest.mark.parametrize("operation, arguments, named", [
    ("backend.add", {"pool": "db", "name": "db4", "address": "10.9.0.14"}, "backend 4 at 10.9.0.14"),
    ("pool.add", {"name": "other", "source": "10.64.0.0/16"}, "pool 2"),
    ("service.add", {"proto": "tcp", "listen": "203.0.113.10:5433", "pool": "db"}, "service 2"),
])
def test_an_older_database_that_lacks_a_number_is_refused(serving, operation, arguments, named):
    serving.stop()
    backup = serving.database.read_bytes()
    serving.start()
    serving.operate(operation, **arguments)
    serving.stop()
    before = kernel_state(serving)
    serving.database.write_bytes(backup)
    said = start_refused(serving)
    assert named in said and str(serving.database) in said, said
    assert kernel_state(serving) == before


def test_an_older_database_whose_number_means_another_server_is_refused(serving):
    serving.stop()
    with sqlite3.connect(serving.database) as database:
        ledger = json.loads(database.execute("SELECT json FROM ledger").fetchone()[0])
        for backend in ledger["backends"]:
            if backend[1] == "db2":
                backend[2] = "10.9.0.15"
        database.execute("UPDATE ledger SET json = ?", (json.dumps(ledger),))
    database.close()
    said = start_refused(serving)
    assert "backend 2 at 10.9.0.12" in said and "another one" in said, said


def test_an_older_database_that_knows_every_number_goes_on(serving):
    serving.stop()
    backup = serving.database.read_bytes()
    serving.start()
    serving.operate("backend.set", pool="db", name="db1", weight=300)
    serving.stop()
    serving.database.write_bytes(backup)
    serving.start()
    weights = [backend["weight"] for backend in serving.get("/v1/backends")["backends"]]
    assert weights == [100, 100, 100]


def test_offline_status_shows_what_goes_on(serving):
    serving.kill()
    lose(serving)
    shown = serving.run("--offline status --check", status=None)
    assert shown.returncode == 1
    assert "tcp 203.0.113.10:5432" in shown.stdout and "eth0" in shown.stdout
    assert "ERROR" in shown.stdout and str(serving.database) in shown.stdout, shown.stdout


def test_fresh_keeps_every_number_that_the_file_knows_by_address(serving):
    path = write_file(serving)
    backends, pool = serving.get("/v1/backends")["backends"], serving.get("/v1/pools/db")
    number = serving.get("/v1/status")["generation"]["number"]
    serving.kill()
    link = kernel_state(serving)[:2]
    lose(serving)
    serving.log.write_text("")
    serving.start("--fresh", "--config", path)
    after = serving.get("/v1/backends")["backends"]
    assert [(b["name"], b["number"], b["slots"]) for b in after] == \
        [(b["name"], b["number"], b["slots"]) for b in backends]
    assert serving.get("/v1/pools/db")["digests"]["table"] == pool["digests"]["table"]
    assert serving.get("/v1/pools/db")["moving"] == 0
    assert kernel_state(serving)[:2] == link, "nothing was detached"
    assert serving.get("/v1/status")["generation"]["number"] >= number - 1, "not before what the tables bear"
    serving.stop()
    serving.log.write_text("")
    serving.start("--config", path)
    assert "is made what" not in serving.log.read_text()


def test_fresh_gives_no_number_away_that_flows_may_carry(serving):
    path = write_file(serving, FILE.replace("name: db2, address: 10.9.0.12", "name: db9, address: 10.9.0.19"))
    numbers = {b["name"]: b["number"] for b in serving.get("/v1/backends")["backends"]}
    serving.kill()
    lose(serving)
    serving.start("--fresh", "--config", path)
    after = {b["name"]: b["number"] for b in serving.get("/v1/backends")["backends"]}
    assert after["db1"] == numbers["db1"] and after["db3"] == numbers["db3"]
    assert after["db9"] not in numbers.values()
    assert serving.get(FLOW)["verdict"] in ("forward", "drop")


def test_fresh_sets_a_database_aside_and_loses_nothing_of_it(serving):
    path = write_file(serving)
    number = serving.get("/v1/status")["generation"]["number"]
    serving.kill()
    serving.start("--fresh", "--config", path)
    (aside,) = [p for p in serving.database.parent.glob(serving.database.name + ".2*Z")]
    serving.stop()
    assert str(aside) in serving.log.read_text()
    with sqlite3.connect(aside) as database:
        assert database.execute("SELECT max(number) FROM generations").fetchone()[0] == number
    database.close()


@pytest.mark.parametrize("options, text, said", [
    ([], None, "--fresh needs to know what to serve"),
    (["--config"], "version: 1\n", "seed"),
    (["--config"], None, "there is no such file"),
])
def test_fresh_without_a_configuration_changes_nothing(serving, options, text, said):
    path = serving.directory / "broken.yaml"
    if text:
        path.write_text(text)
    serving.stop()
    before, database = kernel_state(serving), serving.database.read_bytes()
    assert said in serving.refused("--fresh", *options, *([path] if options else []))
    assert kernel_state(serving) == before
    assert serving.database.read_bytes() == database
    serving.start()


def test_pins_that_serve_nothing_need_no_database(idle):
    idle.start()
    idle.kill()
    lose(idle)
    idle.start()
    assert idle.get("/v1/status")["generation"]["number"] == 1


def test_pins_that_lost_their_maps_serve_on_by_their_links(serving):
    serving.kill()
    lose(serving)
    shutil.rmtree(serving.pins / "maps")
    said = start_refused(serving)
    assert "interfaces 1" in said
    assert (serving.pins / "links" / "eth0").exists()


def test_a_first_start_with_a_file_is_no_lost_database(idle):
    path = idle.directory / "holdfast.yaml"
    path.write_text(FILE.format(seed="6f1c9a3e5b7d2048"))
    idle.start("--fresh", "--config", path)
    wait_until(lambda: idle.get("/v1/status")["interfaces"][0]["state"] == "attached")
    assert idle.get("/v1/status")["services"][0]["up"] == 3

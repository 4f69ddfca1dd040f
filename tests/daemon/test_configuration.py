# SPDX-License-Identifier: Apache-2.0
"""The configuration file: at start unless it is what was last applied, again at SIGHUP, and never half."""

import os
import shutil
import signal

import pytest

from harness.wait import wait_until


FILE = """\
version: 1
seed: "6f1c9a3e5b7d2048"
interfaces:
  - name: eth0
pools:
  - name: db
    table_size: 1021
    backends:
      - {name: db1, address: 10.9.0.11}
      - {name: db2, address: 10.9.0.12, weight: 200}
services:
  - {listen: "tcp 203.0.113.10:5432", pool: db}
"""


@pytest.fixture
def file(idle):
    path = idle.directory / "holdfast.yaml"
    path.write_text(FILE)
    return path


def number(daemon):
    return daemon.get("/v1/status")["generation"]["number"]


def reload(daemon):
    daemon.process.send_signal(signal.SIGHUP)


def test_a_file_is_applied_once(idle, file):
    idle.start("--config", file)
    status = idle.get("/v1/status")
    assert status["state"] == "ready" and status["seed"] == "6f1c9a3e5b7d2048"
    assert status["generation"]["cause"] == f"apply {file}" and status["generation"]["number"] == 2
    assert status["interfaces"][0]["state"] == "attached" and status["services"][0]["up"] == 2
    idle.operate("backend.drain", pool="db", name="db1")
    idle.operate("backend.add", pool="db", name="db3", address="10.9.0.13")
    last = number(idle)
    idle.kill()
    idle.start("--config", file)
    assert number(idle) == last and idle.get("/v1/backends/db/db3")["slots"]


def test_a_file_that_changed_is_applied_at_start(idle, file):
    idle.start("--config", file)
    idle.operate("backend.drain", pool="db", name="db1")
    idle.stop()
    file.write_text(FILE.replace("weight: 200", "weight: 190"))
    idle.start("--config", file)
    assert idle.get("/v1/backends/db/db2")["weight"] == 190
    assert idle.get("/v1/backends/db/db1")["admin"] == "draining"


def configuration(weight):
    """What FILE says, as the command line sends it."""
    backends = [{"name": "db1", "address": "10.9.0.11"}, {"name": "db2", "address": "10.9.0.12", "weight": weight}]
    return {"version": 1, "seed": "6f1c9a3e5b7d2048", "interfaces": [{"name": "eth0"}],
            "pools": [{"name": "db", "table_size": 1021, "backends": backends}],
            "services": [{"listen": "tcp 203.0.113.10:5432", "pool": "db"}]}


def test_a_file_that_the_command_line_applied_is_not_applied_again(idle, file):
    idle.start("--config", file)
    file.write_text("# more weight\n" + FILE.replace("weight: 200", "weight: 190"))
    idle.operate("model.apply", configuration=configuration(190))
    idle.operate("backend.set", pool="db", name="db2", weight=180)
    last = number(idle)
    idle.kill()
    idle.start("--config", file)
    assert number(idle) == last and idle.get("/v1/backends/db/db2")["weight"] == 180


def test_what_was_only_tried_is_not_what_was_applied(idle, file):
    idle.start("--config", file)
    file.write_text(FILE.replace("weight: 200", "weight: 190"))
    assert idle.post("model.apply", {"configuration": configuration(190)}, dry_run=True)[0] == 200
    idle.kill()
    idle.start("--config", file)
    assert idle.get("/v1/backends/db/db2")["weight"] == 190


def test_a_host_that_is_run_by_its_verbs_misses_no_file(idle, file):
    file.unlink()
    idle.start("--config", file)
    idle.operate("model.apply", configuration=configuration(200))
    idle.stop()
    idle.start("--config", file)
    assert idle.get("/v1/status")["problems"] == [] and idle.get("/v1/status")["services"][0]["up"] == 2


def test_sighup_applies_again(idle, file):
    idle.start("--config", file)
    idle.operate("backend.set", pool="db", name="db2", weight=190)
    reload(idle)
    wait_until(lambda: idle.get("/v1/backends/db/db2")["weight"] == 200)
    file.write_text(FILE.replace("weight: 200", "weight: 210"))
    reload(idle)
    wait_until(lambda: idle.get("/v1/backends/db/db2")["weight"] == 210)


@pytest.mark.parametrize("old, new, said", [
    ("weight: 200", "weigth: 200", "line 10"), ("10.9.0.12", "10.9.0.999", "line 10"), (FILE, "", "empty"),
    ("db2, address", "db1, address", "db1"), ("weight: 200", "weight: 1", "%"), ("6f1c9a3e5b7d2048", "00", "seed"),
    ("table_size: 1021", "table_size: 2039", "100"), ("eth0", "eth0\n  - name: eth0", "eth0"),
], ids=["key", "address", "empty", "twice", "share", "seed", "size", "interface"])
def test_a_file_that_is_refused_changes_nothing_and_is_told(idle, file, old, new, said):
    idle.start("--config", file)
    before, export = idle.get("/v1/status")["generation"], idle.get("/v1/export?state=1")
    file.write_text(FILE.replace(old, new))
    reload(idle)
    status = wait_until(lambda: (s := idle.get("/v1/status"))["state"] == "degraded" and s)
    assert any(said in problem and str(file) in problem for problem in status["problems"]), status["problems"]
    assert status["generation"] == before and idle.get("/v1/export?state=1") == export
    # Nor does it keep the daemon from its work at the next start.
    idle.kill()
    shutil.rmtree(idle.pins)
    idle.start("--config", file)
    status = idle.get("/v1/status")
    assert status["state"] == "degraded" and status["generation"] == before
    assert status["interfaces"][0]["state"] == "attached"
    file.write_text(FILE)
    reload(idle)
    wait_until(lambda: idle.get("/v1/status")["state"] == "ready")


@pytest.mark.parametrize("old, new, said", [
    ("weight: 200", "weight: 70000", "pools[0].backends[1].weight: weight 70000 is out of range: a number from 0 to 65535"),
    ("weight: 200", "weight: 1", "if it is meant: holdfast apply -f "),
], ids=["mistake", "share"])
def test_a_refusal_says_what_would_be_right_wherever_it_is_told(idle, file, old, new, said):
    def told():
        return [problem for problem in idle.get("/v1/status")["problems"] if said in problem]

    idle.start("--config", file)
    file.write_text(FILE.replace(old, new))
    reload(idle)
    wait_until(told)
    idle.stop()
    idle.start("--config", file)
    assert told()
    wait_until(lambda: len([e for e in idle.get("/v1/events")["events"] if e["kind"] == "configuration" and said in e["text"]]) == 2)
    assert idle.log.read_text().count(said) == 2


def test_a_file_that_is_lost_is_told_and_one_that_never_was_is_not(idle, file):
    file.unlink()
    idle.start("--config", file)
    assert idle.get("/v1/status")["problems"] == []
    file.write_text(FILE)
    reload(idle)
    wait_until(lambda: idle.get("/v1/status")["services"])
    idle.stop()
    file.unlink()
    idle.start("--config", file)
    status = idle.get("/v1/status")
    assert str(file) in status["problems"][0] and status["services"][0]["up"] == 2


def test_a_file_larger_than_any_may_be(idle, file):
    file.write_text(FILE + "#" * (16 << 20))
    idle.start("--config", file)
    assert str(file) in idle.get("/v1/status")["problems"][0] and number(idle) == 1


def not_applied(daemon):
    return [line for line in daemon.get("/v1/status")["problems"] if "is not applied" in line]


@pytest.mark.parametrize("make, says", [
    (lambda path: path.mkdir(), "this is a directory: a configuration file, such as holdfast.yaml, in it"),
    (os.mkfifo, "this is a pipe or a device: a file that can be read again, at each start and at SIGHUP"),
    (lambda path: path.symlink_to(path.name), "its symbolic links lead in a circle: the path of the file itself"),
    (lambda path: path.symlink_to("/dev/zero"), "this is a pipe or a device"),
    (lambda path: path.write_text(""), "the configuration is empty"),
])
def test_what_cannot_be_read_is_told_and_holds_up_nobody(idle, make, says):
    path = idle.directory / "holdfast.yaml"
    make(path)
    idle.start("--config", path)
    (problem,) = not_applied(idle)
    assert problem.startswith(f"{path} is not applied: {says}")


def test_a_pool_that_is_not_there_is_told_at_a_first_start(idle, file):
    file.write_text(FILE.replace("pool: db", "pool: dc"))
    idle.start("--config", file)
    (problem,) = not_applied(idle)
    assert "there is no pool dc: did you mean db?" in problem and "line 12" in problem

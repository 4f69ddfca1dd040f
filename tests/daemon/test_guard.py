# SPDX-License-Identifier: Apache-2.0
"""What nobody does by accident: a file that lost its tail, ports that change their pool, slots that nothing remembers."""

import shutil
import signal

import pytest

from harness.wait import wait_until


HEAD = """\
version: 1
seed: "6f1c9a3e5b7d2048"
"""
INTERFACES = """\
interfaces:
  - name: eth0
"""
POOLS = """\
pools:
  - name: db
    table_size: 1021
    backends:
      - {name: db1, address: 10.9.0.11}
      - {name: db2, address: 10.9.0.12}
      - {name: db3, address: 10.9.0.13}
      - {name: db4, address: 10.9.0.14}
      - {name: db5, address: 10.9.0.16}
  - name: web
    table_size: 1021
    backends:
      - {name: web1, address: 10.9.0.15}
"""
SERVICES = """\
services:
  - {listen: "tcp 203.0.113.10:5432", pool: db}
  - {listen: "tcp 203.0.113.10:80", pool: web}
"""
LIMIT = "move_limit: 10\n"
FILE = HEAD + LIMIT + INTERFACES + POOLS + SERVICES

# What is left of a file whose end is lost, always at the end of a line, and what the refusal speaks of.
LOST = [
    pytest.param(HEAD + LIMIT + INTERFACES + POOLS + SERVICES.rsplit("\n", 2)[0] + "\n", "203.0.113.10:80", id="a service"),
    pytest.param(HEAD + LIMIT + INTERFACES + POOLS, "203.0.113.10", id="all services"),
    pytest.param(HEAD + LIMIT + INTERFACES, "203.0.113.10", id="all pools"),
    pytest.param(HEAD + LIMIT + POOLS + SERVICES, "eth0", id="the interface"),
    pytest.param(HEAD, "203.0.113.10", id="everything"),
    pytest.param(FILE.replace("      - {name: db4, address: 10.9.0.14}\n", ""), "% of its slots", id="a backend with a fifth"),
    pytest.param(HEAD + INTERFACES + POOLS.replace("      - {name: db4, address: 10.9.0.14}\n", "") + SERVICES, "% of its slots",
                 id="a backend, and the line with the limit"),
]


@pytest.fixture
def filed(idle):
    idle.file = idle.directory / "holdfast.yaml"
    idle.file.write_text(FILE)
    idle.start("--config", idle.file)
    return idle


@pytest.mark.parametrize("left, said", LOST)
def test_a_file_that_lost_its_tail_changes_nothing_without_force(filed, left, said):
    before = filed.get("/v1/status")["generation"]["number"]
    filed.file.write_text(left)
    filed.process.send_signal(signal.SIGHUP)
    status = wait_until(lambda: (s := filed.get("/v1/status"))["problems"] and s)
    command = f"holdfast apply -f {filed.file} --force"
    assert said in status["problems"][0] and command in status["problems"][0]
    assert filed.run("status --check", status=None).returncode == 1
    applied = filed.run(["apply", "-f", filed.file], status=None)
    assert applied.returncode == 1 and said in applied.stderr and "--force" in applied.stderr
    filed.kill()
    filed.start("--config", filed.file)
    status = filed.get("/v1/status")
    assert status["generation"]["number"] == before and len(status["services"]) == 2
    assert status["interfaces"][0]["state"] == "attached" and command in status["problems"][0]
    done = filed.run(command.split()[1:], status=None)
    assert done.returncode == 0, done.stderr
    assert filed.get("/v1/status")["generation"]["number"] == before + 1


def test_a_file_that_lost_how_packets_are_wrapped_needs_force(filed):
    configuration = filed.get("/v1/export")["configuration"]
    filed.operate("pool.set", name="db", encap="gue")
    status, error = filed.refuse("model.apply", configuration=configuration)
    assert status == 403 and "wrapped by ipip instead of gue" in error["what"] and error["where"] == "pool db"
    assert filed.post("model.apply", {"configuration": configuration}, force=True)[0] == 200


def test_a_file_may_end_what_the_command_line_says_it_ends(filed):
    """The guard is for what a file no longer names; a verb names what it ends."""
    filed.operate("service.remove", proto="tcp", listen="203.0.113.10:80")
    filed.operate("interface.detach", name="eth0")
    assert filed.run("status --check", status=None).returncode == 1, "a service and no interface"
    assert "no interface is attached" in filed.get("/v1/status")["problems"][0]


def configured(daemon, *services):
    configuration = daemon.get("/v1/export")["configuration"]
    configuration["services"] = [{"listen": listen, "pool": pool} for listen, pool in services]
    return configuration


VIP = "tcp 203.0.113.20"


@pytest.mark.parametrize("before, after, what", [
    ([(f"{VIP}:any", "db")], [(f"{VIP}:80", "web")], f"flows of {VIP}:80 would leave pool db for pool web"),
    ([(f"{VIP}:80", "db")], [(f"{VIP}:any", "web")], "would leave pool db for pool web"),
    ([(f"{VIP}:80-90", "db")], [(f"{VIP}:80-84", "db"), (f"{VIP}:85-90", "web")], f"flows of {VIP}:85-90 would leave"),
    ([(f"{VIP}:80-90", "db")], [(f"{VIP}:70-79", "db"), (f"{VIP}:90-95", "web")], f"flows of {VIP}:90-95 would leave"),
    ([(f"{VIP}:any", "db")], [(f"{VIP}:80", "db")], "ends the service"),
    ([(f"{VIP}:80-90", "db")], [(f"{VIP}:80-84", "db"), (f"{VIP}:86-90", "db")], "ends the service"),
    ([(f"{VIP}:80", "db")], [("tcp 203.0.113.21:80", "db")], "ends the service"),
    ([(f"{VIP}:80", "db")], [("udp 203.0.113.20:80", "db")], "ends the service"),
], ids=lambda value: value if isinstance(value, str) else " ".join(f"{listen}={pool}" for listen, pool in value))
def test_ports_of_a_vip_are_compared_as_intervals(filed, before, after, what):
    configuration = configured(filed, *before)
    filed.post("model.apply", {"configuration": configuration}, force=True)
    configuration["services"] = [{"listen": listen, "pool": pool} for listen, pool in after]
    status, error = filed.refuse("model.apply", configuration=configuration)
    assert status == 403 and error["kind"] == "breaks-flows"
    assert what in error["what"], error
    assert filed.post("model.apply", {"configuration": configuration}, force=True)[0] == 200


def test_a_pool_whose_backends_all_drain_still_has_flows(filed):
    for number in range(1, 6):
        filed.post("backend.drain", {"pool": "db", "name": f"db{number}"}, force=True)
    status, error = filed.refuse("service.set", proto="tcp", listen="203.0.113.10:5432", pool="web")
    assert status == 403 and "would leave pool db for pool web" in error["what"]


@pytest.mark.parametrize("before, after", [
    ([(f"{VIP}:80-84", "db"), (f"{VIP}:85-90", "db")], [(f"{VIP}:80-90", "db")]),
    ([(f"{VIP}:80-90", "db")], [(f"{VIP}:80-84", "db"), (f"{VIP}:85-90", "db")]),
    ([(f"{VIP}:80-90", "db")], [(f"{VIP}:any", "db")]),
], ids=["joined", "split", "widened"])
def test_ports_that_stay_with_their_pool_need_no_force(filed, before, after):
    configuration = configured(filed, *before)
    filed.post("model.apply", {"configuration": configuration}, force=True)
    configuration["services"] = [{"listen": listen, "pool": pool} for listen, pool in after]
    assert filed.operate("model.apply", configuration=configuration)["changed"]


def test_a_rollback_that_ends_a_service_needs_force(filed):
    filed.operate("service.add", proto="tcp", listen="203.0.113.10:81", pool="db")
    number = filed.get("/v1/status")["generation"]["number"] - 1
    status, answer = filed.request("POST", "/v1/rollback", {"generation": number})
    assert status == 403 and "ends the service" in answer["error"]["what"]
    assert filed.request("POST", "/v1/rollback", {"generation": number, "force": True})[0] == 200


def test_slots_that_move_where_nothing_is_remembered_are_warned_of(filed):
    filed.operate("service.set", proto="tcp", listen="203.0.113.10:5432", track="never")
    warned = filed.operate("backend.drain", pool="db", name="db1")["warnings"]
    assert any("track is never" in line and "service set tcp 203.0.113.10:5432 --track auto" in line for line in warned)
    filed.operate("backend.activate", pool="db", name="db1")
    filed.operate("service.set", proto="tcp", listen="203.0.113.10:5432", track="auto")
    assert not filed.operate("backend.drain", pool="db", name="db1")["warnings"]


def test_a_start_without_pins_is_guarded_too(filed):
    filed.file.write_text(HEAD + LIMIT + INTERFACES + POOLS)
    filed.kill()
    shutil.rmtree(filed.pins)
    filed.start("--config", filed.file)
    status = filed.get("/v1/status")
    assert len(status["services"]) == 2 and "not applied" in status["problems"][0]

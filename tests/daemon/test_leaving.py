# SPDX-License-Identifier: Apache-2.0
"""Backends that leave and come back: other addresses under their names, files that drop and name them again, and
balancers on which a drain has ended already."""

import signal

import pytest

from harness.daemon import Daemon
from harness.wait import wait_until


MANY = 1000
FILE = """\
version: 1
seed: "6f1c9a3e5b7d2048"
move_limit: 100
pools:
  - name: db
    table_size: {size}
    backends:
{backends}
services:
  - {{listen: "tcp 203.0.113.10:5432", pool: db, idle: 1h}}
"""


def text(addresses, size=1021):
    lines = [f"      - {{name: {name}, address: {address}}}" for name, address in addresses.items()]
    return FILE.format(size=size, backends="\n".join(lines))


THREE = {f"db{i}": f"10.9.0.1{i}" for i in (1, 2, 3)}


class Balancer(Daemon):
    """A daemon with a file of its own."""

    def write(self, addresses, **options):
        self.directory.mkdir(exist_ok=True)
        (self.directory / "file.yaml").write_text(text(addresses, **options))

    def begin(self):
        self.start("--config", self.directory / "file.yaml")

    def apply(self, addresses, out=(), **options):
        """Writes another file and waits until its backends, but for those that stay out, and no others stay."""
        self.write(addresses, **options)
        self.process.send_signal(signal.SIGHUP)
        wait_until(lambda: self.staying() == set(addresses) - set(out), 60)

    def backends(self):
        return self.get("/v1/backends/db")["backends"]

    def staying(self):
        return {b["name"] for b in self.backends() if not b["removing"]}

    def backend(self, name):
        return self.get(f"/v1/backends/db/{name}")

    def digests(self):
        return self.get("/v1/pools/db")["digests"]

    def events(self):
        return self.get("/v1/events")["events"]

    def end_drains(self, most=100):
        """What the daemon does for each backend when its drain has ended."""
        for name in [b["name"] for b in self.backends() if b["removing"]][:most]:
            self.operate("backend.remove", pool="db", name=name, now=True)


@pytest.fixture
def balancers(make_daemon, host, tmp_path):
    """Two of one configuration, whose flows may be silent for an hour: no drain ends by itself."""
    return [make_daemon(f"{host.netns}-{letter}", tmp_path / letter, Balancer) for letter in "ab"]


@pytest.fixture
def balancer(balancers):
    balancers[0].write(THREE)
    balancers[0].begin()
    return balancers[0]


def agree(balancers):
    first, second = ({(b["name"], b["slots"], b["admin"], b["weight"]) for b in balancer.backends() if not b["removing"]}
                     for balancer in balancers)
    return first == second and balancers[0].digests() == balancers[1].digests()


def by_command(balancer):
    return balancer.operate("backend.set", pool="db", name="db1", address="10.9.0.14")


def by_file(balancer):
    balancer.apply({**THREE, "db1": "10.9.0.14"})
    wait_until(lambda: balancer.backend("db1")["address"] == "10.9.0.14")


@pytest.mark.parametrize("change", (by_command, by_file))
def test_another_address_is_another_server(balancer, change):
    old = balancer.backend("db1")
    change(balancer)
    new, leaving = balancer.backend("db1"), balancer.backend("db1@10.9.0.11")
    assert (new["address"], new["admin"], new["slots"]) == ("10.9.0.14", "active", old["slots"])
    assert (leaving["name"], leaving["address"]) == ("db1@10.9.0.11", "10.9.0.11")
    assert leaving["removing"] and leaving["slots"] == 0 and leaving["based"] == old["slots"]
    assert leaving["number"] == old["number"] != new["number"]
    assert [b["name"] for b in balancer.backends()] == ["db1", "db2", "db3", "db1@10.9.0.11"]
    balancer.kill()
    balancer.begin()
    assert balancer.backend("db1@10.9.0.11")["based"] == old["slots"], "a restart forgets nothing"
    balancer.operate("backend.remove", pool="db", name="db1@10.9.0.11", now=True)
    assert [b["name"] for b in balancer.backends()] == ["db1", "db2", "db3"]


@pytest.mark.parametrize("change", (by_command, by_file))
@pytest.mark.parametrize("operation, arguments", (("drain", {}), ("disable", {}), ("health", {"state": "down"})))
def test_the_new_server_has_nothing_of_the_old_ones_state(balancer, change, operation, arguments):
    balancer.operate(f"backend.{operation}", pool="db", name="db1", **arguments)
    change(balancer)
    new = balancer.backend("db1")
    assert (new["admin"], new["health_rule"]) == ("active", "auto") and new["slots"] > 0


def test_the_plan_says_that_an_address_changes(balancer):
    status, answer = balancer.post("backend.set", {"pool": "db", "name": "db1", "address": "10.9.0.14"}, dry_run=True)
    assert status == 200
    assert answer["plan"]["replaced"] == [{"pool": "db", "name": "db1", "before": "10.9.0.11", "after": "10.9.0.14"}]


def test_a_rollback_lets_what_it_leaves_behind_drain(balancer):
    number = balancer.get("/v1/status")["generation"]["number"]
    by_command(balancer)
    balancer.operate("backend.add", pool="db", name="db5", address="10.9.0.15")
    status, answer = balancer.request("POST", "/v1/rollback", {"generation": number, "force": True})
    assert status == 200, answer
    assert balancer.backend("db1")["address"] == "10.9.0.11" and balancer.backend("db1")["slots"] > 0
    assert balancer.backend("db1@10.9.0.14")["removing"] and balancer.backend("db5")["removing"]


@pytest.mark.parametrize("restart", (False, True))
def test_a_file_that_drops_and_names_backends_again_has_them_all(balancers, restart):
    """On one balancer some drains end before the backends are named again, on the other none does."""
    many = {f"db{i}": f"10.9.{i // 250 + 1}.{i % 250 + 1}" for i in range(MANY)}
    few = {name: many[name] for name in list(many)[:3]}
    for balancer in balancers:
        balancer.write(many, size=65537)
        balancer.begin()
        balancer.apply(few, size=65537)
    balancers[0].end_drains(20)
    assert agree(balancers)
    if restart:
        for balancer in balancers:
            balancer.kill()
            balancer.begin()
    for balancer in balancers:
        balancer.apply(many, size=65537)
        backends = balancer.backends()
        assert len(backends) == MANY
        assert all(b["slots"] and not b["removing"] and b["admin"] == "active" for b in backends)
    assert agree(balancers)
    for balancer in balancers:
        balancer.kill()
        balancer.begin()
        assert sum(b["slots"] > 0 for b in balancer.backends()) == MANY


def test_no_file_brings_back_what_a_command_removed(balancers):
    """Nor does one on a balancer where the backend has left already: both tables stay equal."""
    four, without = {**THREE, "db4": "10.9.0.14"}, {name: THREE[name] for name in ("db2", "db3")}
    for balancer in balancers:
        balancer.write(THREE)
        balancer.begin()
        balancer.operate("backend.remove", pool="db", name="db1")
    balancers[0].end_drains()
    for balancer in balancers:
        balancer.apply(four, out=["db1"])
        (told,) = [e["text"] for e in balancer.events() if "db/db1 stays out" in e["text"]]
        assert "holdfast backend add db/db1 10.9.0.11" in told
        balancer.operate("backend.add", pool="db", name="db1", address="10.9.0.11")
    assert agree(balancers)
    for balancer in balancers:
        balancer.operate("backend.remove", pool="db", name="db1")
    balancers[0].end_drains()
    for balancer in balancers:
        balancer.apply(without)  # the file agrees, and what it names later is a new backend
        balancer.apply(THREE)
    assert agree(balancers) and balancers[0].backend("db1")["slots"] > 0


def test_commands_do_the_same_wherever_a_drain_has_ended(balancers):
    commands = [("remove", {}), ("health", {"state": "down"}), ("activate", {}), ("set", {"weight": 7}), ("drain", {"deadline": 3600}), ("disable", {}),
                ("remove", {}), ("add", {"address": "10.9.0.11", "weight": 50}), ("remove", {}),
                ("add", {"address": "10.9.0.14"}), ("set", {"address": "10.9.0.15"}), ("set", {"address": "10.9.0.14"}),
                ("remove", {"now": True}), ("remove", {}), ("remove", {"now": True}), ("add", {"address": "10.9.0.11"})]
    for balancer in balancers:
        balancer.write(THREE)
        balancer.begin()
    for word, arguments in commands:
        answers = [b.post(f"backend.{word}", {"pool": "db", "name": "db1", **arguments}, force=True)[0] for b in balancers]
        assert answers[0] == answers[1], (word, arguments)
        balancers[0].end_drains()
        assert agree(balancers), (word, arguments)
    assert balancers[1].backend("db1")["address"] == "10.9.0.11"

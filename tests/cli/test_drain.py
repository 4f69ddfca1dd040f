# SPDX-License-Identifier: Apache-2.0
"""Waiting for a drain, against a daemon whose flows end as the test says."""

import json

import pytest

from fake_daemon import BACKENDS, changed

DB1 = BACKENDS[0]


@pytest.fixture
def flows(daemon):
    """flows(states): the backend goes through these states, one a look, and stays in the last."""
    def script(*states):
        left = list(states)

        def look():
            state = left.pop(0) if len(left) > 1 else left[0]
            return {**DB1, "admin": "draining", "heard": None, **state}
        daemon.replies["/v1/backends/db/db1"] = (200, look)
    daemon.replies["/v1/operations"] = (200, changed())
    return script


def test_waits_until_the_daemon_calls_it_drained(cli, daemon, flows):
    flows({"remembered": 811, "heard": 0.1}, {"remembered": 2, "heard": 3}, {"remembered": 0, "heard": 5},
          {"admin": "drained", "remembered": 0})
    lines = cli.out("backend drain db/db1 --wait").splitlines()
    assert lines[0].startswith("backend db/db1 draining: generation 42")
    assert lines[1:4] == ["db/db1: 811 remembered flows, last heard 0s ago", "db/db1: 2 remembered flows, last heard 3s ago",
                          "db/db1: 0 remembered flows, last heard 5s ago"]
    assert lines[4] == ("db/db1 drained: it can be switched off; a flow that was silent for longer than its service's "
                        "idle time cannot be seen")
    assert daemon.requests[0][2]["arguments"] == {"pool": "db", "name": "db1"}


def test_quiet_is_since_the_last_packet(cli, flows):
    flows({"remembered": 0, "heard": 0.2}, {"remembered": 0, "heard": 0.7}, {"remembered": 0, "heard": 1.2})
    out = cli.out("backend drain db/db1 --wait --quiet 1s")
    assert out.endswith("silent for longer than 1s cannot be seen\n")


def test_quiet_alone_does_not_hide_flows(cli, flows):
    flows({"remembered": 1, "heard": 100})
    assert "1 flows are still remembered" in cli.run("backend drain db/db1 --wait --quiet 1s --timeout 2s", 3).stderr


def test_a_count_from_before_the_drain_ends_no_wait(cli, daemon, flows):
    """Until flows have been counted after the drain was in force, that none was seen says nothing."""
    flows(*[{"remembered": 0, "counted": None}] * 3, {"remembered": 2, "heard": 0.1}, {"remembered": 0})
    assert "2 remembered flows" in cli.out("backend drain db/db1 --wait --quiet 0")


def test_an_old_count_does_not_stand_for_quiet(cli, daemon, flows):
    """A count of five seconds ago cannot tell that nobody was heard in the last two."""
    flows(*[{"remembered": 0, "counted": 5.0}] * 6, {"remembered": 1, "heard": 0.1}, {"remembered": 0})
    assert "1 remembered flows" in cli.out("backend drain db/db1 --wait --quiet 2s")


def test_closing_flows_are_not_waited_for(cli, flows):
    flows({"remembered": 7, "closing": 7})
    assert "0 remembered flows" in cli.out("backend drain db/db1 --wait --quiet 1s")


def test_quiet_begins_when_the_last_flow_ends(cli, daemon, flows):
    flows(*[{"remembered": 3, "heard": 0.1}] * 4, {"remembered": 0})
    cli.out("backend drain db/db1 --wait --quiet 1s")
    looks = [path for _, path, _ in daemon.requests].count("/v1/backends/db/db1")
    assert looks >= 4 + 2  # a second of looks after the last flow was seen


def test_never_heard_waits_for_as_long(cli, daemon, flows):
    flows({"remembered": 0})
    cli.run("backend drain db/db1 --wait --quiet 0")
    before = len(daemon.requests)
    cli.run("backend drain db/db1 --wait --quiet 1s")
    assert len(daemon.requests) - before > 2  # it looked more than once


def test_timeout(cli, flows):
    flows({"remembered": 7, "heard": 0.5})
    done = cli.run("backend drain db/db1 --wait --timeout 1s", 3)
    assert "backend db/db1: 7 flows are still remembered after 1s: it stays draining" in done.stderr


@pytest.mark.parametrize("quiet, waited", [
    ("", "but one that is silent could not be seen before its service's idle time is over: it stays draining: wait again, "
         "or --quiet"),
    ("--quiet 1h", "but not yet for 1h: it stays draining"),
])
def test_timeout_without_flows(cli, flows, quiet, waited):
    flows({"remembered": 3, "heard": 0.5}, {"remembered": 3, "closing": 3})
    done = cli.run(f"backend drain db/db1 --wait {quiet} --timeout 1s", 3)
    assert f"backend db/db1: no flow is remembered after 1s, {waited}" in done.stderr


def test_timeout_in_json_counts_flows_too(cli, flows):
    flows({"remembered": 7, "heard": 0.5})
    assert "7 flows are still remembered" in cli.run("--json backend drain db/db1 --wait --timeout 1s", 3).stderr


def test_deadline_cuts_and_says_how_many(cli, daemon, flows):
    flows({"remembered": 9}, *[{"remembered": 5, "heard": 0.5}] * 2, {"remembered": 0, "admin": "drained"})
    out = cli.out("backend drain db/db1 --wait --deadline 1s")
    assert out.endswith("db/db1: the deadline passed: 5 remembered flows were cut\n")
    assert daemon.requests[0][2]["arguments"]["deadline"] == "1s"


def test_backend_that_goes_away_ends_the_wait(cli, daemon, flows):
    daemon.replies["/v1/backends/db/db1"] = (404, {"error": {"what": "there is no backend db1", "where": "pool db",
                                                             "right": ""}})
    assert "there is no backend db1" in cli.run("backend drain db/db1 --wait", 1).stderr


def test_a_backend_that_has_left_is_drained(cli, daemon, flows):
    """It was leaving, and its drain may have ended on this balancer already."""
    daemon.replies["/v1/backends/db/db1@10.0.0.11"] = (404, {"error": {"kind": "missing", "where": "", "right": "",
                                                                       "what": "there is no backend db/db1@10.0.0.11"}})
    out = cli.out("backend drain db/db1@10.0.0.11 --wait --deadline 5s")
    assert out.endswith("db/db1@10.0.0.11 has left its pool: it can be switched off\n")
    assert daemon.requests[0][2]["arguments"] == {"pool": "db", "name": "db1@10.0.0.11", "deadline": "5s"}


def test_json(cli, flows):
    flows({"remembered": 3}, {"admin": "drained", "remembered": 0})
    change, backend = cli.out("--json backend drain db/db1 --wait").splitlines()
    assert json.loads(change)["generation"] == 42 and json.loads(backend)["admin"] == "drained"


def test_how_to_wait_needs_a_wait(cli, daemon):
    assert "add --wait" in cli.error("backend drain db/db1 --quiet 5s")
    cli.run("backend drain db/db1 --wait --dry-run")
    assert [path for _, path, _ in daemon.requests] == ["/v1/operations"]

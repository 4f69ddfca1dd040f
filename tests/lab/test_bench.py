# SPDX-License-Identifier: Apache-2.0
"""The benchmark's instance serves every scenario of the referee: each packet comes out with the right outer header."""

import importlib.machinery
import importlib.util
import os
import subprocess

import pytest

from harness import BUILD, TOP

SCENARIOS = ("v4-tcp-1flow", "v4-udp-1flow", "v6-tcp-1flow", "v4-tcp-1480B", "v4-syn-flood", "v4-ack-flood")


@pytest.fixture(scope="module")
def bench():
    loader = importlib.machinery.SourceFileLoader("bench", str(TOP / "scripts" / "bench"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("bench", loader))
    loader.exec_module(module)
    return module


def cost(*arguments):
    return subprocess.run([BUILD / "cost" / "packet-cost", "--rounds", "2", "--batch", "2000", *arguments],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)


def rows(answer):
    return [line.split() for line in answer.stdout.splitlines()]


def test_every_packet_of_the_scenarios_is_wrapped(bench):
    with bench.Instance(f"bench{os.getpid()}") as instance:
        answer = cost(f"holdfast={instance.program}", *SCENARIOS)
        assert answer.returncode == 0, answer.stdout + answer.stderr
        mine = [row for row in rows(answer) if row[0] == "holdfast"]
        assert [(row[-2], row[-1]) for row in mine] == len(SCENARIOS) * [("100.0%", "TX")]
        assert [row for row in rows(cost(f"holdfast={instance.program}", "not-a-service")) if row[0] == "holdfast"][0][-1] == "PASS"
        instance.change()

# SPDX-License-Identifier: Apache-2.0
"""A short storm: what `make storm` does at length, once with everything and once with nothing to hold flows."""

import os
import shutil

import pytest

from harness.lab import namespaces_of
from storm import run_storm

SHAPE = dict(connections=1000, backends=8, udp=200, downloads=2)


@pytest.fixture(scope="module", autouse=True)
def capable():
    if os.geteuid():
        pytest.skip("the storm needs root")
    for program in ("ip", "nsenter", "ethtool", "nginx", "curl"):
        if not shutil.which(program):
            pytest.skip(f"the storm needs {program} (make deps)")


def judge(storm):
    """Fails by what broke; what this build cannot do is skipped aloud."""
    missing = [failure for failure in storm["failures"] if "not available" in failure]
    assert [failure for failure in storm["failures"] if failure not in missing] == []
    if missing:
        pytest.skip("; ".join(missing))


def test_connections_stay_put_with_receivers():
    judge(run_storm("receivers", **SHAPE))


def test_without_remembered_flows_connections_break():
    storm = run_storm("never", **SHAPE, only=("nothing", "add two backends", "drain two backends", "withdraw balancer 1"))
    assert storm["rows"][0]["broken"] == 0, "what breaks by itself proves nothing"
    assert storm["rows"][1]["broken"] > 0
    assert storm["broken"] > 0


def test_nothing_is_left_behind():
    assert not namespaces_of(f"hfs{os.getpid()}n")

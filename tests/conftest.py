# SPDX-License-Identifier: Apache-2.0
"""What suites share: this machine is asked once whether it can have a lab, and is skipped aloud if not."""

import itertools
import os
import shutil
import signal

import pytest

from harness import BUILD, HarnessError
from harness.lab import Lab, remove_orphans, remove_own

number = itertools.count(1)


def pytest_configure():
    """SIGTERM ends a run as Ctrl-C does: fixtures remove what they made."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(exitstatus):
    """What a fixture leaves that is interrupted while it removes its own."""
    if exitstatus == pytest.ExitCode.INTERRUPTED:
        remove_own()


def missing():
    """Why this machine has no lab, or None."""
    if os.geteuid():
        return "the lab needs root"
    for program in ("ip", "nsenter", "ethtool", "nginx", "curl"):
        if not shutil.which(program):
            return f"the lab needs {program} (make deps)"
    for built in ("holdfast", "holdfastd", "lab/pass.bpf.o"):
        if not (BUILD / built).exists():
            return f"build/{built} is not built (make test-programs)"
    try:
        with_one = Lab(f"hft{os.getpid()}n0", clients=1, balancers=1, backends=0)
        with_one.up().down()
    except HarnessError as error:
        return f"no network namespaces with native XDP on veth here: {error}"
    return None


@pytest.fixture(scope="session")
def capable():
    remove_orphans("hft", "hfdemo")
    why = missing()
    if why:
        pytest.skip(why)


@pytest.fixture(scope="module")
def make_lab(capable):
    """Labs of this module, removed after it: make_lab(clients=2) and so on."""
    made = []

    def make(**shape):
        made.append(Lab(f"hft{os.getpid()}n{next(number)}", **shape))
        return made[-1].up()

    yield make
    for one in made:
        one.down()

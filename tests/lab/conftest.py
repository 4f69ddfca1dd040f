# SPDX-License-Identifier: Apache-2.0
"""One lab a test file; what this machine cannot do is probed, and skipped aloud."""

import itertools
import os
import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import lab as labs  # noqa: E402
import holdfast  # noqa: E402
import servers  # noqa: E402

number = itertools.count(1)


def missing():
    """Why this machine has no lab, or None."""
    if os.geteuid():
        return "the lab needs root"
    for program in ("ip", "nsenter", "ethtool", "nginx", "curl"):
        if not shutil.which(program):
            return f"the lab needs {program} (make deps)"
    for built in ("holdfast", "holdfastd", "lab/pass.bpf.o"):
        if not (labs.BUILD / built).exists():
            return f"build/{built} is not built (make test-programs)"
    try:
        with_one = labs.Lab(f"hft{os.getpid()}n0", clients=1, balancers=1, backends=0)
        with_one.up().down()
    except labs.LabError as error:
        return f"no network namespaces with native XDP on veth here: {error}"
    return None


@pytest.fixture(scope="session")
def capable():
    labs.remove_orphans("hft", "hfdemo")
    why = missing()
    if why:
        pytest.skip(why)


@pytest.fixture(scope="module")
def make_lab(capable):
    """Labs of this module, removed after it: make_lab(clients=2) and so on."""
    made = []

    def make(**shape):
        made.append(labs.Lab(f"hft{os.getpid()}n{next(number)}", **shape))
        return made[-1].up()

    yield make
    for one in made:
        one.down()


@pytest.fixture(scope="module")
def lab(make_lab):
    """A lab of the usual shape, nginx running on its backends."""
    one = make_lab(clients=1, balancers=1, backends=4)
    for backend in one.backends:
        servers.start_nginx(backend)
    return one


@pytest.fixture(scope="module")
def balanced(lab):
    """balanced(weights=.., ports=.., backends=..): the lab and a daemon that serves them, made once a module."""
    made = []

    def make(backends=None, **shape):
        if not made:
            for backend in lab.backends:
                holdfast.attach_receiver(backend)
            daemon = holdfast.Daemon(lab.lb1).start()
            chosen = [lab.hosts[name] for name in backends] if backends else lab.backends
            holdfast.serve_pool(daemon, chosen, **shape)
            labs.wait_until(lambda: lab.c1.run("curl", "-s", "-m", "1", "http://203.0.113.10/", check=False).stdout,
                            20, "the VIP answers")
            made.append((lab, daemon))
        return made[0]

    return make

# SPDX-License-Identifier: Apache-2.0
"""A network namespace of its own for all packet tests, and the data plane loaded as most of them want it."""

import ctypes
import os
import subprocess

import pytest

from harness import BUILD
from pools import make_plane

CLONE_NEWNET = 0x40000000


def pytest_configure():
    if os.geteuid():
        raise pytest.UsageError("packet tests load BPF programs: run them as root")
    for name in ("lb", "receiver"):
        if not (BUILD / f"bpf/{name}.bpf.o").exists():
            raise pytest.UsageError(f"no {BUILD}/bpf/{name}.bpf.o: run make first")


@pytest.fixture(scope="session", autouse=True)
def namespace():
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWNET):
        raise OSError(ctypes.get_errno(), "unshare a network namespace")
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)


@pytest.fixture(scope="session")
def plane(namespace):
    plane = make_plane()
    yield plane
    plane.close()


@pytest.fixture
def fresh(namespace):
    """One of its own, for a test that changes it."""
    plane = make_plane()
    yield plane
    plane.close()

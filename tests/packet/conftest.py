# SPDX-License-Identifier: Apache-2.0
"""A network namespace of its own for all packet tests, and the data plane loaded as most of them want it."""

import ctypes
import os
import subprocess

import pytest

from dataplane import BUILD, TCP, UDP, DataPlane
from frames import BACKENDS, CLIENTS, LINK_MAC, VIPS

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


def make_plane(**options):
    """Two pools over the same slots: 1 of IPv4 backends 1..4, 2 of IPv6 backends 5..8; a service of every family and
    protocol on port 80 for pool 1, and on port 81 for pool 2."""
    plane = DataPlane(**options)
    plane.set_link(1, LINK_MAC)
    for number, backend in BACKENDS.items():
        plane.set_backend(number, backend.address, backend.source, backend.mac, ordinal=(number - 1) % 4)
    plane.set_table(1, [i % 4 + 1 for i in range(251)], pool=1, seed=0x0123456789ABCDEF)
    plane.set_table(2, [i % 4 + 5 for i in range(251)], pool=2, seed=0xFEDCBA9876543210)
    plane.on = {(family, proto, port): plane.add_service(proto, VIPS[family], port, pool=pool, ordinals=4)
                for family in CLIENTS for proto in (TCP, UDP) for port, pool in ((80, 1), (81, 2))}
    return plane


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

# SPDX-License-Identifier: Apache-2.0
"""A daemon of its own for every test: a network namespace with one veth, an instance, directories; all gone after."""

import itertools
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from daemon import Daemon, Host

numbers = itertools.count()


def pytest_collection_modifyitems(items):
    if os.geteuid() != 0:
        for item in items:
            item.add_marker(pytest.mark.skip(reason="needs root"))


def remove_pins(instance):
    shutil.rmtree(Path("/sys/fs/bpf/holdfast") / instance, ignore_errors=True)


@pytest.fixture
def host():
    host = Host(f"hfd{os.getpid()}-{next(numbers)}")
    try:
        host.open()
        yield host
    finally:
        host.close()


@pytest.fixture
def idle(host, tmp_path):
    """A daemon that is not started yet."""
    daemon = Daemon(host, host.name, tmp_path)
    try:
        yield daemon
    finally:
        daemon.end()
        remove_pins(daemon.instance)


@pytest.fixture
def daemon(idle):
    idle.start()
    return idle


@pytest.fixture
def serving(daemon):
    daemon.serve()
    return daemon

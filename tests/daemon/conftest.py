# SPDX-License-Identifier: Apache-2.0
"""A daemon of its own for every test: a network namespace with one veth, an instance, directories; all gone after."""

import itertools
import os

import pytest

from harness.daemon import Daemon
from harness.lab import remove_orphans
from host import Host, serve

numbers = itertools.count()


def pytest_collection_modifyitems(items):
    if os.geteuid() != 0:
        for item in items:
            item.add_marker(pytest.mark.skip(reason="needs root"))


@pytest.fixture(scope="session")
def tidy():
    """No hosts of runs that were killed."""
    remove_orphans("hfd")


@pytest.fixture
def host(tidy):
    host = Host(f"hfd{os.getpid()}-{next(numbers)}")
    try:
        host.up()
        yield host
    finally:
        host.down()


@pytest.fixture
def make_daemon(host):
    """Daemons of this host, ended after the test: make_daemon(instance, directory)."""
    made = []

    def make(instance, directory, kind=Daemon):
        made.append(kind(host, instance, directory))
        return made[-1]

    try:
        yield make
    finally:
        for daemon in made:
            daemon.end()
            daemon.remove_pins()


@pytest.fixture
def idle(make_daemon, host, tmp_path):
    """A daemon that is not started yet."""
    return make_daemon(host.netns, tmp_path)


@pytest.fixture
def daemon(idle):
    return idle.start()


@pytest.fixture
def serving(daemon):
    serve(daemon)
    return daemon

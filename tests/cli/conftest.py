# SPDX-License-Identifier: Apache-2.0
import itertools
import os

import pytest

from harness.command import CommandLine
from harness.lab import Lab, remove_orphans
from fake_daemon import FakeDaemon

number = itertools.count(1)


@pytest.fixture
def cli(tmp_path):
    return CommandLine(tmp_path)


@pytest.fixture
def daemon(tmp_path):
    fake = FakeDaemon(tmp_path)
    yield fake
    fake.close()


@pytest.fixture(scope="session")
def lab(capable):
    remove_orphans("hfc")
    lab = Lab(f"hfc{os.getpid()}n{next(number)}", clients=0, balancers=1, backends=2)
    lab.up()
    yield lab
    lab.down()


@pytest.fixture(scope="session")
def balancer(lab):
    return lab.lb1


@pytest.fixture(scope="session")
def backend_host(lab):
    return lab.b1


@pytest.fixture
def real(balancer):
    """A daemon on the balancer, with the command line to it."""
    daemon = balancer.daemon(f"x{next(number)}").start()
    yield daemon
    daemon.run("interface detach --all", status=None)
    daemon.end()
    daemon.remove_pins()

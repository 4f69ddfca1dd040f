# SPDX-License-Identifier: Apache-2.0
import itertools
import os
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "lab")]

import lab as labs  # noqa: E402
from command import Cli  # noqa: E402
from fake_daemon import FakeDaemon  # noqa: E402
from holdfast import Daemon  # noqa: E402


@pytest.fixture
def cli(tmp_path):
    return Cli(tmp_path)


@pytest.fixture
def daemon(tmp_path):
    fake = FakeDaemon(tmp_path)
    yield fake
    fake.close()


number = itertools.count(1)


@pytest.fixture(scope="session")
def lab():
    if os.geteuid():
        pytest.skip("the lab needs root")
    for built in ("holdfast", "holdfastd", "lab/pass.bpf.o"):
        if not (labs.BUILD / built).exists():
            pytest.skip(f"build/{built} is not built (make test-programs)")
    labs.remove_orphans("hfc")
    lab = labs.Lab(f"hfc{os.getpid()}n{next(number)}", clients=0, balancers=1, backends=2)
    lab.up()
    yield lab
    lab.down()


@pytest.fixture(scope="session")
def balancer(lab):
    return lab.lb1


@pytest.fixture(scope="session")
def backend_host(lab):
    return lab.b1


class RealCli(Cli):
    """holdfast inside the balancer's namespace, on the instance of its daemon."""

    def __init__(self, daemon):
        super().__init__(daemon.dir)
        self.daemon = daemon
        self.prefix = daemon.host.inside([])
        self.options = ["--instance", daemon.instance, "--state-dir", str(daemon.dir)]


@pytest.fixture
def real(balancer):
    daemon = Daemon(balancer, suffix=f"x{next(number)}").start()
    yield RealCli(daemon)
    daemon.run("interface", "detach", "--all", check=False)
    daemon.stop()
    if daemon.pins.exists():
        daemon.remove_pins()

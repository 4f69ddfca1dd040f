# SPDX-License-Identifier: Apache-2.0
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "lab")]

from command import Cli  # noqa: E402
from fake_daemon import FakeDaemon  # noqa: E402


@pytest.fixture
def cli(tmp_path):
    return Cli(tmp_path)


@pytest.fixture
def daemon(tmp_path):
    fake = FakeDaemon(tmp_path)
    yield fake
    fake.close()

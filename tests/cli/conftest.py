# SPDX-License-Identifier: Apache-2.0
import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from fake_daemon import FakeDaemon  # noqa: E402

HOLDFAST = os.environ.get("HOLDFAST", str(HERE.parent.parent / "build" / "holdfast"))


class Cli:
    """holdfast with a runtime directory of the test's own."""

    def __init__(self, directory):
        self.directory = str(directory)

    def run(self, line, status=0, **named):
        """Runs a line as a person would type it. Fails unless it ends with status."""
        words = line.split() if isinstance(line, str) else line
        done = subprocess.run([HOLDFAST, "--runtime-dir", self.directory, *words], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=30, **named)
        assert done.returncode == status, f"{line}: exit {done.returncode}: {done.stdout}{done.stderr}"
        return done

    def out(self, line, status=0):
        return self.run(line, status).stdout

    def error(self, line, status=2):
        """The complaint, which must be one line, and the only thing said."""
        done = self.run(line, status)
        assert done.stdout == "" and done.stderr.count("\n") == 1 and done.stderr.startswith("holdfast: ")
        return done.stderr[len("holdfast: "):].rstrip("\n")


@pytest.fixture
def cli(tmp_path):
    return Cli(tmp_path)


@pytest.fixture
def daemon(tmp_path):
    fake = FakeDaemon(tmp_path)
    yield fake
    fake.close()

# SPDX-License-Identifier: Apache-2.0
"""Programs in the foreground, ended after the test by their own pids."""

import pytest

from harness import HarnessError
from harness.process import Process
from harness.wait import wait_until


@pytest.fixture
def program(tmp_path):
    """program(is_ready, *command): starts it, and waits until it is ready."""
    programs = []

    def start(is_ready, *command):
        process = Process(command, tmp_path / "log")
        programs.append(process)

        def ready():
            if not process.alive():
                raise HarnessError(f"{command[0]} ended: {process.output()[-2000:]}")
            return is_ready()

        wait_until(ready, 15, f"{command[0]} is ready")

    yield start
    for process in programs:
        process.end()

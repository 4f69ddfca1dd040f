# SPDX-License-Identifier: Apache-2.0
"""What every suite drives Holdfast with: namespaces and labs, the daemon, its API, the command line, and one way to
wait. A suite's conftest.py binds fixtures to it; programs put tests/ on their path."""

import os
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent
BUILD = Path(os.environ.get("BUILD", TOP / "build"))
PASS = BUILD / "lab" / "pass.bpf.o"  # an XDP program that passes every packet
BPFFS = Path("/sys/fs/bpf")
PINS = BPFFS / "holdfast"
PYTHON = "/usr/bin/python3"

os.environ["PATH"] += ":/usr/sbin:/sbin"


class HarnessError(Exception):
    """A command that failed, or something waited for in vain."""

# SPDX-License-Identifier: Apache-2.0
"""The program under test, as a person would type its commands."""

import os
import re
import subprocess
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent
HOLDFAST = str(Path(os.environ.get("BUILD", TOP / "build")) / "holdfast")


class Cli:
    """holdfast with a runtime directory of the test's own."""

    prefix, options = [], []

    def __init__(self, directory):
        self.directory = str(directory)

    def run(self, line, status=0, **named):
        """Runs a line as a person would type it. Fails unless it ends with status; None: any."""
        words = line.split() if isinstance(line, str) else line
        done = subprocess.run([*self.prefix, HOLDFAST, "--runtime-dir", self.directory, *self.options, *words],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30, **named)
        assert status in (None, done.returncode), f"{line}: exit {done.returncode}: {done.stdout}{done.stderr}"
        return done

    def out(self, line, status=0):
        return self.run(line, status).stdout

    def error(self, line, status=2):
        """The complaint, which must be one line, and the only thing said."""
        done = self.run(line, status)
        assert done.stdout == "" and done.stderr.count("\n") == 1 and done.stderr.startswith("holdfast: ")
        return done.stderr[len("holdfast: "):].rstrip("\n")


def fill(real):
    real.out("pool add db --table-size 251")
    real.out("backend add db/db1 10.0.0.11")
    real.out("service add tcp 203.0.113.10:80 --pool db")


def every_verb(cli):
    """"status", "backend drain", ...: all that help shows."""
    for noun in re.findall(r"^  ([a-z]+) {2,}", cli.out("help"), re.M):
        page = cli.out(f"help {noun}")
        for verb in re.findall(rf"^  {noun} ([a-z]+(?: (?:show|move)\b)?)", page, re.M) or [""]:
            yield f"{noun} {verb}".strip()

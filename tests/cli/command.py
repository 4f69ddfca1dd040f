# SPDX-License-Identifier: Apache-2.0
"""What many lines of these tests have in common."""

import re

from harness import BUILD

HOLDFAST = str(BUILD / "holdfast")


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

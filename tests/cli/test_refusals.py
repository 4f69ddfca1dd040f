# SPDX-License-Identifier: Apache-2.0
"""Every kind of wrong value in every verb, and the exact words of its refusal: what was wrong, where, what is right.

refusals/ has the command lines. The line under each has its exit status and its words; {dir} is a directory with FILES,
{instance} and {run} are the instance and its runtime directory."""

import os
import re
import shlex
import socket
from pathlib import Path

import pytest

from refused import FILES, FILLED

PARTS = sorted(Path(__file__).with_name("refusals").glob("*.txt"))


def rows(part):
    return re.findall(r"^([^\s#].*)\n    \[(\d)\] (.*)$", part.read_text(), re.M)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    directory = tmp_path_factory.mktemp("files")
    for name, data in FILES.items():
        (directory / name).write_bytes(data.encode() if isinstance(data, str) else data)
    with open(directory / "huge", "wb") as huge:
        huge.truncate(100 << 20)
    os.symlink("loop", directory / "loop")
    bound = socket.socket(socket.AF_UNIX)
    here = os.getcwd()
    os.chdir(directory)  # the path of a socket is short
    bound.bind("socket")
    os.chdir(here)
    yield directory
    bound.close()


@pytest.fixture
def filled(real):
    for line in FILLED:
        real.out(line)
    return real


def test_the_tables_are_read_whole():
    lines = [line for part in PARTS for line in part.read_text().splitlines() if line and not line.startswith("#")]
    count = sum(len(rows(part)) for part in PARTS)
    assert count > 250 and 2 * count == len(lines)


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.stem)
def test_refusals_say_what_was_wrong_where_and_what_is_right(filled, files, part):
    before = filled.out("export --state")
    wrong = []
    for line, status, words in rows(part):
        done = filled.run(shlex.split(line.replace("{dir}", str(files))), status=None)
        told = done.stderr.rstrip("\n").removeprefix("holdfast: ")
        for real, name in ((files, "{dir}"), (filled.runtime_dir, "{run}"), (filled.instance, "{instance}")):
            told = told.replace(str(real), name)
        if (done.stdout, str(done.returncode), told) != ("", status, words):
            wrong.append(f"{line}\n  want [{status}] {words}\n  have [{done.returncode}] {told}{done.stdout}")
    assert not wrong, "\n".join([f"{len(wrong)} of {len(rows(part))} differ", *wrong])
    assert filled.out("export --state") == before

# SPDX-License-Identifier: Apache-2.0
"""The command line, as a person would type it."""

import json

from harness import BUILD, HarnessError
from harness.process import run


def as_is(*command):
    return list(command)


class CommandLine:
    """holdfast with options that a reader would not give: where its daemon is. inside: where it runs."""

    def __init__(self, runtime_dir, *options, inside=as_is, build=BUILD):
        self.runtime_dir, self.options, self.inside, self.build = runtime_dir, options, inside, build

    def holdfast(self, line, under=()):
        """The whole command. line: words, or a line of them; under: what runs it."""
        words = line.split() if isinstance(line, str) else line
        return self.inside(*under, self.build / "holdfast", "--runtime-dir", self.runtime_dir, *self.options, *words)

    def run(self, line, status=0, under=(), timeout=60, **named):
        """Returns the finished process. Raises HarnessError unless it ends with status; None: any."""
        done = run(*self.holdfast(line, under), timeout=timeout, check=False, **named)
        if status not in (None, done.returncode):
            raise HarnessError(f"{line}: exit {done.returncode}: {done.stdout}{done.stderr}")
        return done

    def out(self, line, status=0):
        return self.run(line, status).stdout

    def json(self, line):
        return json.loads(self.out(["--json", *(line.split() if isinstance(line, str) else line)]))

    def error(self, line, status=2):
        """The complaint, which must be one line, and the only thing said."""
        done = self.run(line, status)
        assert done.stdout == "" and done.stderr.count("\n") == 1 and done.stderr.startswith("holdfast: ")
        return done.stderr[len("holdfast: "):].rstrip("\n")

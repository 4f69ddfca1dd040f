# SPDX-License-Identifier: Apache-2.0
"""Documents that say what was run: their commands, each with the host it is for and the output that is shown.

In an indented block, `lb1 # holdfast status` is a command for host lb1 (`#` as root, `$` as anybody), carried on
after a backslash or in a here-document; what follows it is its output. `...` stands for whatever else was said, and
numbers may differ: times, rates and digests are those of one run. `[exit status 1]` ends the output of a command
that fails."""

import re
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent
PROMPT = re.compile(r"^    (lb\d+|b\d+|c\d+|r) [#$] (.+)$")
HERE = re.compile(r"<<'?(\w+)'?")
DIFFERS = (
    (r"^b\d$", "bN"),  # who answered
    (r"\b([0-9a-f]{2}:){5}[0-9a-f]{2}\b", "MAC"),
    (r"\b[0-9a-f]{16}\b|\b(?=[0-9a-f]*[0-9])[0-9a-f]{6,8}\b", "HEX"),
    (r"\b\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\b|\b(\d+[smhd])+\b", "N"),
    (r"\b\d+(\.\d+)?( ?([kMG]|%))?(?![\w.:]*\w)", "N"),
)
STATUS = re.compile(r"^\[exit status (\d+)\]$")


class Command:
    def __init__(self, path, line, host, text):
        self.place, self.host, self.text = f"{path}:{line}", host, text
        self.shown, self.status = [], 0

    def open_end(self):
        """Whether the next line belongs to the command still."""
        here = HERE.search(self.text)
        return self.text.endswith("\\") or (here and self.text.splitlines()[-1] != here[1])

    def add(self, line):
        status = STATUS.match(line)
        if self.open_end():
            self.text += "\n" + line
        elif status:
            self.status = int(status[1])
        else:
            self.shown.append(line)


def commands(name):
    """The commands of a document, in their order."""
    found, current = [], None
    for number, line in enumerate((TOP / name).read_text().splitlines(), 1):
        prompt = PROMPT.match(line)
        if prompt and not (current and current.open_end()):
            current = Command(name, number, *prompt.groups())
            found.append(current)
        elif current and line.startswith("    "):
            current.add(line[4:])
        elif line.strip():
            current = None
    return found


def normal(line):
    """A line without what differs from run to run: figures, their units, and the room that they take."""
    for pattern, word in DIFFERS:
        line = re.sub(pattern, word, line)
    return re.sub(r"(\s*\bN\b)+\s*", " N ", re.sub(r"[\s-]+", " ", line)).strip()


def agrees(shown, said):
    """Whether what was said is what the document shows."""
    wanted = [normal(line) for line in shown if line.strip()]
    lines = [normal(line) for line in said.splitlines() if line.strip()]
    at = 0
    anything = False
    for line in wanted:
        if line == "...":
            anything = True
            continue
        end = len(lines) if anything else min(at + 1, len(lines))
        found = next((n for n in range(at, end) if lines[n] == line), None)
        if found is None:
            return False
        at, anything = found + 1, False
    return not wanted or anything or at == len(lines)

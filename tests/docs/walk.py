# SPDX-License-Identifier: Apache-2.0
"""A walk through the code, as CONTRIBUTING.md tells one, held against the code.

A paragraph begins in a folder that it names; a step of a list may name another, for the rest of the step, as may the
full path of a file there. `function()` (`file.c`) says where a function is; without a file, it is in the folder. What
lies elsewhere is named by its full path, as in `flows_count()` (`user/kern/maps/flows.c`). Each function of a paragraph
but the first is led to by one before it: that calls it or has it in a table, at once or by others, or one function calls
both. A list belongs to the paragraph before it. A sentence that begins with "Meanwhile" begins anew."""

import re
import subprocess
from pathlib import Path

FOLDERS = ("user", "bpf", "include")
MENTION = re.compile(r"`(\w+)\(\)`|`([\w./]+\.(?:bpf\.)?[ch])`|`((?:user|bpf|include|tests)/[\w/]*/?)`|(?<=\. )(Meanwhile)")
# Between two functions: the first hands over to the second, or to which it is that it hands over.
DIRECTLY = re.compile(r"^(?:\.\s+That|,?\s*which)?\s*(?:calls|hands (?:over |\w+ \w+ )?to|asks)\s*$")
NAMED = re.compile(r"`([\w./]+\.c)`, which names `(\w+)\(\)`")


class Tree:
    """The functions of the sources: where they are, and what they name."""

    def __init__(self, top):
        self.top, self.files, self.variables, self.names, self.scopes = Path(top), {}, {}, {}, {}
        self.by_pointer, self.after, self.before = set(), {}, {}
        told = subprocess.run(["ctags", "-R", "-u", "-f", "-", "--langmap=C:.c.h", "--languages=C", "--kinds-C=fv",
                               "--fields=+ne", *FOLDERS], cwd=top, check=True, capture_output=True, text=True).stdout
        for line in told.splitlines():
            name, path, *_ = line.split("\t")
            first, last = (int(re.search(rf"\t{word}:(\d+)", line)[1]) for word in ("line", "end"))
            if re.search(r'/;"\tf\b', line):
                self.files.setdefault(name, {})[path] = (first, last)
            else:
                self.variables.setdefault(name, set()).add(path)
        self.read()

    def read(self):
        """What each function's text names, and each file's text besides its functions."""
        bodies = {}
        for name, places in self.files.items():
            for path, lines in places.items():
                bodies.setdefault(path, []).append((name, *lines))
        for path, functions in bodies.items():
            text = [re.sub(r"/\*.*?\*/|\"(?:\\.|[^\"])*\"", "", line) for line in (self.top / path).read_text().splitlines()]
            for name, first, last in functions:
                self.names.setdefault(name, set()).update(words(text[first - 1:last]))
                if re.search(r"(->|\.)\w+\(", "".join(text[first - 1:last])):
                    self.by_pointer.add(name)
                text[first - 1:last] = [""] * (last - first + 1)
            self.scopes[path] = words(text)

    def tabled_by(self, name):
        """Functions in the tables that a function names, and in those that these name."""
        found, seen, wanted = set(), set(), self.names.get(name, set())
        while wanted:
            tables = {path for word in wanted for path in self.variables.get(word, ())} - seen
            seen |= tables
            wanted = {word for path in tables for word in self.scopes.get(path, ())}
            found |= {word for word in wanted if word in self.files}
        return found - {name}

    def named_by(self, name):
        """Functions that a function names, itself or by a table."""
        return {word for word in self.names.get(name, ()) if word in self.files and word != name} | self.tabled_by(name)

    def called_by(self, name):
        """Functions that a function calls, at once or by one between, or by a pointer from a table of the caller's file."""
        calls = {name} | {word for word in self.names.get(name, ()) if word in self.files}
        pointed = {path for one in calls & self.by_pointer for path in self.files.get(one, ())}
        return set().union(*(self.names.get(one, set()) for one in calls), *(self.scopes.get(path, set()) for path in pointed))

    def reached_from(self, name):
        found, wanted = set(), {name}
        while wanted:
            one = wanted.pop()
            found.add(one)
            if one not in self.after:
                self.after[one] = self.named_by(one)
            wanted |= self.after[one] - found
        return found

    def callers(self, name):
        if name not in self.before:
            self.before[name] = {caller for caller in self.names if caller != name and name in self.names[caller]}
        return self.before[name]

    def matching(self, file):
        """The sources that a file's name, or the end of its path, may mean."""
        return [str(path.relative_to(self.top)) for folder in FOLDERS for path in (self.top / folder).rglob(Path(file).name)
                if ("/" + str(path)).endswith("/" + file)]


def words(lines):
    return set(re.findall(r"[A-Za-z_]\w+", " ".join(lines)))


def walk_of(text):
    return re.search(r"^## The way round the house\n([\s\S]*?)(?=^## )", text, re.M)[1]


def paragraphs(text):
    """A list belongs to the paragraph before it. Steps are parted by a line's beginning with a number."""
    blocks = re.split(r"\n\n(?!\d\. )", text.strip())
    return [[" ".join(step.split()) for step in re.split(r"\n+(?=\d\. )", block)] for block in blocks]


class Paragraph:
    """Goes through a paragraph's steps, and notes what is not so."""

    def __init__(self, tree, steps):
        self.tree, self.steps, self.home, self.met, self.faults = tree, steps, None, [], []

    def check(self):
        for step in self.steps:
            mentions, room = list(MENTION.finditer(step)), self.home
            for at, mention in enumerate(mentions):
                function, file, folder, anew = mention.groups()
                if anew:
                    self.met = []
                elif folder:
                    room = self.enter(folder)
                elif function:
                    stated = self.stated_file(step, mentions, at)
                    self.place(function, stated, room)
                    self.lead(function)
                elif file.startswith(tuple(folder + "/" for folder in FOLDERS)):
                    folder = f"{Path(file).parent}/"
                    room = self.enter(folder) if self.home is None else folder if re.match(r"\d\. ", step) else room
                    self.exists(file)
                else:
                    self.locate(file, room)
            self.hand_over(step, mentions)
            self.tables(step)
        return self.faults

    def enter(self, folder):
        folder = folder.rstrip("/") + "/"
        if not (self.tree.top / folder).is_dir():
            self.faults.append(f"there is no folder {folder}")
        self.home = self.home or folder
        return folder

    def exists(self, file):
        if not (self.tree.top / file).exists():
            self.faults.append(f"there is no file {file}")

    @staticmethod
    def stated_file(step, mentions, at):
        """The file that stands right behind a function, in brackets or after a comma, or before it: `slot_give()` of
        `moves.c`."""
        if at + 1 < len(mentions) and mentions[at + 1][2]:
            between = step[mentions[at].end():mentions[at + 1].start()]
            if re.fullmatch(r",? \(|, | of ", between):
                return mentions[at + 1][2]
        return None

    def place(self, function, file, room):
        found = sorted(self.tree.files.get(function, ()))
        if not found:
            self.faults.append(f"{function}() is not defined anywhere")
        elif file:
            if not any(("/" + path).endswith("/" + file) for path in found):
                self.faults.append(f"{function}() is not in {file}: it is in {found[0]}")
        elif room and not any(path.startswith(room) for path in found):
            self.faults.append(f"{function}() is in {found[0]}, which is not in {room}: say the file with its path")

    def locate(self, file, room):
        found = self.tree.matching(file)
        if not found:
            self.faults.append(f"there is no file {file}")
        elif room and "/" not in file and not any(path.startswith(room) for path in found):
            self.faults.append(f"{file} is not in {room}: it is {found[0]}")

    def lead(self, function):
        """A function is led to by one that was met before it."""
        if self.met and function in self.tree.files and function not in self.met:
            reached = any(function in self.tree.reached_from(one) for one in self.met)
            beside = any(self.tree.callers(function) & self.tree.callers(one) for one in self.met)
            if not reached and not beside:
                self.faults.append(f"nothing leads to {function}(): neither {self.met[0]}() nor what is named after it reaches it")
        self.met.append(function)

    def hand_over(self, step, mentions):
        """Where the text says that one function calls the next, it does."""
        functions = [mention for mention in mentions if mention[1]]
        for one, other in zip(functions, functions[1:]):
            between = re.sub(r"\([^)]*\)", "", step[one.end():other.start()]).strip()
            if DIRECTLY.match(between) and other[1] not in self.tree.called_by(one[1]):
                self.faults.append(f"{one[1]}() does not call {other[1]}()")

    def tables(self, step):
        for file, function in NAMED.findall(step):
            if not any(function in self.tree.scopes.get(path, ()) for path in self.tree.matching(file)):
                self.faults.append(f"no table of {file} names {function}()")


def faults(tree, text):
    """What of the walk in this text is not so, a sentence each."""
    return [fault for steps in paragraphs(walk_of(text)) for fault in Paragraph(tree, steps).check()]

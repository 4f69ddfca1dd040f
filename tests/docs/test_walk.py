# SPDX-License-Identifier: Apache-2.0
"""CONTRIBUTING's walk leads through the code as it is: each function is in the file and the folder that are named, and
each leads to the next. And whoever moves one of them is told: what is planted here is seen."""

import copy
import re

import pytest

import document
from walk import MENTION, Tree, faults, paragraphs, walk_of

PAIR = re.compile(r"`(\w+)\(\)`(,? \(|, | of )`([\w./]+\.c)`")


@pytest.fixture(scope="module")
def tree():
    return Tree(document.TOP)


@pytest.fixture(scope="module")
def text():
    return (document.TOP / "CONTRIBUTING.md").read_text()


def test_the_walk_is_so(tree, text):
    assert len(PAIR.findall(" ".join(walk_of(text).split()))) > 15
    wrong = faults(tree, text)
    assert not wrong, "\n".join(wrong)


def planted(text, old, new):
    """The text with other words in the walk, however its lines are broken."""
    walk = walk_of(text)
    changed, count = re.subn(r"\s+".join(map(re.escape, old.split(" "))), new, walk, count=1)
    assert count, old
    return text.replace(walk, changed)


def test_a_wrong_folder_is_seen(tree, text):
    folders = [steps[0].split("`")[1] for steps in paragraphs(walk_of(text)) if steps[0].startswith("**The")]
    assert "user/cli/" in folders and "user/daemon/" in folders
    for folder in folders:
        for other in ("user/kern/", "user/nowhere/"):
            assert faults(tree, planted(text, f"`{folder}`", f"`{other}`")), f"{folder} -> {other}"


def test_a_wrong_file_is_seen(tree, text):
    for function, between, file in PAIR.findall(" ".join(walk_of(text).split())):
        for other in ("user/kern/maps/links.c", "gone.c"):
            seen = faults(tree, planted(text, f"`{function}()`{between}`{file}`", f"`{function}()`{between}`{other}`"))
            assert any(function in fault for fault in seen), f"{function}() in {other}"


def test_a_function_that_moved_or_went_is_seen(tree, text):
    named = {mention[1] for mention in MENTION.finditer(walk_of(text)) if mention[1]}
    assert len(named) > 20
    for function in named:
        for files in ({"user/study/elsewhere.c": (1, 2)}, {}):
            moved = copy.copy(tree)
            moved.files = {**tree.files, function: files}
            seen = faults(moved, text)
            assert any(f"{function}() is " in fault for fault in seen), f"{function}() in {list(files)}: {seen}"


def test_a_call_that_is_none_any_more_is_seen(tree, text):
    for caller, callee in (("run_backend_drain", "run_change"), ("run_change", "change_make"), ("operate", "change_operation")):
        cut = copy.copy(tree)
        cut.after, cut.before = {}, {}
        cut.names = {name: words - {callee} for name, words in tree.names.items()}
        assert any(callee in fault for fault in faults(cut, text)), f"{caller}() -> {callee}()"

# SPDX-License-Identifier: Apache-2.0
"""What the documents name is there: pages, files and functions."""

import re
import subprocess

import document
import pytest

PAGES = sorted([*document.TOP.glob("*.md"), *document.TOP.glob("docs/*.md")])
SOURCES = [path for folder in ("bpf", "include", "user", "tests", "scripts")
           for path in (document.TOP / folder).rglob("*") if path.is_file()]
ROOMS = r"(?:bpf|include|user|tests|scripts|docs|LICENSES)/"


def text(page):
    return page.read_text()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text(page))
    missing = [link for link in links if not (page.parent / link).exists()]
    assert not missing


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_that_are_named_exist(page):
    named = re.findall(rf"`({ROOMS}[\w./@-]+)(?: [\w.-]+)*`", text(page))
    assert not [name for name in named if not (document.TOP / name).exists()]
    names = {path.name for path in SOURCES}
    named = re.findall(r"`([\w-]+\.(?:bpf\.)?[ch])`", text(page))
    assert not [name for name in named if name not in names]


@pytest.mark.parametrize("name", ["CONTRIBUTING.md", "docs/design.md"])
def test_functions_that_are_named_exist(name):
    code = "\n".join(path.read_text() for path in SOURCES if path.suffix in (".c", ".h"))
    named = set(re.findall(r"`(\w+)\(\)`", text(document.TOP / name)))
    assert named
    assert not [function for function in named if not re.search(rf"^[\w\s*]*\b{function}\(", code, re.M)]


def test_options_of_the_daemon_that_are_named_exist():
    known = subprocess.run([document.TOP / "build" / "holdfastd", "--help"], capture_output=True, text=True, check=True,
                           timeout=30).stdout
    limits = document.TOP / "docs" / "operations.md"
    named = re.findall(r"`(?:holdfastd )?(--max-\w+)`", text(limits))
    assert len(named) > 3
    assert not [option for option in named if f"{option} " not in known]


def test_every_reason_is_explained():
    reasons = re.findall(r'X\(\w+, \d+, "([\w-]+)", (\w+)', (document.TOP / "include/holdfast/reasons.h").read_text())
    rows = re.findall(r"^\| (`[^|]*) \| (pass|drop) \|", text(document.TOP / "docs/operations.md"), re.M)
    told = {word: verdict.upper() for words, verdict in rows for word in re.findall(r"`([\w-]+)`", words)}
    assert told == dict(reasons)

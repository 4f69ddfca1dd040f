# SPDX-License-Identifier: Apache-2.0
"""Manual pages and completion, which come from the tables."""

import re
import shutil
import socket
import subprocess

import pytest

from harness import TOP
from command import HOLDFAST


def page(cli, name):
    said = subprocess.run([str(TOP / "build" / "holdfastd"), "--help"], capture_output=True, text=True, timeout=30).stdout
    done = subprocess.run([HOLDFAST, "manual", name], input=said, capture_output=True, text=True, timeout=30)
    assert done.returncode == 0, done.stderr
    return done.stdout


def verbs(cli):
    for noun in re.findall(r"^  ([a-z]+) {2,}", cli.out("help"), re.M):
        for line in re.findall(rf"^  ({noun}\b[^\n]*?)(?: {{2,}}.*)?$", cli.out(f"help {noun}"), re.M):
            yield line


@pytest.mark.parametrize("name", ["holdfast.8", "holdfastd.8", "holdfast.yaml.5"])
def test_pages_are_good_roff(cli, name):
    text = page(cli, name)
    assert text.startswith(".TH HOLDFAST") and ".SH NAME\n" in text and ".SH SEE ALSO\n" in text
    if not shutil.which("groff"):
        pytest.skip("groff is not here")
    done = subprocess.run(["groff", "-man", "-ww", "-z"], input=text, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and done.stderr == ""


def test_every_verb_is_in_the_manual(cli):
    text = page(cli, "holdfast.8").replace("\\-", "-")
    lines = list(verbs(cli))
    assert len(lines) > 25
    for line in lines:
        assert f"\n.B {line}\n" in text, line


# Which verbs take a kind of object's keys as options, and which keys stand by their place instead.
VERBS = {"interface": ["attach"], "pool": ["add", "set"], "backend": ["add", "set"], "service": ["add", "set"]}
WORDS = {"interface attach": "name", "pool add": "name", "pool set": "name", "backend add": "name address",
         "backend set": "name", "service add": "listen", "service set": "listen"}


def keys_of_the_document():
    """The table of keys in docs/api.md, which a unit test compares with the program's rows, both ways."""
    text = (TOP / "docs" / "api.md").read_text()
    return re.findall(rf"^\| ({'|'.join(VERBS)}) \| `(\w+)` \| (.+?) \| (.*?) ?\|$", text, re.M)


def described(takes, default):
    words = f"Takes {takes}.\n"
    if default == "required":
        return words + "Required.\n"
    return words + f"Default: {default.strip('`')}.\n" if default else words


def places_without(cli, keys):
    """Where a key is missing: (place, key)."""
    yaml = page(cli, "holdfast.yaml.5").replace("\\-", "-")
    manual = page(cli, "holdfast.8").replace("\\-", "-")
    completion = cli.out("completion")
    missing = []
    for noun, key, takes, default in keys:
        section = yaml[yaml.index(f"\n.SS {noun}s\n"):]
        section = section[:section.find("\n.S", 1)]
        entry = re.search(rf"\n\.B {key}\n.*\n((?:.+\n)*?)(?=\.|\Z)", section + "\n")
        if not entry or entry[1] != described(takes, default):
            missing.append(("holdfast.yaml.5", key))
        for verb in VERBS[noun]:
            if key in WORDS[f"{noun} {verb}"].split():
                continue
            option = "--" + key.replace("_", "-")
            shown = manual[manual.index(f"\n.B {noun} {verb} "):]
            offered = re.search(rf'"{noun} {verb}"\*\)\n.*\n\t*_holdfast_offer "([^"]*)"', completion)[1]
            for place, there in (("help", re.search(rf"^  {option}( |$)", cli.out(f"{noun} {verb} --help"), re.M)),
                                 ("holdfast.8", f"\n.B {option}" in shown[:shown.index("\n.EE")]),
                                 ("completion", option in offered.split())):
                if not there:
                    missing.append((f"{place} of {noun} {verb}", key))
    return missing


def test_every_key_is_in_help_manual_and_completion(cli):
    keys = keys_of_the_document()
    assert len(keys) > 25
    assert places_without(cli, keys) == []


def test_a_key_that_is_nowhere_is_missed_everywhere(cli):
    missing = places_without(cli, [("pool", "planted", "true or false", "`false`")])
    assert len(missing) == 7 and {key for _, key in missing} == {"planted"}


def test_every_option_of_the_daemon_is_in_its_manual(cli):
    text = page(cli, "holdfastd.8").replace("\\-", "-")
    said = subprocess.run([str(TOP / "build" / "holdfastd"), "--help"], capture_output=True, text=True, timeout=30).stdout
    options = re.findall(r"^  (--[a-z-]+)", said, re.M)
    assert "--instance" in options
    for option in options:
        assert f"\n.B {option}" in text, option


def complete(cli, line):
    """What bash offers at the end of line."""
    words = line.split(" ")
    script = cli.out("completion") + f"""
        holdfast() {{ command {HOLDFAST} --runtime-dir {cli.runtime_dir} "$@"; }}
        COMP_WORDS=({' '.join(f"'{word}'" for word in words)}); COMP_CWORD={len(words) - 1}
        _holdfast; printf '%s\\n' "${{COMPREPLY[@]}}" """
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=30)
    assert done.stderr == "", done.stderr
    return done.stdout.split()


@pytest.mark.parametrize("line,offers", [
    ("holdfast ba", ["backend"]), ("holdfast backend dr", ["drain"]), ("holdfast pool add x --enc", ["--encap"]),
    ("holdfast pool add x --encap g", ["gue", "gre"]), ("holdfast --json stat", ["status"]),
    ("holdfast service add t", ["tcp"]), ("holdfast --instance x ba", ["backend"]), ("holdfast interface attach l", ["lo"]),
    ("holdfast status --ch", ["--check"]), ("holdfast pool list --forc", []), ("holdfast pool sl", ["slots"]), ("holdfast pool slots s", ["show"]), ("holdfast pool slots m", ["move"]), ("holdfast pool set x --ket", ["--ketama"]),
    ("holdfast xyz", [])])
def test_completion(cli, line, offers):
    assert complete(cli, line) == offers


def test_completion_offers_names_that_exist(cli, daemon):
    assert complete(cli, "holdfast pool slots show d") == ["db"]
    assert complete(cli, "holdfast backend drain db/") == ["db/db1", "db/db2", "db/db3", "db/db4"]
    assert complete(cli, "holdfast pool show d") == ["db"]


def test_completion_without_a_daemon_is_silent(cli):
    assert complete(cli, "holdfast backend drain ") == []


def test_completion_does_not_wait_for_a_daemon_that_hangs(cli, tmp_path):
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "default.sock"))
        server.listen(64)
        assert complete(cli, "holdfast backend drain ") == []

# SPDX-License-Identifier: Apache-2.0
"""holdfast-placement: the laboratory as a program of its own, which `holdfast placement` starts."""

import csv
import io
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from command import HOLDFAST

PROGRAM = HOLDFAST + "-placement"
VERBS = ["compare", "replay", "draw", "lookup", "hot"]
TIMES = ("build_ms", "lookup_ns")


def run(*words, **named):
    return subprocess.run([*map(str, words)], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, **named)


def said(done):
    return done.returncode, done.stdout, done.stderr


@pytest.fixture
def folder():
    """A directory that every user may look into."""
    with tempfile.TemporaryDirectory() as made:
        os.chmod(made, 0o755)
        yield Path(made)


def put(program, folder):
    folder.mkdir(exist_ok=True)
    return shutil.copy(program, folder)


def test_it_links_with_nothing_of_the_kernel_or_the_store():
    needed = re.findall(r"\(NEEDED\).*\[(\w+)", run("readelf", "-d", PROGRAM).stdout)
    assert "libjansson" in needed
    assert not {"libbpf", "libxdp", "libmnl", "libelf", "libsqlite3", "libncurses"} & set(needed)


@pytest.mark.parametrize("line", [
    "lookup user:1 user:2 --members a@east,b@east,c@west --json",
    "lookup k --members a,b --change +c",
    "draw --members A,B,C --change +D --virtual-nodes 3 user:1",
    "replay --members cache-0..9 +cache-10 --keys 2000 --requests 2000 --steps 20",
    "replay --members a,b",
    "lookup k --members a,,b",
    "lookup k --file /nonexistent",
    "lookup k --pool db --runtime-dir /nonexistent",
    "hot /nonexistent --members a,b",
])
def test_both_ways_to_call_it_print_the_same(line):
    assert said(run(PROGRAM, *line.split())) == said(run(HOLDFAST, "placement", *line.split()))


def test_both_ways_compare_alike():
    words = "compare --csv --members a,b,c +d -b --keys 3000 --replicas 2 --load-factor 1.25".split()
    tables = []
    for program in ([PROGRAM], [HOLDFAST, "placement"]):
        done = run(*program, *words)
        assert done.returncode == 0, done.stderr
        tables.append([{key: value for key, value in row.items() if key not in TIMES}
                       for row in csv.DictReader(io.StringIO(done.stdout))])
    assert tables[0] == tables[1] and len(tables[0]) == 8


def test_both_ways_tell_hot_keys_alike(tmp_path):
    (tmp_path / "counts").write_text("hot 400\n" + "".join(f"cold-{n} 1\n" for n in range(600)))
    for more in ([], ["--json"]):
        words = ["hot", tmp_path / "counts", "--members", "a,b,c", *more]
        assert said(run(PROGRAM, *words)) == said(run(HOLDFAST, "placement", *words))


def test_options_may_stand_before_the_noun():
    done = run(HOLDFAST, "--members", "a,b", "--instance", "placement", "placement", "--json", "lookup", "k")
    assert said(done) == said(run(PROGRAM, "lookup", "k", "--members", "a,b", "--json"))
    assert done.returncode == 0


def test_it_needs_no_root_and_no_daemon(folder):
    user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if not os.geteuid() else []
    done = run(*user, put(PROGRAM, folder), "lookup", "k", "--members", "a,b,c", "--scheme", "rendezvous", cwd="/")
    assert done.returncode == 0 and done.stderr == ""
    assert done.stdout.splitlines()[1].split()[0] == "k"


def test_it_is_found_beside_holdfast_in_bin_or_in_the_path(folder):
    lone = put(HOLDFAST, folder / "sbin")
    words = [lone, "placement", "lookup", "k", "--members", "a,b"]
    nowhere = {"PATH": str(folder / "elsewhere")}
    done = run(*words, env=nowhere)
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr == ("holdfast: holdfast-placement cannot be started: No such file or directory: "
                           "install it beside this program, in ../bin, or where PATH finds it\n")
    assert "lookup" in run(lone, "help", "placement", env=nowhere).stdout
    for place in ("elsewhere", "bin", "sbin"):
        found = put(PROGRAM, folder / place)
        assert run(*words, env=nowhere).returncode == 0, place
        os.remove(found)
    Path(put(PROGRAM, folder / "bin")).write_text("")
    assert "Exec format error" in run(*words, env=nowhere).stderr


def test_its_own_help():
    page = run(PROGRAM, "--help").stdout
    assert page.startswith("usage: holdfast-placement [OPTIONS] VERB ARGUMENTS;")
    assert re.findall(r"^  ([a-z]+)  ", page, re.M) == [*VERBS, "help"]
    assert not re.search("--(offline|force|dry-run)", page)
    assert said(run(PROGRAM)) == (2, "", page)
    for verb in VERBS:
        page = run(PROGRAM, verb, "--help").stdout
        assert page == run(PROGRAM, "help", verb).stdout
        assert page.startswith(f"usage: holdfast-placement {verb} ")
        assert page.replace("holdfast-placement", "holdfast placement") == run(HOLDFAST, "help", "placement", verb).stdout


def test_it_refuses_by_its_own_name():
    assert "did you mean lookup?" in run(PROGRAM, "lokup", "k").stderr
    assert "`holdfast-placement hot --help` shows those it has" in run(PROGRAM, "hot", "x", "--schemes", "ring").stderr
    assert "as in `holdfast-placement lookup user:1 user:2 --members" in run(PROGRAM, "lookup", "--members", "a").stderr


def test_its_manual_page():
    text = run(PROGRAM, "manual").stdout
    assert text.startswith(".TH HOLDFAST-PLACEMENT 1 ") and ".SH SEE ALSO\n" in text
    for verb in VERBS:
        assert f"\n.B {verb} " in text and f"\n$ holdfast\\-placement {verb} " in text
    if not shutil.which("groff"):
        pytest.skip("groff is not here")
    done = subprocess.run(["groff", "-man", "-ww", "-z"], input=text, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and done.stderr == ""


@pytest.mark.parametrize("line, offers", [
    ("lo", ["lookup"]), ("dr", ["draw"]), ("compare --bare", ["--bare-keys"]), ("draw --colours d", ["dark"]),
    ("--members a,b ho", ["hot"]), ("he", ["help"]), ("sta", [])])
def test_its_completion(line, offers):
    words = ["holdfast-placement", *line.split(" ")]
    script = run(PROGRAM, "completion").stdout + f"""
        COMP_WORDS=({' '.join(f"'{word}'" for word in words)}); COMP_CWORD={len(words) - 1}
        _holdfast_placement; printf '%s\\n' "${{COMPREPLY[@]}}" """
    done = run("bash", "-c", script)
    assert (done.stdout.split(), done.stderr) == (offers, "")

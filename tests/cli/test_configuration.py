# SPDX-License-Identifier: Apache-2.0
"""Files, plans and generations, with the real daemon."""

import os
import pty
import re
import subprocess

import pytest

CONFIGURATION = """\
version: 1
seed: "6f1c9a3e5b7d2048"
pools:
  - name: db
    table_size: 251
    backends:
      - {name: db1, address: 10.0.0.11}
      - {name: db2, address: 10.0.0.12}
services:
  - {listen: "tcp 203.0.113.10:5432", pool: db}
"""
MORE = CONFIGURATION.replace("services:", "      - {name: db3, address: 10.0.0.13}\nservices:")


@pytest.fixture
def write(tmp_path):
    def write(text, name="holdfast.yaml"):
        path = tmp_path / name
        path.write_text(text)
        return str(path)
    return write


def apply(real, path, *options):
    return real.out(["apply", "-f", path, *options])


def test_apply_then_again_is_a_no_op(real, write):
    path = write(CONFIGURATION)
    assert re.fullmatch(r"configuration applied: generation \d+\n", apply(real, path))
    assert re.fullmatch(r"configuration unchanged: generation \d+\n", apply(real, path))
    assert "tcp 203.0.113.10:5432" in real.out("service list")


def test_export_then_apply_is_a_no_op(real, write):
    apply(real, write(CONFIGURATION))
    real.out("backend drain db/db1")
    real.out("pool set db --source 10.64.0.0/16 --grace 20s")
    for options in ("", "--state"):
        text = real.out(f"export {options}")
        assert "unchanged" in apply(real, write(text), "--force")
    assert "draining" in real.out("export --state") and "draining" not in real.out("export")
    assert "draining" in real.out("backend show db/db1")  # the file did not state another


def test_plan_shows_and_changes_nothing(real, write):
    apply(real, write(CONFIGURATION))
    before = real.out("export --state")
    plan = real.out(["plan", "-f", write(MORE)])
    assert re.search(r"^\+ backend db/db3 {2}address 10\.0\.0\.13$", plan, re.M), plan
    assert re.search(r"^pool db: \d+ of 251 slots would move \(\d+ %\)", plan, re.M), plan
    assert real.out("export --state") == before
    assert "nothing would change" in real.out(["plan", "-f", write(CONFIGURATION)])
    assert real.out(["apply", "--dry-run", "-f", write(MORE)]).endswith("nothing changed\n")
    assert real.out("export --state") == before


def test_a_plan_says_which_addresses_change(real, write):
    apply(real, write(CONFIGURATION))
    moved = write(CONFIGURATION.replace("10.0.0.11", "10.0.0.15"))
    plan = real.out(["plan", "-f", moved])
    assert re.search(r"^~ backend db/db1 {2}address 10\.0\.0\.11 -> 10\.0\.0\.15$", plan, re.M), plan
    assert re.search(r"^\+ backend db/db1@10\.0\.0\.11 {2}", plan, re.M), plan
    assert ("backend db/db1 changes its address: the one at 10.0.0.11 drains first, then leaves; the new one takes its "
            "place\n") in plan
    apply(real, moved, "--force")
    assert re.search(r"^db/db1@10\.0\.0\.11 +10\.0\.0\.11 +100 +draining ", real.out("backend list"), re.M)
    assert "removal:      it leaves the pool when it is drained" in real.out("backend show db/db1@10.0.0.11")
    state = real.out("export --state")
    assert "replaced: true" in state and "10.0.0.11" not in real.out("export")
    assert "unchanged" in apply(real, write(state), "--force")
    assert "removed" in real.out("backend remove db/db1@10.0.0.11 --now")


def test_a_plan_says_what_stays_out(real, write):
    path = write(CONFIGURATION)
    apply(real, path)
    real.out("backend remove db/db1 --force")
    done = real.run(["plan", "-f", path])
    assert "nothing would change" not in done.stdout
    assert ("backend db/db1 stays out: it is named, but a command removed it; `holdfast backend add db/db1 10.0.0.11` "
            "brings it back") in done.stderr
    real.out("backend add db/db1 10.0.0.11")
    assert "nothing would change" in real.out(["plan", "-f", path])


def test_standard_input(real):
    done = subprocess.run(real.holdfast("apply -f -"), input=CONFIGURATION, capture_output=True, text=True, timeout=30)
    assert done.returncode == 0 and done.stdout.startswith("configuration applied"), done.stderr


REFUSED = [  # what, with what in its place, and what the complaint must say
    ("address: 10.0.0.12", "adress: 10.0.0.12", "did you mean address?"),
    ("name: db2", "name: db1", "db1"),
    ("table_size: 251", "table_size: 252", "prime"),
    ("version: 1\n", "version: 1\n  bad: [", "line "),
    ("10.0.0.12", "300.0.0.12", "line 8, column "),
]


@pytest.mark.parametrize("old,new,says", REFUSED)
def test_refused_files_change_nothing(real, write, old, new, says):
    apply(real, write(CONFIGURATION))
    before = real.out("export --state")
    path = write(CONFIGURATION.replace(old, new))
    for verb in ("apply", "plan"):
        complaint = real.error([verb, "-f", path], status=1)
        assert complaint.startswith(f"{path}: line ") and says in complaint, complaint
    assert real.out("export --state") == before


def test_files_that_cannot_be_read(cli, tmp_path):
    assert "there is no such file" in cli.error("apply -f /nonexistent.yaml", status=1)
    assert "this is a directory" in cli.error(f"apply -f {tmp_path}", status=1)
    assert "--file is missing" in cli.error("apply")


def test_huge_file_is_refused_before_it_is_parsed(cli, tmp_path):
    huge = tmp_path / "huge.yaml"
    with open(huge, "wb") as file:
        file.truncate(100 << 20)
    assert "16" in cli.error(f"apply -f {huge}", status=1)


def test_apply_asks_before_it_moves_much(real, write):
    apply(real, write(CONFIGURATION))
    before = real.out("export")
    complaint = real.error(["apply", "-f", write(MORE)], status=1)
    assert "of its slots" in complaint and "--force" in complaint and "move_limit is 25%" in complaint
    assert real.out("export") == before
    assert "slots moved" in apply(real, write("move_limit: 90\n" + MORE))
    assert "move_limit is 25%" in real.error(["apply", "-f", write(CONFIGURATION)], status=1)
    assert "slots moved" in apply(real, write(CONFIGURATION), "--force")


@pytest.mark.parametrize("said,status", [("y\n", 0), ("n\n", 1), ("\n", 1)])
def test_apply_takes_an_answer(real, write, said, status):
    apply(real, write(CONFIGURATION))
    ours, theirs = pty.openpty()
    try:
        os.write(ours, said.encode())
        done = subprocess.run(real.holdfast(["apply", "-f", write(MORE)]), stdin=theirs, capture_output=True, text=True, timeout=30)
    finally:
        os.close(ours)
        os.close(theirs)
    assert done.returncode == status and "Apply it? [y/N]" in done.stdout
    assert ("db3" in real.out("backend list")) == (status == 0)


def test_generations(real, write):
    apply(real, write(CONFIGURATION))
    first = re.search(r"generation (\d+)", real.out("status")).group(1)
    real.out("backend set db/db1 --weight 300")
    listed = real.out("generations list").splitlines()
    assert re.match(r"GENERATION +TIME +AUTHOR +CAUSE$", listed[0])
    assert re.match(rf" +{int(first) + 1} +20\d\d-\d\d-\d\d \d\d:\d\d:\d\d +root +backend set db/db1$", listed[1])
    assert real.out(f"generations diff {first}") == "~ backend db/db1  weight 100 -> 300\n"
    assert real.out(f"generations diff {first} {first}") == "no difference\n"
    assert "weight: 300" not in real.out(f"generations show {first}")
    assert "weight: 300" in real.out(f"generations show {int(first) + 1}")
    complaint = real.error(f"rollback {first}", status=1)
    assert "move_limit" in complaint
    assert re.match(rf"generation {first} restored: generation {int(first) + 2}, ", real.out(f"rollback {first} --force"))
    assert real.out(f"generations diff {first}") == "no difference\n"
    real.error("generations show 9999", status=1)


def test_check(real, write):
    apply(real, write(CONFIGURATION))
    real.out("interface attach eth0")
    told = real.run("check", status=None)
    assert told.returncode in (0, 1) and told.stdout.startswith("FINDING")
    assert "db/db1" in told.stdout or "eth0" in told.stdout
    by_file = real.run(["check", "-f", write(CONFIGURATION)], status=None)
    assert by_file.stdout.startswith("FINDING")
    real.kill()
    assert real.run("check --offline", status=None).stdout == told.stdout


def test_two_at_once(real, write):
    """Each is done whole or refused whole."""
    apply(real, write(CONFIGURATION))
    files = [write(CONFIGURATION.replace("{name: db2, address: 10.0.0.12}", f"{{name: x{n}, address: 10.0.1.{n}}}"), f"{n}.yaml")
             for n in range(1, 7)]
    started = [subprocess.Popen(real.holdfast(["apply", "--force", "-f", path]), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for path in files]
    ended = [(process.communicate(timeout=60), process.returncode) for process in started]
    assert any(status == 0 for _, status in ended)
    for (out, error), status in ended:
        assert status == 0 or "generation" in error, (out, error)
    # Those that a later file no longer names drain and leave.
    names = re.findall(r"^db/(\S+) +\S+ +\d+ +active ", real.out("backend list"), re.M)
    assert len(names) == 2 and names[0] == "db1" and re.fullmatch("x[1-6]", names[1]), names


def test_a_drains_deadline_is_a_time_in_differences(real, write):
    apply(real, write(CONFIGURATION))
    first = real.json("status")["generation"]["number"]
    real.out("backend drain db/db1 --deadline 1h")
    assert re.fullmatch(r"~ backend db/db1  admin active -> draining, deadline none -> 20\d\d-\d\d-\d\d \d\d:\d\d:\d\d\n",
                        real.out(f"generations diff {first}"))


@pytest.mark.parametrize("kind, asks", [("move-limit", True), ("breaks-flows", False), (None, False)])
def test_it_asks_by_the_kind_of_the_refusal(cli, daemon, write, kind, asks):
    """Whatever its sentence says."""
    error = {"what": "too much", "where": "", "right": "move_limit"}
    daemon.replies["/v1/operations"] = (403, {"error": {**error, "kind": kind} if kind else error})
    ours, theirs = pty.openpty()
    try:
        os.write(ours, b"n\n")
        subprocess.run(cli.holdfast(["apply", "-f", write(CONFIGURATION)]), stdin=theirs,
                       capture_output=True, timeout=30)
    finally:
        os.close(ours)
        os.close(theirs)
    tried = [body["dry_run"] for _, path, body in daemon.requests if path == "/v1/operations"]
    assert tried == ([False, True] if asks else [False])

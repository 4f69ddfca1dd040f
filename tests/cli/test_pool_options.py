# SPDX-License-Identifier: Apache-2.0
"""Options of schemes, and slots that an operator assigns, against the real daemon."""

import re

import pytest

from command import fill

OPTIONS = [("ring", "virtual_nodes", "200", 200), ("ring", "ring_hash", "md5-64", "md5-64"),
           ("ring", "ring_owner", "after", "after"), ("ketama", "ketama", "nginx", "nginx"),
           ("stable", "tolerance", "1.5", 1.5), ("slots", "ranges", "db1=0-9,db2=10-250", "db1=0-9,db2=10-250")]


def two(real):
    fill(real)
    real.out("backend add db/db2 10.0.0.12")


def shown(real, line="pool show db"):
    return real.json(f"{line}")


def digest(real):
    return shown(real)["digests"]["table"]


def owners(real):
    """db1's slots and so on, as the data plane has them."""
    owned = {}
    for part in shown(real, "pool slots show db")["ranges"]:
        owned.setdefault(part["owner"], set()).update(range(part["first"], part["last"] + 1))
    return owned


def state_file(real, tmp_path):
    file = tmp_path / "state.yaml"
    file.write_text(real.out("export"))
    return file


@pytest.mark.parametrize("scheme,key,text,value", OPTIONS)
def test_an_option_arrives_and_outlives_a_file(real, tmp_path, scheme, key, text, value):
    two(real)
    flag = f"--{key.replace('_', '-')} {text}"
    assert f"scheme maglev has no {key}" in real.error(f"pool set db {flag}", status=1)
    real.out(f"pool set db --scheme {scheme}")
    standard = shown(real)
    real.out(f"pool set db {flag}")
    pool = shown(real)
    assert pool["options"][key] == value and key in standard["options"]
    assert pool["digests"]["table"] != standard["digests"]["table"]
    line = rf"^{key.replace('_', ' ')}: +{re.escape(text)}( %)?$"
    assert re.search(line, real.out("pool show db"), re.M)
    file = state_file(real, tmp_path)
    assert f"\n    {key}: " in file.read_text()
    real.out("pool set db --scheme maglev")
    assert shown(real)["options"] == {}
    real.out(f"apply -f {file} --force")
    assert shown(real)["options"][key] == value
    assert shown(real)["digests"]["table"] == pool["digests"]["table"]


def test_the_place_of_a_wrong_option_in_a_file_is_told(real, tmp_path):
    two(real)
    file = state_file(real, tmp_path)
    file.write_text(file.read_text().replace("  - name: db\n", "  - name: db\n    tolerance: 2\n"))
    said = real.error(f"plan -f {file}", status=1)
    assert ", column 5: pools[0].tolerance: scheme maglev has no tolerance" in said
    assert "scheme stable, or no tolerance" in said


@pytest.mark.parametrize("words,kind", [
    ("--scheme stable", "scheme"), ("--seed 00000000000000ff", "seed"), ("--table-size 257", "table size")])
def test_a_migration_is_told_with_its_share(real, words, kind):
    two(real)
    before = digest(real)
    dry = real.run(f"pool set db {words} --dry-run")
    assert f"pool db: a new {kind} is a migration" in dry.stderr
    share = re.search(r"\((\d+(\.\d)?) % of its slots\); connections that are open stay where they are", dry.stderr)
    moved = re.search(r"^pool db: (\d+) of (\d+) slots would move", dry.stdout, re.M)
    assert float(share[1]) == pytest.approx(100 * int(moved[1]) / int(moved[2]), abs=0.06)
    assert digest(real) == before
    done = real.run(f"pool set db {words}")
    assert f"a new {kind} is a migration" in done.stderr and digest(real) != before


def test_nothing_is_promised_where_no_flow_is_remembered(real):
    two(real)
    real.out("service set tcp 203.0.113.10:80 --track never")
    said = real.run("pool set db --scheme stable --dry-run").stderr
    assert "is a migration" in said and "stay where they are" not in said


def test_a_scheme_that_moves_too_much_says_so(real):
    two(real)
    real.out("backend add db/db3 10.0.0.13")
    real.out("pool set db --scheme jump")
    assert "jump" not in real.run("backend add db/db4 10.0.0.14").stderr
    assert "only the last may come or leave" in real.run("backend remove db/db2 --now --dry-run").stderr
    assert "only the last may come or leave" in real.run("backend remove db/db2 --now").stderr
    real.out("pool set db --scheme modulo")
    assert "moves nearly every key" in real.run("backend add db/db5 10.0.0.15 --dry-run").stderr


def test_slots_stay_until_they_are_moved(real):
    two(real)
    real.out("pool set db --scheme slots")
    before = owners(real)
    assert {name: len(slots) for name, slots in before.items()} in ({"db1": 125, "db2": 126}, {"db1": 126, "db2": 125})
    assert max(before["db1"]) < min(before["db2"])
    assert "moved" not in real.out("backend add db/db3 10.0.0.13")
    assert owners(real) == before
    assert "100 of 251 slots would move (40 %)" in real.out("pool slots move db 100-199 db3 --dry-run")
    assert owners(real) == before
    assert re.search(r"moved: generation \d+, 100 of 251 slots moved", real.out("pool slots move db 100-199 db3"))
    assert owners(real)["db3"] == set(range(100, 200))
    real.out("pool slots move db 0-250 db3 --owner db1")
    assert owners(real) == {"db3": set(range(200)), "db2": set(range(200, 251))}
    assert "pool slots move db 0-250 db3" in real.out("generations list")
    assert re.search(r"^200-250 +db2 .*db2, db3", real.out("pool slots show db --preferences"), re.M)
    assert "did you mean db3?" in real.error("pool slots move db 3 bd3", status=1)
    assert "from 0 to 250" in real.error("pool slots move db 3-251 db1", status=1)
    real.error("pool slots move db 9-3 db1", status=2)


def test_an_owner_is_not_removed_but_drained(real):
    two(real)
    real.out("backend add db/db3 10.0.0.13")
    real.out("pool set db --scheme slots --ranges db1=0-99,db3=100-199,db2=200-250")
    said = real.error("backend remove db/db2", status=1)
    assert "db2 still owns 51 slots" in said and "pool slots move db 200-250 BACKEND --owner db2" in said
    real.out("backend drain db/db2")
    meanwhile = owners(real)
    assert set(meanwhile) == {"db1", "db3"}
    real.out("backend remove db/db2 --now")
    assert owners(real) == meanwhile
    assert "db2" not in shown(real)["options"]["ranges"]


def test_a_silent_file_leaves_slots_where_they_are(real, tmp_path):
    two(real)
    real.out("pool set db --scheme slots")
    file = state_file(real, tmp_path)
    file.write_text(re.sub(r"\n    ranges: .*", "", file.read_text()))
    real.out("pool slots move db 0-99 db2")
    moved = owners(real)
    assert "unchanged" in real.out(f"apply -f {file}")
    assert owners(real) == moved
    file.write_text(file.read_text().replace("    scheme: slots\n", "    scheme: slots\n    ranges: even\n"))
    real.out(f"apply -f {file} --force")
    assert len(owners(real)["db1"]) in (125, 126)


def test_options_outlive_the_daemon(real):
    two(real)
    real.out("pool set db --scheme ring --virtual-nodes 37 --ring-owner after")
    before = shown(real), owners(real)
    real.stop()
    real.start()
    assert (shown(real)["options"], shown(real)["digests"]) == (before[0]["options"], before[0]["digests"])
    assert owners(real) == before[1]


def test_a_file_that_migrates_says_so_before_it_is_applied(real, tmp_path):
    two(real)
    file = state_file(real, tmp_path)
    file.write_text(file.read_text().replace("  - name: db\n", "  - name: db\n    scheme: stable\n"))
    for words in (f"plan -f {file}", f"apply -f {file} --dry-run", f"apply -f {file} --force"):
        assert "pool db: a new scheme is a migration" in real.run(words).stderr

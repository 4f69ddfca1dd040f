# SPDX-License-Identifier: Apache-2.0
"""`holdfast placement`: figures, lookups, replays, hot keys, and pictures in which nothing overlaps or is cut."""

import csv
import io
import json
import re
import subprocess
import xml.etree.ElementTree as xml

import pytest

from harness import TOP
from command import HOLDFAST

SVG = "{http://www.w3.org/2000/svg}"
PAGE = 800


def compare(cli, *words):
    return {row["scheme"]: row for row in json.loads(cli.out("placement compare --json " + " ".join(words)))["schemes"]}


def test_compare_moves_what_the_textbook_says(cli):
    rows = compare(cli, "--members m-1..3 --change +m-4 --keys 100000 --schemes modulo,rendezvous,maglev")
    assert rows["modulo"]["moved"] == pytest.approx(0.75, abs=0.006)
    assert rows["rendezvous"]["moved"] == pytest.approx(0.25, abs=0.006)
    assert rows["rendezvous"]["needless"] == 0
    assert rows["maglev"]["minimum"] == pytest.approx(0.25)
    assert "nearly every key" in rows["modulo"]["caution"]


def test_compare_by_hand(cli):
    rows = compare(cli, "--members m-1..3 --change +m-4 --hash identity --bare-keys --first-key 1 --keys 12",
                   "--schemes modulo")
    assert rows["modulo"]["moved"] * 12 == pytest.approx(9)


def test_compare_by_name(cli):
    words = "--members A,B,C --change +D --hash md5 --key-prefix user: --keys 10000 --schemes ring,modulo"
    rows = compare(cli, words)
    assert rows["ring"]["moved"] * 10000 == pytest.approx(2757)
    assert rows["modulo"]["moved"] * 10000 == pytest.approx(7466)
    assert rows["ring"]["max_over_mean"] * 10000 / 3 == pytest.approx(3463)


def test_changes_are_words_too(cli):
    words = "--members a,b,c --keys 3000 --schemes ring"
    assert compare(cli, words, "+d b*2 -c")["ring"]["moved"] == compare(cli, words, "--change +d,b*2,-c")["ring"]["moved"]
    assert "no option -b" in cli.error("placement lookup x --members a,b -b")
    assert "no option -b" in cli.error("status -b")


def test_every_scheme_has_every_figure_in_csv_too(cli):
    words = "placement compare --csv --members a,b*2,c --change=-b --keys 2000 --replicas 2 --load-factor 1.25"
    rows = list(csv.DictReader(io.StringIO(cli.out(words))))
    assert [row["scheme"] for row in rows] == ["maglev", "stable", "rendezvous", "ring", "ketama", "jump", "modulo",
                                               "slots"]
    for row in rows:
        assert float(row["max_over_mean"]) >= 1
        for key in ("moved", "minimum", "needless", "copies_lost", "overflow", "build_ms", "bytes"):
            assert float(row[key]) >= 0
        assert (row["keys_with_duplicates"] != "") == (row["scheme"] in ("ring", "ketama"))
        assert row["lost"] == "b"


def test_the_exact_table(cli):
    rows = compare(cli, "--members cache-0..999 --table --schemes maglev")
    assert rows["maglev"]["max_over_mean"] == pytest.approx(66 / 65.537)
    assert rows["maglev"]["min_over_mean"] == pytest.approx(65 / 65.537)


def test_members_of_a_file(cli, tmp_path):
    (tmp_path / "holdfast.yaml").write_text("""
version: 1
seed: "6f1c9a3e5b7d2048"
pools:
  - name: db
    backends:
      - {name: db1, address: 10.0.0.11, zone: east}
      - {name: db2, address: 10.0.0.12, weight: 200, zone: west}
""")
    out = cli.out(f"placement lookup --json x --file {tmp_path}/holdfast.yaml --pool db")
    assert sorted(json.loads(out)[0]["list"]) == ["db1", "db2"]
    assert "no pool web" in cli.error(f"placement lookup x --file {tmp_path}/holdfast.yaml --pool web", 1)


def test_lookup_prefers_other_zones(cli):
    keys = " ".join(f"k{n}" for n in range(50))
    for scheme in ("maglev", "ring", "rendezvous"):
        rows = json.loads(cli.out(f"placement lookup --json --scheme {scheme} --members a@e,b@e,c@w,d@w {keys}"))
        for row in rows:
            zones = ["ew"[name in "cd"] for name in row["list"]]
            assert len(set(row["list"])) == 3 and zones[0] != zones[1]


def test_hot_keys(cli, tmp_path):
    (tmp_path / "counts").write_text("hot 400\n" + "".join(f"cold-{n} 1\n" for n in range(600)))
    heat = json.loads(cli.out(f"placement hot --json {tmp_path}/counts --members cache-0..9"))
    assert heat["hottest"] == "hot" and heat["best"] == pytest.approx(4.0)
    assert heat["split"] < 4 <= heat["as_placed"]
    shards = " ".join(f"hot#{n}" for n in range(10))
    rows = json.loads(cli.out(f"placement lookup --json --members cache-0..9 {shards}"))
    assert heat["members_reached"] == len({row["owner"] for row in rows})


def test_counts_as_uniq_writes_them(cli, tmp_path):
    (tmp_path / "counts").write_text("    400 a key with spaces\n     20 other\n")
    heat = json.loads(cli.out(f"placement hot --json {tmp_path}/counts --members a,b"))
    assert heat["hottest"] == "a key with spaces" and heat["requests"] == 420


def test_replay(cli):
    words = "placement replay --json --members cache-0..9 +cache-10 --keys 3000 --requests 3000 --steps 30"
    rows = json.loads(cli.out(words))
    first, last = rows[9], rows[10]
    assert not first["changed"] and last["changed"]
    assert last["modulo"] < last["ring"] < last["ring_warmed"]
    assert "a change is missing" in cli.error("placement replay --members a,b", 2)


def test_refusals(cli):
    assert "there are no members" in cli.error("placement compare", 2)
    assert "no scheme \"magle\"" in cli.error("placement compare --members a --schemes magle", 2)
    assert "65521 or 65537" in cli.error("placement compare --members a --schemes maglev --table-size 65536", 1)
    assert "is not a change" in cli.error("placement compare --members a --change a", 2)


PICTURES = [
    "--members A,B,C --change +D --virtual-nodes 3 user:1 user:2 user:3 user:4 user:5",
    "--members cache-0..9 --change +cache-10",
    "--members n-0..19 --virtual-nodes 1 a b c d e f g h i j k l m n o p",
    "--members North,East,West --hash identity --ring-size 100 --positions North=10,East=45,West=80 22 61 93",
    "--scheme ketama --members a-very-long-name-of-a-cache-in-a-data-centre-far-away-0..3=1",
    "--scheme maglev --members a,b,c,d --change=-b",
    "--scheme stable --table-size 251 --members cache-0..23",
]


def boxes(picture):
    """Every text's box, generously: letters as wide as the widest fonts in the list set them on the mean."""
    for text in picture.iter(f"{SVG}text"):
        names = text.get("class").split()
        size = 30 if "title" in names else 22 if {"small", "on"} & set(names) else 24
        width = len(text.text) * size * (0.7 if "title" in names else 0.62)
        x, y = float(text.get("x")), float(text.get("y"))
        if {"centre", "on"} & set(names):
            x -= width / 2
        yield text.text, x, y - 0.78 * size, x + width, y + 0.2 * size


@pytest.mark.parametrize("colours", ["auto", "light", "dark"])
@pytest.mark.parametrize("words", PICTURES)
def test_pictures(cli, tmp_path, words, colours):
    cli.out(f"placement draw --colours {colours} --output {tmp_path}/picture.svg {words}")
    text = (tmp_path / "picture.svg").read_text()
    picture = xml.fromstring(text)
    width, height = map(float, picture.get("viewBox").split()[2:])
    assert width == PAGE
    assert ("prefers-color-scheme" in text) == (colours == "auto")
    # At 400 pixels no letter is under 11 of them.
    assert min(map(int, re.findall(r"(\d+)px", text))) >= 22
    placed = list(boxes(picture))
    for name, left, top, right, bottom in placed:
        assert 0 <= left and right <= width and 0 <= top and bottom <= height, f"{name} is cut"
    for n, (name, left, top, right, bottom) in enumerate(placed):
        for other, left2, top2, right2, bottom2 in placed[:n]:
            assert right <= left2 or right2 <= left or bottom <= top2 or bottom2 <= top, f"{name} overlaps {other}"


PAGE_OF_IDEAS = (TOP / "docs" / "consistent-hashing.md").read_text()


def without_times(text):
    """Times differ from run to run, and with them the widths of their columns."""
    return [re.sub(r"\b[\d.]+[mn]s\b", "TIME", line).split() for line in text.rstrip().splitlines()]


def printed(page):
    """Every command of the page with what it prints there."""
    for block in re.findall(r"(?:^    .*\n)+", page, re.M):
        for part in re.split(r"^    \$ ", block, flags=re.M)[1:]:
            command, _, output = part.partition("\n")
            if command.startswith("holdfast placement"):
                yield command, re.sub(r"^    ", "", output, flags=re.M)


@pytest.mark.parametrize("command, output", printed(PAGE_OF_IDEAS))
def test_the_page_shows_what_is_printed(tmp_path, command, output):
    counts = re.search(r"\$ cat counts\n((?:    \w+ \d+\n)+)", PAGE_OF_IDEAS).group(1)
    (tmp_path / "counts").write_text(counts)
    done = subprocess.run([HOLDFAST, *command.split()[1:]], capture_output=True, text=True, timeout=60, cwd=tmp_path,
                          check=True)
    assert without_times(done.stdout) == without_times(output)


@pytest.mark.parametrize("command", re.findall(r"^    (holdfast placement draw .*)$", PAGE_OF_IDEAS, re.M))
def test_the_pages_pictures_are_drawn_so(tmp_path, command):
    subprocess.run([HOLDFAST, *command.split()[1:]], timeout=60, cwd=tmp_path, check=True)
    name = command.split()[-1]
    assert (tmp_path / name).read_text() == (TOP / "docs" / name).read_text()


def test_members_of_a_running_daemon(cli, daemon):
    daemon.replies["/v1/backends/db"] = daemon.replies["/v1/backends"]
    rows = json.loads(cli.out("placement lookup --json x --pool db --replicas 4"))
    assert sorted(rows[0]["list"]) == ["db1", "db2", "db3", "db4"]


def test_no_daemon_is_told(cli):
    cli.error("placement lookup x --pool db", 4)

# SPDX-License-Identifier: Apache-2.0
"""What is refused before anything is sent, and how."""

import re

import pytest

from command import every_verb

REFUSED = [  # line, what the complaint must say
    ("pol list", 'no noun "pol": did you mean pool?'),
    ("backend ad", "POOL/NAME is missing"),  # an abbreviation of add
    ("backend dran db/db1", 'no verb "dran": did you mean drain?'),
    ("backend d db/db1", 'backend has no verb "d"'),
    ("backend dr/x", "add, set, show, list"),
    ("xyzzy", "`holdfast help` lists them"),
    ("backend add db/db1", "ADDRESS is missing: the address of one host"),
    ("backend add db 10.0.0.1", "POOL/NAME, like db/db1"),
    ("backend add db/a/b 10.0.0.1", "POOL/NAME, like db/db1"),
    ("backend add db/-x 10.0.0.1 --", "a backend that begins with -"),
    ("backend add db/db1 10.0.0.1 more", '"more" is one word too many'),
    ("backend add db/db1 10.0.0.1 --wieght 7", "did you mean --weight?"),
    ("backend add db/db1 10.0.0.1 --weight 70000", "a number from 0 to 65535"),
    ("backend add db/db1 10.0.0.1 --weight -1", "a number from 0 to 65535"),
    ("backend add db/db1 10.0.0.1 --weight 1e3", "a number from 0 to 65535"),
    ("backend add db/db1 10.0.0.1 --weight 0x10", "a number from 0 to 65535"),
    ("backend add db/db1 10.0.0.1 --weight", "--weight has no value"),
    ("backend add db/db1 10.0.0.1 --weight=", "a number from 0 to 65535"),
    ("backend add db/db1 10.0.0.1 --table-size 251", "`backend add` has no option --table-size"),
    ("backend add db/db1 10.0.0.1 -w 7", "there is no option -w"),
    ("backend drain db/db1 --deadline 5x", "a time in days, hours"),
    ("backend drain db/db1 --deadline 1m1h", "a time in days, hours"),
    ("pool add x --encap gee", "one of: ipip gue gre l2 (did you mean gue?)"),
    ("pool add x --table-size 250", "from 251 to 1048573"),
    ("pool add x --seed 0000000000000000", "16 hexadecimal digits"),
    ("pool add " + "x" * 64, "up to 63 letters"),
    ("pool set db", "nothing to change was given"),
    ("service add sctp 203.0.113.10:80 --pool db", "tcp or udp"),
    ("service add tcp 203.0.113.10 --pool db", "VIP:PORT, VIP:LOW-HIGH or VIP:any"),
    ("service add tcp 2001:db8::1:80 --pool db", "IPv6 in brackets"),
    ("service add tcp 203.0.113.10:70000 --pool db", "VIP:PORT"),
    ("service add tcp 203.0.113.10:80", "--pool is missing"),
    ("interface attach eth0/1", "a network device's name"),
    ("interface attach a-very-long-interface", "at most 15 bytes"),
    ("interface detach", "an interface, or --all"),
    ("interface detach eth0 --all", "an interface, or --all"),
    ("interface attach eth0 --share=yes", "--share takes no value"),
    ("receiver attach eth0", "--from is missing"),
    ("receiver attach eth0 --from 10.0.0.1/8", "has host bits: 10.0.0.0/8"),
    ("why tcp 1.2.3.4:5 [2001:db8::1]:80", "of different families"),
    ("why tcp 1.2.3.4:5-9 203.0.113.10:80", "SRC"),
    ("status --dry-run", "--dry-run means nothing to `status`"),
    ("pool list --offline", "--offline means nothing to `pool list`"),
    ("status --instance ../x", "--instance"),
]


@pytest.mark.parametrize("line,says", REFUSED)
def test_refused_before_anything_is_sent(cli, daemon, line, says):
    complaint = cli.error(line)
    assert says in complaint
    assert daemon.requests == []


def test_no_words_are_a_question(cli):
    done = cli.run("", status=2)
    assert done.stdout == "" and done.stderr.startswith("usage: holdfast")


def test_options_may_stand_anywhere(cli, daemon):
    lines = ["backend add db/db1 10.0.0.1 --weight 7 --zone a", "--weight 7 --zone=a backend add db/db1 10.0.0.1",
             "backend --weight=7 add db/db1 --zone a 10.0.0.1", "backend add --zone a --weight 7 -- db/db1 10.0.0.1"]
    for line in lines:
        cli.run(line)
    bodies = [body for _, _, body in daemon.requests]
    assert bodies == [{"operation": "backend.add", "dry_run": False, "force": False, "arguments": {
        "pool": "db", "name": "db1", "address": "10.0.0.1", "weight": 7, "zone": "a"}}] * len(lines)


def test_unambiguous_beginnings_will_do(cli, daemon):
    assert cli.out("ba li") == cli.out("backend list") == cli.out("backend")
    assert "may be " in cli.error("se")  # seed and service
    assert "POOL/NAME is missing" in cli.error("backend drai")  # drain alone begins so


def test_every_verb_has_help_with_an_example(cli):
    verbs = list(every_verb(cli))
    assert len(verbs) > 20 and "backend drain" in verbs and "status" in verbs
    for verb in verbs:
        page = cli.out(f"{verb} --help")
        assert page.startswith(f"usage: holdfast {verb}")
        assert f"Example:\n  holdfast {verb}" in page
        assert page == cli.out(f"help {verb}") == cli.out(f"-h {verb}")
        assert all(len(line) <= 120 for line in page.splitlines()), page


def test_every_example_is_a_good_command_line(cli, daemon):
    for verb in every_verb(cli):
        example = cli.out(f"{verb} --help").split("Example:\n  holdfast ")[1].splitlines()[0]
        words = example.split()
        if words[0] in ("receiver", "help", "placement"):
            continue
        done = cli.run(words, status=None)
        assert done.returncode != 2, (words, done.stderr)  # usage alone is the example's fault


def test_no_half_of_an_option_name(cli):
    assert "there is no option --weigh: did you mean --weight?" in cli.error("backend set db/db1 --weigh 7")


def test_versions(cli, daemon):
    own = cli.out("--version")
    assert re.fullmatch(r"holdfast \d+\.\d+\.\d+\S*\n", own)
    assert "holdfastd  0.1.0, ABI 2, flow hash 1" in cli.out("version")


def test_seeds(cli):
    seeds = {cli.out("seed") for _ in range(20)}
    assert len(seeds) == 20 and all(re.fullmatch(r"[0-9a-f]{16}\n", seed) for seed in seeds)
    assert all(int(seed, 16) for seed in seeds)

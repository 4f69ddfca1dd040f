# SPDX-License-Identifier: Apache-2.0
"""What the API shows, and that docs/api.md is true."""

import json
import re
import subprocess

import pytest

from harness import PYTHON, TOP
from harness.wait import wait_until

DOCUMENT = (TOP / "docs" / "api.md").read_text()
FLOW = "proto=tcp&src=198.51.100.7:40000&dst=203.0.113.10:5432"


def test_the_table_of_operations_is_the_programs(daemon):
    rows = re.findall(r"^\| `([a-z.]+)` \| `([^`]*)` \| (.*) \|$", DOCUMENT, re.M)
    program = [(o["operation"], o["arguments"], o["help"]) for o in daemon.get("/v1/operations")["operations"]]
    assert rows == program


def test_every_documented_path_is_served(serving):
    paths = re.findall(r"`(GET|POST) (/v1/[^`]*)`", DOCUMENT)
    assert len(paths) > 15
    for method, path in paths:
        path = re.sub(r"\[.*", "", path.replace("POOL/NAME", "db/db1").replace("PROTO/VIP:PORT", "tcp/203.0.113.10:5432")
                      .replace("pools/NAME", "pools/db").replace("POOL", "db").replace("N", "1"))
        status, answer = serving.request(method, path, "{}" if method == "POST" else None)
        assert status == (400 if method == "POST" and path != "/v1/upgrade" else 200), (method, path, answer)


def test_every_served_path_is_documented():
    served = re.findall(r'^\t\{"(GET|POST)", "(/v1/[^"]*)"', (TOP / "user/daemon/api/routes.c").read_text(), re.M)
    assert len(served) > 20
    documented = [(method, re.sub(r"[\[?].*", "", path)) for method, path in
                  re.findall(r"`(GET|POST) (/v1/[^`]*)`", DOCUMENT)]
    for method, path in served:
        pattern = re.sub(r"\{\w+\}", "[A-Z:]+", path)
        assert any(m == method and re.fullmatch(pattern, p) for m, p in documented), (method, path)


def test_the_examples_run(serving):
    examples = re.findall(r"^    \$ (curl .*(?:\n        .*)*)", DOCUMENT, re.M)
    assert len(examples) >= 3
    for command in examples:
        done = subprocess.run(["bash", "-c", command], env={"PATH": "/usr/bin", "SOCKET": str(serving.socket)},
                              capture_output=True, text=True)
        assert done.returncode == 0 and "error" not in json.loads(done.stdout), (command, done.stdout, done.stderr)


def example(heading):
    """The JSON example after a documented path, as keys."""
    text = DOCUMENT[DOCUMENT.index(heading) + len(heading):]
    text = text[text.index("{"):]
    text = re.sub(r'("\w+") \| "\w+"( \| "\w+")*', r"\1", text).replace("null | ", "").replace("{as above}", "{}")
    return json.JSONDecoder().raw_decode(text)[0]


@pytest.mark.parametrize("heading, path", [
    ("`GET /v1/status`", "/v1/status"), ("`GET /v1/version`", "/v1/version"),
    ("`GET /v1/pools/NAME`", "/v1/pools/db"), ("`GET /v1/pools/NAME/slots", "/v1/pools/db/slots"),
    ("`GET /v1/services/PROTO/VIP:PORT`", "/v1/services/tcp/203.0.113.10:5432"),
    ("`GET /v1/backends/POOL/NAME`", "/v1/backends/db/db1"), ("`GET /v1/why?", "/v1/why?" + FLOW),
])
def test_documented_members_are_there(serving, heading, path):
    def compare(documented, given, where):
        if isinstance(documented, dict) and documented and given is not None:
            assert set(documented) == set(given), where
            for key, value in documented.items():
                compare(value, given[key], f"{where}.{key}")
        if isinstance(documented, list) and documented and given and isinstance(documented[0], dict):
            compare(documented[0], given[0], where + "[]")

    compare(example(heading), serving.get(path), path)


def test_why_names_what_the_packet_meets(serving):
    why = serving.get("/v1/why?" + FLOW)
    assert why["verdict"] == "forward" and why["reason"] is None
    assert why["service"] == "tcp 203.0.113.10:5432" and why["pool"] == "db"
    assert why["backend"] == why["owner"] == "db/" + why["preferences"][0] and why["by"] == "owner"
    assert len(set(why["preferences"])) == 3 and 0 <= why["slot"] < why["slots"]
    backend = serving.get("/v1/backends/" + why["backend"])
    assert why["outer"]["destination"] == backend["address"]
    assert why["outer"]["source"].startswith("10.64.") and why["outer"]["encap"] == "ipip"
    assert why["next_hop"] == backend["next_hop"]


@pytest.mark.parametrize("query, verdict, word", [
    ("proto=udp&src=198.51.100.7:1&dst=203.0.113.10:5432", "pass", None),
    ("proto=tcp&src=198.51.100.7:1&dst=203.0.113.10:5433", "pass", None),
    ("proto=tcp&src=198.51.100.7:1&dst=203.0.113.99:5432", "pass", "no-service"),
])
def test_why_names_why_not(serving, query, verdict, word):
    why = serving.get("/v1/why?" + query)
    assert why["verdict"] == verdict and why["backend"] is None, why
    assert why["reason"]["sentence"] and (word is None or why["reason"]["word"] == word)


def test_why_counts_nothing(serving):
    before = serving.get("/v1/counters")
    for port in range(2000, 2020):
        serving.get(f"/v1/why?proto=tcp&src=198.51.100.7:{port}&dst=203.0.113.10:5432")
    after = serving.get("/v1/counters")
    assert [s["packets"] for s in after["services"]] == [s["packets"] for s in before["services"]]


SEND = """
import socket, sys
from scapy.all import Ether, IP, TCP, raw
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
s.bind(("r0", 0))
mac = sys.argv[1]
for i in range(int(sys.argv[2])):
    s.send(raw(Ether(dst=mac, src="02:00:00:00:00:01") / IP(src=f"198.51.{i % 100}.{i // 100 + 1}", dst="203.0.113.10")
               / TCP(sport=1024 + i, dport=5432, flags="S")))
"""


def test_counters_add_up(serving, host):
    count = 600
    subprocess.run(host.peer.inside(PYTHON, "-c", SEND, host.mac("eth0"), count), check=True)
    service = wait_until(lambda: (s := serving.get("/v1/services/tcp/203.0.113.10:5432"))["packets"] >= count and s)
    assert (service["packets"], service["flows"], service["bytes"]) == (count, count, count * 54)
    backends = serving.get("/v1/backends/db")["backends"]
    assert sum(b["packets"] for b in backends) == count
    assert all(b["packets"] > 0.2 * count for b in backends)
    # Totals outlive the daemon and a backend's removal; the backend's own go with it.
    serving.operate("backend.remove", pool="db", name="db1", now=True)
    serving.kill()
    serving.start()
    assert serving.get("/v1/services/tcp/203.0.113.10:5432")["packets"] == count
    assert [b["packets"] for b in serving.get("/v1/backends/db")["backends"]] == [b["packets"] for b in backends[1:]]
    reasons = {r["reason"]: r for r in serving.get("/v1/counters")["reasons"]}
    assert reasons["no-backend"]["verdict"] == "drop" and reasons["no-backend"]["packets"] == 0


DATAGRAMS = """
import socket, sys
from scapy.all import Ether, IP, UDP, raw
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
s.bind(("r0", 0))
for i in range(int(sys.argv[2])):
    s.send(raw(Ether(dst=sys.argv[1], src="02:00:00:00:00:01") / IP(src="198.51.100.7", dst="203.0.113.10")
               / UDP(sport=1024 + i // 3, dport=5300) / b"x"))
"""


def test_new_flows_of_datagrams_are_counted_or_unknown(serving, host):
    """Where the data plane does not see them begin, no view says 0."""
    path, sent = "/v1/services/udp/203.0.113.10:5300", 0

    def send():
        nonlocal sent
        subprocess.run(host.peer.inside(PYTHON, "-c", DATAGRAMS, host.mac("eth0"), 60), check=True)
        sent += 60
        return wait_until(lambda: (s := serving.get(path))["packets"] == sent and s)

    def planned():
        answer = serving.post("backend.remove", {"pool": "dns", "name": "b1", "now": True}, dry_run=True)[1]
        return answer["plan"]["pools"][0]

    serving.operate("pool.add", name="dns", source="10.64.0.0/16")
    for i in (1, 2):
        serving.operate("backend.add", pool="dns", name=f"b{i}", address=f"10.9.0.1{i + 3}")
    serving.operate("service.add", proto="udp", listen="203.0.113.10:5300", pool="dns")
    service = send()
    assert (service["flows"], service["new_per_second"], service["flows_unseen"]) == (None, None, True)
    assert {b["flows"] for b in serving.get("/v1/backends/dns")["backends"]} == {None}
    assert planned()["new_per_second"] is None
    # The pool has connections too: what is seen of it is not all.
    serving.operate("service.add", proto="tcp", listen="203.0.113.10:5300", pool="dns")
    wait_until(lambda: all(b["flows"] == 0 and b["flows_unseen"] for b in serving.get("/v1/backends/dns")["backends"]))
    assert planned()["flows_unseen"] and planned()["new_per_second"] == 0
    serving.operate("service.set", proto="udp", listen="203.0.113.10:5300", track="always")
    service = send()
    assert (service["flows"], service["flows_unseen"]) == (20, False)
    assert sum(b["flows"] for b in serving.get("/v1/backends/dns")["backends"]) == 20
    assert not planned()["flows_unseen"]


def test_counters_outlive_the_range_they_outgrow(serving, host):
    """A service begins with room for eight backends; the ninth moves its counters to a wider place."""
    subprocess.run(host.peer.inside(PYTHON, "-c", SEND, host.mac("eth0"), 300), check=True)
    service = lambda: serving.get("/v1/services/tcp/203.0.113.10:5432")["packets"]
    wait_until(lambda: service() == 300)
    each = {b["name"]: b["packets"] for b in serving.get("/v1/backends/db")["backends"]}
    for i in range(4, 13):
        serving.operate("backend.add", pool="db", name=f"db{i}", address=f"10.9.0.{10 + i}")
    assert service() == 300
    after = {b["name"]: b["packets"] for b in serving.get("/v1/backends/db")["backends"]}
    assert {name: after[name] for name in each} == each
    assert all(after[name] == 0 for name in after if name not in each)
    # Nor do figures go to whoever comes where others have been.
    serving.operate("service.remove", proto="tcp", listen="203.0.113.10:5432")
    serving.operate("service.add", proto="udp", listen="203.0.113.11:53", pool="db")
    assert serving.get("/v1/services/udp/203.0.113.11:53")["packets"] == 0


def test_generations_are_listed_and_shown(serving):
    generations = serving.get("/v1/generations")["generations"]
    assert [g["number"] for g in generations] == list(range(len(generations), 0, -1))
    shown = serving.get("/v1/generations/3")
    assert shown["cause"] == "backend add db/db1" and shown["author"] == "root"
    assert [b["name"] for b in shown["model"]["pools"][0]["backends"]] == ["db1"]


def test_slots_are_those_that_backends_have(serving):
    pool = serving.get("/v1/pools/db")
    slots = serving.get("/v1/pools/db/slots?preferences=1")
    assert slots["slots"] == pool["table_size"]
    owned, next_slot = {}, 0
    for one in slots["ranges"]:
        assert one["first"] == next_slot <= one["last"] and one["preferences"][0] == one["owner"]
        assert one["base"] is None or one["moving"]
        owned[one["owner"]] = owned.get(one["owner"], 0) + one["last"] - one["first"] + 1
        next_slot = one["last"] + 1
    assert next_slot == slots["slots"]
    assert owned == {b["name"]: b["slots"] for b in serving.get("/v1/backends/db")["backends"] if b["slots"]}
    assert len(serving.get("/v1/pools/db/slots")["ranges"]) <= len(slots["ranges"])
    assert serving.request("GET", "/v1/pools/no/slots")[0] == 404
    assert serving.request("GET", "/v1/pools/db/slots?preferences=x")[0] == 400

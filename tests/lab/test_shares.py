# SPDX-License-Identifier: Apache-2.0
"""Connections are shared out by weight, and answers come from the backend alone."""

from harness import servers

VIP = "203.0.113.10"
WEIGHTS = {"b1": 100, "b2": 200, "b3": 300, "b4": 400}
CONNECTIONS = 10000
POINTS = 0.03


def test_shares_follow_weights(balanced):
    lab, _ = balanced(weights=WEIGHTS)
    counted = servers.start_traffic(lab.c1, "connect", VIP, 80, "--count", CONNECTIONS).result(300)
    assert counted["failed"] == 0
    assert sum(counted["answers"].values()) == CONNECTIONS
    total = sum(WEIGHTS.values())
    for name, weight in WEIGHTS.items():
        assert abs(counted["answers"][name] / CONNECTIONS - weight / total) < POINTS, counted["answers"]


def test_a_large_file_arrives_whole(balanced):
    lab, _ = balanced(weights=WEIGHTS)
    assert int(lab.c1.curl(f"http://{VIP}/file", "-o", "/dev/null", "-w", "%{size_download}",
                           timeout=60)) == servers.FILE_BYTES


def test_what_is_for_no_service_reaches_the_balancers_own_stack(balanced):
    lab, _ = balanced(weights=WEIGHTS)
    server = servers.start_datagram_server(lab.lb1, lab.lb1.address, 7777)
    sent = servers.start_traffic(lab.c1, "send", lab.lb1.address, 7777, "--seconds", "0.2", "--rate", "500").result(30)
    assert sent["sent"] == sent["received"] == server.result()["received"] == 100


def test_backend_of_weight_zero_gets_nothing(balanced):
    lab, daemon = balanced(weights=WEIGHTS)
    daemon.run("backend set db/b4 --weight 0")
    counted = servers.start_traffic(lab.c1, "connect", VIP, 80, "--count", "500").result(60)
    daemon.run("backend set db/b4 --weight 400")
    assert counted["failed"] == 0
    assert set(counted["answers"]) == {"b1", "b2", "b3"}

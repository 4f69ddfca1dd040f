# SPDX-License-Identifier: Apache-2.0
"""The lab itself, without Holdfast: if these fail, no other lab test means anything."""

import os
import signal

import pytest

from harness import HarnessError, servers
from harness.lab import Lab, RUN, namespaces_of, remove_lab
from harness.namespace import Namespace


VIP, VIP6 = "203.0.113.10", "2001:db8:203::10"


def test_router_alone_brings_a_client_to_a_backend(lab):
    for backend in (lab.b1, lab.b2):
        lab.route([backend], [f"{VIP}/32", f"{VIP6}/128"])
        assert lab.c1.curl(f"http://{VIP}/") == backend.name
        assert lab.c1.curl(f"http://[{VIP6}]/") == backend.name
    lab.route([], [f"{VIP}/32", f"{VIP6}/128"])


def test_without_a_balancer_nobody_answers(lab):
    with pytest.raises(HarnessError):
        lab.c1.curl(f"http://{VIP}/", timeout=1)


def test_router_spreads_a_vip_over_several_hosts_by_flow(lab):
    lab.route([lab.b1, lab.b2], [f"{VIP}/32"])
    counted = servers.start_traffic(lab.c1, "connect", VIP, 80, "--count", "200").result(60)
    lab.route([], [f"{VIP}/32"])
    assert counted["failed"] == 0
    assert set(counted["answers"]) == {"b1", "b2"}
    assert min(counted["answers"].values()) > 50


def test_a_file_arrives_whole(lab):
    lab.route([lab.b1], [f"{VIP}/32"])
    size = lab.c1.curl(f"http://{VIP}/file", "-o", "/dev/null", "-w", "%{size_download}")
    lab.route([], [f"{VIP}/32"])
    assert int(size) == servers.FILE_BYTES


def test_datagrams_are_counted_on_both_sides(lab):
    lab.route([lab.b1], [f"{VIP}/32"])
    server = servers.start_datagram_server(lab.b1, VIP, 5353)
    sent = servers.start_traffic(lab.c1, "send", VIP, 5353, "--seconds", "0.5", "--rate", "1000", "--sources", "20",
                                 "--flows").result(30)
    received = server.result()
    lab.route([], [f"{VIP}/32"])
    assert sent["sent"] == sent["received"] == received["received"] == 500
    assert set(sent["flows"]) == set(received["flows"])
    assert len(received["flows"]) == 20


def test_links_of_balancers_and_backends_are_fit_for_wrapped_packets(lab):
    for host in lab.balancers + lab.backends:
        router_side = lab.router.run("ip", "-details", "link", "show", host.name).stdout
        assert "mtu 1700" in router_side and "prog/xdp" in router_side
        offloads = lab.router.run("ethtool", "-k", host.name).stdout
        assert "tx-checksumming: off" in offloads and "tx-vlan-offload: off" in offloads


def test_down_removes_what_a_crashed_run_left(make_lab):
    """Two labs stand; the makers of one are gone without a word; only that one goes."""
    other = make_lab(clients=1, balancers=0, backends=1)
    child = os.fork()
    if not child:
        Lab(f"hft{os.getpid()}n1", clients=1, balancers=1, backends=1).up().b1.spawn("sleep", "sleep", 600)
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    tag = f"hft{child}n1"
    left = namespaces_of(tag)
    assert len(left) == 4
    assert len(Namespace(f"{tag}-b1").processes()) == 1
    remove_lab(tag)
    assert not namespaces_of(tag)
    assert not (RUN / tag).exists()
    assert len(namespaces_of(other.tag)) == 3

# SPDX-License-Identifier: Apache-2.0
"""A receiver takes the wrapping off what allowed balancers send to addresses the host has, and nothing else."""

import json

import pytest

from harness import BUILD, HarnessError
from harness.lab import RECEIVED_FROM


VIP = "203.0.113.10"


@pytest.fixture
def one_backend(balanced):
    lab, daemon = balanced(backends=("b1",))
    yield lab, lab.b1
    lab.b1.attach_receiver()


def receiver(host, *words):
    return host.run(BUILD / "holdfast", *words)


def counted(host):
    """The one receiver of host, and its counters by verdict."""
    (listed,) = json.loads(receiver(host, "--json", "receiver", "list").stdout)["receivers"]
    return listed, listed["verdicts"]


def test_without_a_receiver_nothing_is_answered(one_backend):
    lab, host = one_backend
    assert lab.c1.curl(f"http://{VIP}/") == host.name
    host.detach_receiver()
    with pytest.raises(HarnessError):
        lab.c1.curl(f"http://{VIP}/", timeout=1)
    host.attach_receiver()
    assert lab.c1.curl(f"http://{VIP}/") == host.name


def test_other_senders_are_dropped_and_counted(one_backend):
    lab, host = one_backend
    before = counted(host)[1]["bad-source"]
    receiver(host, "receiver", "attach", "eth0", "--from", "192.0.2.0/24")
    with pytest.raises(HarnessError):
        lab.c1.curl(f"http://{VIP}/", timeout=1)
    listed, verdicts = counted(host)
    assert listed["from"] == ["192.0.2.0/24"]
    assert verdicts["bad-source"] > before


def test_an_address_that_the_host_has_not_is_dropped(one_backend):
    lab, host = one_backend
    before = counted(host)[1]["not-a-vip"]
    host.run("ip", "addr", "del", f"{VIP}/32", "dev", "lo")
    try:
        host.attach_receiver()
        with pytest.raises(HarnessError):
            lab.c1.curl(f"http://{VIP}/", timeout=1)
        assert counted(host)[1]["not-a-vip"] > before
    finally:
        host.run("ip", "addr", "add", f"{VIP}/32", "dev", "lo")


def test_a_host_without_any_vip_is_warned_of(make_lab):
    lab = make_lab(clients=0, balancers=0, backends=1, vips=[])
    assert "VIP" in lab.b1.attach_receiver().stderr


def test_its_own_traffic_is_left_alone(one_backend):
    lab, host = one_backend
    assert lab.c1.curl(f"http://{host.address}/") == host.name
    assert lab.c1.curl(f"http://[{host.address6}]/") == host.name


def test_one_whose_interface_was_renamed_learns_the_hosts_addresses_all_the_same(one_backend):
    _, host = one_backend
    host.run("ip", "link", "set", "eth0", "name", "wan0")
    try:
        host.run("ip", "addr", "add", "192.0.2.77/32", "dev", "lo")
        said = receiver(host, "receiver", "check").stdout
        assert "the host's addresses have changed since they were last read: its program knows them now" in said, said
        assert "receiver wan0" in said and "cannot be read again" not in said
    finally:
        host.run("ip", "addr", "del", "192.0.2.77/32", "dev", "lo")
        host.run("ip", "link", "set", "wan0", "name", "eth0")


def test_one_whose_interface_was_renamed_is_attached_again_and_detached_under_its_new_name(one_backend):
    lab, host = one_backend
    host.run("ip", "link", "set", "eth0", "name", "wan0")
    try:
        receiver(host, "receiver", "attach", "wan0", "--from", RECEIVED_FROM[0])
        said = receiver(host, "receiver", "list").stdout
        assert "wan0       native  there" in said, said
        assert lab.c1.curl(f"http://{VIP}/") == host.name
        receiver(host, "receiver", "detach", "wan0")
        assert "prog/xdp" not in host.run("ip", "link", "show", "wan0").stdout
        assert not json.loads(receiver(host, "--json", "receiver", "list").stdout)["receivers"]
    finally:
        host.run("ip", "link", "set", "wan0", "name", "eth0")


def test_one_whose_interface_was_renamed_is_detached_under_its_old_name_while_nothing_has_it(one_backend):
    _, host = one_backend
    host.attach_receiver()
    host.run("ip", "link", "set", "eth0", "name", "wan0")
    try:
        receiver(host, "receiver", "detach", "eth0")
        assert "prog/xdp" not in host.run("ip", "link", "show", "wan0").stdout
    finally:
        host.run("ip", "link", "set", "wan0", "name", "eth0")


def test_a_new_interface_of_the_old_name_ends_no_receiver(one_backend):
    lab, host = one_backend
    host.attach_receiver()
    host.run("ip", "link", "set", "eth0", "name", "wan0")
    host.run("ip", "link", "add", "eth0", "type", "veth", "peer", "name", "far0")
    try:
        receiver(host, "receiver", "attach", "eth0", "--from", RECEIVED_FROM[0])
        listed = json.loads(receiver(host, "--json", "receiver", "list").stdout)["receivers"]
        assert {each["interface"] for each in listed} == {"eth0", "wan0"}
        assert lab.c1.curl(f"http://{VIP}/") == host.name
        receiver(host, "receiver", "detach", "eth0")
    finally:
        host.run("ip", "link", "del", "far0")
        host.run("ip", "link", "set", "wan0", "name", "eth0")

# SPDX-License-Identifier: Apache-2.0
"""Interfaces that were renamed, swapped or moved, and pins that are out of sight: what is attached is what the kernel
says, and whoever detaches is told the truth."""

import pytest

from harness.process import run
from harness.wait import wait_until


OVER = ("unshare", "-m", "sh", "-c", 'mount -t bpf bpf /sys/fs/bpf && exec "$@"', "over")


def rename(host, before, after):
    host.run("ip", "link", "set", before, "name", after)


def interface(daemon, name):
    return next(each for each in daemon.get("/v1/interfaces")["interfaces"] if each["name"] == name)


def test_one_that_was_renamed_goes_on_and_can_be_let_go_of(serving):
    host = serving.host
    rename(host, "eth0", "wan0")
    at = wait_until(lambda: (at := interface(serving, "eth0"))["problem"] and at)
    assert at["state"] == "attached" and "wan0" in at["problem"]
    assert serving.run("status --check", status=None).returncode == 1
    # Another change leaves it alone, and so does a restart.
    serving.operate("backend.set", pool="db", name="db1", weight=50)
    serving.kill()
    serving.start()
    assert host.program_on("wan0")
    assert interface(serving, "eth0")["link_id"] == at["link_id"]
    serving.operate("interface.detach", name="eth0")
    assert not host.program_on("wan0")
    assert not list((serving.pins / "links").iterdir())


def test_one_that_was_renamed_back_has_no_problem(serving):
    host = serving.host
    rename(host, "eth0", "wan0")
    wait_until(lambda: interface(serving, "eth0")["problem"])
    rename(host, "wan0", "eth0")
    wait_until(lambda: not interface(serving, "eth0")["problem"])
    assert host.program_on("eth0")


def test_the_name_in_the_configuration_decides_where_another_has_it(serving):
    """eth0 becomes wan0, and another interface eth0: the new one is attached, the old one is let go of."""
    host = serving.host
    host.run("ip", "link", "add", "eth1", "type", "veth", "peer", "name", "far1")
    rename(host, "eth0", "wan0")
    rename(host, "eth1", "eth0")
    wait_until(lambda: host.program_on("eth0"))
    serving.operate("backend.set", pool="db", name="db1", weight=50)
    assert host.program_on("eth0") and not host.program_on("wan0")
    serving.operate("interface.detach", name="eth0")
    assert not host.program_on("eth0")


@pytest.mark.parametrize("restart", [False, True], ids=["daemon runs", "daemon restarts"])
def test_two_that_were_swapped_stay_attached_and_go_one_by_one(serving, restart):
    host = serving.host
    host.run("ip", "link", "add", "eth1", "type", "veth", "peer", "name", "far1")
    serving.operate("interface.attach", name="eth1")
    links = {each["link_id"] for each in serving.get("/v1/interfaces")["interfaces"]}
    rename(host, "eth0", "both")
    rename(host, "eth1", "eth0")
    rename(host, "both", "eth1")
    if restart:
        serving.kill()
        serving.start()
    serving.operate("backend.set", pool="db", name="db1", weight=50)
    assert {each["link_id"] for each in serving.get("/v1/interfaces")["interfaces"]} == links
    serving.operate("interface.detach", name="eth0")
    assert host.program_on("eth1") and not host.program_on("eth0")
    serving.operate("interface.detach", name="eth1")
    assert not host.program_on("eth1")


@pytest.fixture
def moved(serving):
    """A second interface, attached, and then moved to the neighbour's namespace."""
    serving.host.run("ip", "link", "add", "eth1", "type", "veth", "peer", "name", "far1")
    serving.operate("interface.attach", name="eth1")
    serving.host.run("ip", "link", "set", "eth1", "netns", serving.host.peer.netns)
    assert serving.host.peer.program_on("eth1")
    return serving


def test_one_that_was_moved_to_another_namespace_is_let_go_of(moved):
    at = wait_until(lambda: (at := interface(moved, "eth1"))["problem"] and at)
    assert at["state"] == "detached" and "another network namespace" in at["problem"]
    moved.operate("interface.detach", name="eth1")
    assert not moved.host.peer.program_on("eth1")
    assert moved.host.program_on("eth0")


def test_everything_is_let_go_of_without_the_daemon(moved):
    moved.kill()
    rename(moved.host, "eth0", "wan0")
    done = moved.run("--offline interface detach --all", status=None)
    assert done.returncode == 0, done.stderr
    assert not moved.host.program_on("wan0") and not moved.host.peer.program_on("eth1")


def test_a_name_that_is_not_attached_is_no_success(moved):
    moved.kill()
    done = moved.run("--offline interface detach lo", status=None)
    assert done.returncode == 1 and "not attached to lo" in done.stderr


def test_a_start_beside_pins_that_are_out_of_sight_is_refused(serving):
    """A second bpffs lies over the first: a second set of pins would change nothing that packets see."""
    serving.under = OVER
    serving.kill()
    said = serving.refused()
    assert "interface eth0 runs program" in said and "umount /sys/fs/bpf" in said
    assert serving.host.program_on("eth0")
    serving.under = ()
    serving.start()
    assert interface(serving, "eth0")["state"] == "attached"


def test_a_detach_that_finds_no_pins_does_not_say_done(serving):
    serving.kill()
    done = serving.run("--offline interface detach --all", status=None, under=OVER)
    assert done.returncode == 1 and "bpftool link detach id" in done.stderr, done.stdout + done.stderr
    assert serving.host.program_on("eth0")


def test_a_daemon_that_lost_sight_of_its_pins_lets_go_all_the_same(idle):
    """It holds the link, and pins it again where it can see it."""
    idle.under = ("unshare", "-m",)
    idle.start()
    idle.operate("interface.attach", name="eth0")
    run("nsenter", "-m", "-t", str(idle.process.pid), "mount", "-t", "bpf", "bpf", "/sys/fs/bpf")
    idle.operate("interface.detach", name="eth0")
    assert not idle.host.program_on("eth0") and not idle.get("/v1/interfaces")["interfaces"]

# SPDX-License-Identifier: Apache-2.0
"""Attachments that are refused: on what is no Ethernet interface, and where another program is. The command that the
refusal names is typed, and frees the interface."""

import re
import subprocess
from pathlib import Path

import pytest

from harness import PASS, PYTHON
from harness.process import run



def attach_link(daemon, mode):
    """A pinned bpf_link of another program on eth0."""
    pins = Path("/sys/fs/bpf") / f"{daemon.instance}-other"
    run("bpftool", "prog", "loadall", PASS, pins, "type", "xdp")
    program = next(pins.iterdir())
    script = ("import ctypes, os, socket, sys; libbpf = ctypes.CDLL('libbpf.so.1', use_errno=True)\n"
              "program = libbpf.bpf_obj_get(sys.argv[1].encode())\n"
              "options = (ctypes.c_uint64 * 8)(64, int(sys.argv[3]))\n"
              "link = libbpf.bpf_link_create(program, socket.if_nametoindex('eth0'), 37, options)\n"
              "assert link >= 0, os.strerror(ctypes.get_errno())\n"
              "assert not libbpf.bpf_obj_pin(link, sys.argv[2].encode())\n")
    daemon.host.run(PYTHON, "-c", script, program, pins / "link", {"native": 4, "generic": 2}[mode])
    return pins


@pytest.fixture
def held(daemon):
    """Puts another program on eth0, in one of the ways in which there are some."""
    pins = []

    def hold(how, mode):
        if how == "link":
            pins.append(attach_link(daemon, mode))
        else:
            daemon.host.run("ip", "link", "set", "eth0", {"native": "xdpdrv", "generic": "xdpgeneric"}[mode], "obj",
                                    PASS, "sec", "xdp")
        assert daemon.host.program_on("eth0")
        return daemon
    try:
        yield hold
    finally:
        for each in pins:
            subprocess.run(["rm", "-r", each])


WITHOUT_ADMIN = ("setpriv", "--bounding-set=-sys_admin", "--inh-caps=-sys_admin")


@pytest.mark.parametrize("mode", ["native", "generic"])
@pytest.mark.parametrize("how", ["link", "netlink"])
def test_what_holds_an_interface_is_taken_away_by_the_command_that_is_named(held, how, mode):
    daemon = held(how, mode)
    done = daemon.run("interface attach eth0", status=None)
    assert done.returncode == 1, done.stdout
    command = re.search(r"(bpftool|ip) link .*", done.stderr)[0]
    assert command.startswith("bpftool" if how == "link" else "ip"), done.stderr
    daemon.host.run(*command.strip("()").split())
    assert not daemon.host.program_on("eth0")
    assert daemon.run("interface attach eth0", status=None).returncode == 0


@pytest.mark.parametrize("mode", ["native", "generic"])
def test_a_daemon_that_may_not_read_links_does_not_take_one_for_a_program_of_ip(held, mode):
    """As the unit starts it: without CAP_SYS_ADMIN no process learns a link's number."""
    daemon = held("link", mode)
    daemon.kill()
    daemon.under = (*WITHOUT_ADMIN,)
    daemon.start()
    refused = daemon.run("interface attach eth0", status=None).stderr
    assert "bpftool link detach id N" in refused and "ip link set" not in refused, refused


@pytest.mark.parametrize("dry", ["", " --dry-run"])
def test_the_loopback_interface_is_refused(daemon, dry):
    done = daemon.run("interface attach lo" + dry, status=None)
    assert done.returncode == 1 and "lo is the loopback interface" in done.stderr, done.stdout + done.stderr
    assert "ip -br link" in done.stderr
    assert not daemon.host.program_on("lo") and not daemon.get("/v1/interfaces")["interfaces"]


@pytest.mark.parametrize("mode", ["auto", "generic"])
def test_an_interface_whose_packets_are_not_ethernet_is_refused(daemon, mode):
    daemon.host.run("ip", "tuntap", "add", "dev", "tun0", "mode", "tun")
    daemon.host.run("ip", "link", "set", "tun0", "up")
    done = daemon.run(["interface", "attach", "tun0", "--mode", mode], status=None)
    assert done.returncode == 1 and "no Ethernet header" in done.stderr, done.stdout + done.stderr
    assert not daemon.host.program_on("tun0")


def test_a_receiver_is_refused_there_too(daemon):
    for name in ("lo", "tun0"):
        if name != "lo":
            daemon.host.run("ip", "tuntap", "add", "dev", name, "mode", "tun")
        done = daemon.run(["receiver", "attach", name, "--from", "10.9.0.0/24"], status=None)
        assert done.returncode == 1, done.stdout
        assert "loopback" in done.stderr or "no Ethernet header" in done.stderr, done.stderr
        assert not daemon.host.program_on(name)

# SPDX-License-Identifier: Apache-2.0
"""Receivers on a backend host of the lab: no daemon."""

import json
import re
import subprocess

import pytest

from harness import PYTHON
from harness.command import CommandLine


@pytest.fixture
def host(backend_host, tmp_path):
    cli = CommandLine(tmp_path, inside=backend_host.inside)
    yield cli
    cli.run("receiver detach eth0", status=None)


def test_attach_list_detach(host):
    assert host.out("receiver attach eth0 --from 10.0.1.0/24 2001:db8:2::/64") == "receiver eth0 attached: from 2 prefixes\n"
    receiver, = host.json("receiver list")["receivers"]
    assert receiver["interface"] == "eth0" and sorted(receiver["from"]) == ["10.0.1.0/24", "2001:db8:2::/64"]
    assert "203.0.113.10" in [vip["address"] for vip in receiver["vips"]] and "accepted" in receiver["verdicts"]
    listed = host.out("receiver list")
    assert re.search(r"^INTERFACE +MODE +TC +FROM\neth0 +(native|generic) +there +\S+/\d+$", listed, re.M), listed
    assert re.search(r"^eth0 +203\.0\.113\.10 +\d+$", listed, re.M), listed
    assert re.search(r"^eth0 +accepted +\d+ +unwrapped ", listed, re.M), listed
    assert host.out("receiver detach eth0") == "receiver eth0 detached\n"
    assert host.json("receiver list") == {"receivers": []}


def test_attach_again_replaces(host):
    host.out("receiver attach eth0 --from 10.0.1.0/24")
    host.out("receiver attach eth0 --from 10.9.0.0/16 --vip 203.0.113.11")
    receiver, = host.json("receiver list")["receivers"]
    assert receiver["from"] == ["10.9.0.0/16"] and [vip["address"] for vip in receiver["vips"]] == ["203.0.113.11"]


def test_vip_that_the_host_has_not_is_warned_of(host):
    done = host.run("receiver attach eth0 --from 10.0.1.0/24 --vip 203.0.113.200", status=None)
    assert "203.0.113.200" in done.stderr


def test_refusals(host):
    assert "nothere" in host.error("receiver attach nothere --from 10.0.1.0/24", status=1)
    assert "eth0" in host.error("receiver detach eth0", status=1)


def test_check(host):
    host.out("receiver attach eth0 --from 10.0.1.0/24")
    told = host.run("receiver check eth0", status=None)
    assert told.returncode in (0, 1) and told.stdout.startswith("FINDING")
    findings = json.loads(host.run("--json receiver check eth0", status=None).stdout)
    assert (findings["worst"] == "fault") == (told.returncode == 1)


def test_sockets_are_counted(host, backend_host):
    host.out("receiver attach eth0 --from 10.0.1.0/24")
    code = ("import socket, time; s = socket.create_server(('203.0.113.10', 8080)); "
            "c = socket.create_connection(('203.0.113.10', 8080)); a = s.accept(); print('ready', flush=True); time.sleep(60)")
    server = subprocess.Popen(backend_host.inside(PYTHON, "-c", code), stdout=subprocess.PIPE)
    try:
        server.stdout.readline()
        receiver, = host.json("receiver list")["receivers"]
        sockets = {vip["address"]: vip["sockets"] for vip in receiver["vips"]}
        assert sockets["203.0.113.10"] >= 1 and sockets["203.0.113.11"] == 0
    finally:
        server.kill()
        server.wait()
        server.stdout.close()


def test_another_namespace(host, lab):
    """VIPs and sockets of a container: here another backend's namespace stands for it."""
    host.out(f"receiver attach eth0 --from 10.0.1.0/24 --netns {lab.b2.netns}")
    receiver, = host.json("receiver list")["receivers"]
    assert receiver["netns"] == lab.b2.netns
    assert "NETNS" in host.out("receiver list")
    host.error("receiver attach eth0 --from 10.0.1.0/24 --netns hfc-nowhere", status=1)

# SPDX-License-Identifier: Apache-2.0
"""Somebody removes pins while the daemon runs. Packets go on, the daemon pins again what it holds, and says so."""

import json
import re
import shutil
import threading
import time

import pytest

from harness.process import run
from harness.wait import wait_until
from test_privileges import WANTED, bpffs, own, serve  # noqa: F401

LATER = 2.5  # s: the daemon has looked more than once


def attachment(daemon):
    (interface,) = daemon.get("/v1/interfaces")["interfaces"]
    return interface


def tree(pins):
    return sorted(str(path.relative_to(pins)) for path in pins.rglob("*"))


def remove(path):
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink()


GONE = {"everything": ["."], "the link": ["links/eth0"], "the links": ["links"], "a map": ["maps/slots"], "the maps": ["maps"],
        "a program": ["prog"], "the programs": ["prog", "prog_frags"], "link and map": ["links/eth0", "maps/flows"]}


@pytest.mark.parametrize("gone", GONE)
def test_what_was_removed_is_pinned_again_and_the_attachment_is_what_it_was(serving, gone):
    before, pins = attachment(serving), tree(serving.pins)
    for each in GONE[gone]:
        remove(serving.pins / each)
    wait_until(lambda: tree(serving.pins) == pins)
    time.sleep(LATER)
    assert attachment(serving) == before and serving.host.program_on("eth0") == before["program_id"]
    assert serving.run("status --check", status=None).returncode == 0, serving.get("/v1/status")["problems"]
    said = [event["text"] for event in serving.get("/v1/events")["events"] if event["kind"] == "pins"]
    assert len(said) == 1 and "made them again" in said[0], said


@pytest.mark.parametrize("gone", ["everything", "the link", "the maps"])
def test_a_change_that_comes_at_once_says_done_and_outlives_the_daemon(serving, gone):
    before, pins = attachment(serving), tree(serving.pins)
    for each in GONE[gone]:
        remove(serving.pins / each)
    serving.operate("backend.add", pool="db", name="db4", address="10.9.0.14")
    assert tree(serving.pins) == pins
    serving.kill()
    assert serving.host.program_on("eth0") == before["program_id"]
    serving.start()
    assert attachment(serving)["link_id"] == before["link_id"]
    assert "adopted" in serving.log.read_text() and serving.log.read_text().count("the data plane is made what") == 1
    assert {each["name"] for each in serving.get("/v1/backends")["backends"]} == {"db1", "db2", "db3", "db4"}


def test_a_stop_that_comes_at_once_leaves_what_is_attached(serving):
    before = attachment(serving)
    shutil.rmtree(serving.pins)
    serving.stop()
    assert serving.host.program_on("eth0") == before["program_id"]
    serving.start()
    assert attachment(serving)["link_id"] == before["link_id"]


def test_an_upgrade_meanwhile_may_fail_and_ends_nothing(serving):
    before, done = attachment(serving), threading.Event()

    def remove_again_and_again():
        while not done.is_set():
            shutil.rmtree(serving.pins, ignore_errors=True)
            time.sleep(0.004)

    remover = threading.Thread(target=remove_again_and_again)
    remover.start()
    try:
        for _ in range(5):
            serving.run("upgrade", status=None)
    finally:
        done.set()
        remover.join()
    assert serving.process.poll() is None, serving.log.read_text()
    assert serving.run("upgrade", status=None).returncode == 0
    assert attachment(serving)["link_id"] == before["link_id"] and serving.run("status --check", status=None).returncode == 0


def test_an_upgrade_replaces_the_program_though_the_link_lost_its_pin_meanwhile(serving):
    for wait in (0.02, 0.05, 0.1, 0.2):
        upgrade = threading.Thread(target=serving.run, args=("upgrade", None))
        upgrade.start()
        time.sleep(wait)
        remove(serving.pins / "links")
        upgrade.join()
        pinned = json.loads(run("bpftool", "-j", "prog", "show", "pinned", serving.pins / "prog").stdout)["id"]
        assert attachment(serving)["program_id"] == serving.host.program_on("eth0") == pinned
        wait_until((serving.pins / "links" / "eth0").exists)


def test_interfaces_are_attached_and_let_go_of_after_pins_were_removed(serving):
    host = serving.host
    host.run("ip", "link", "add", "eth1", "type", "veth", "peer", "name", "far1")
    shutil.rmtree(serving.pins)
    done = serving.run("interface attach eth1", status=None)
    assert done.returncode == 0 and host.program_on("eth1"), done.stderr
    assert (serving.pins / "links" / "eth0").exists() and (serving.pins / "links" / "eth1").exists()
    shutil.rmtree(serving.pins)
    for each in ("eth0", "eth1"):
        done = serving.run(["interface", "detach", each], status=None)
        assert done.returncode == 0 and not host.program_on(each), done.stderr
    shutil.rmtree(serving.pins)
    wait_until(serving.pins.exists)
    time.sleep(LATER)
    assert not host.program_on("eth0") and not host.program_on("eth1")


def test_what_was_let_go_of_by_hand_stays_so(serving):
    """A link that somebody detached is no pin that somebody removed."""
    link = attachment(serving)["link_id"]
    run("bpftool", "link", "detach", "id", str(link))
    at = wait_until(lambda: (at := attachment(serving))["problem"] and at)
    time.sleep(LATER)
    assert at["state"] == "detached" and not serving.host.program_on("eth0")
    done = serving.run("interface attach eth0", status=None)
    assert done.returncode == 0 and serving.host.program_on("eth0"), done.stderr


def test_an_interface_that_is_gone_leaves_no_pin(serving):
    serving.host.run("ip", "link", "del", "eth0")
    wait_until(lambda: attachment(serving)["problem"])
    time.sleep(LATER)
    assert not list((serving.pins / "links").iterdir())


def test_pins_that_the_daemon_may_not_make_are_a_problem_with_a_command(own, bpffs):  # noqa: F811
    daemon = own(WANTED)
    daemon.start()
    serve(daemon)
    before = attachment(daemon)
    run(*bpffs, "chown", "root:root", "/sys/fs/bpf", "/sys/fs/bpf/holdfast")
    run(*bpffs, "chmod", "0711", "/sys/fs/bpf", "/sys/fs/bpf/holdfast")
    run(*bpffs, "rm", "-r", daemon.pins)
    (problem,) = wait_until(lambda: daemon.get("/v1/status")["problems"])
    assert daemon.run("status --check", status=None).returncode == 1
    assert daemon.host.program_on("eth0") == before["program_id"]
    daemon.operate("backend.add", pool="db", name="db4", address="10.9.0.14")
    command = re.search(r"as root: (.*)", problem)[1]
    run(*bpffs, "sh", "-c", command)
    wait_until(lambda: not daemon.get("/v1/status")["problems"])
    assert attachment(daemon) == before
    run(*bpffs, "rm", "-r", daemon.pins)
    daemon.operate("interface.detach", name="eth0")
    assert not daemon.host.program_on("eth0") and not daemon.get("/v1/interfaces")["interfaces"]

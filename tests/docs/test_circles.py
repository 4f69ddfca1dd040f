# SPDX-License-Identifier: Apache-2.0
"""`scripts/lint circles` finds circles of files, and arrows that the layout of user/ does not have; `doubles` finds names."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]


class House:
    """A small tree of source files beside the project's own scripts."""

    def __init__(self, top):
        self.top = top
        shutil.copytree(TOP / "scripts", top / "scripts")

    def add(self, name, function, *called, build=True):
        """A file with one function that calls others. Its object is made as `make` makes it."""
        source = self.top / "user" / f"{name}.c"
        source.parent.mkdir(parents=True, exist_ok=True)
        source.write_text("".join(f"void {other}(void);\n" for other in called)
                          + f"void {function}(void)\n{{\n" + "".join(f"\t{other}();\n" for other in called) + "}\n")
        target = self.top / "build/obj/user" / f"{name}.o"
        target.parent.mkdir(parents=True, exist_ok=True)
        if build:
            subprocess.run(["gcc", "-c", source, "-o", target], check=True, timeout=60)

    def header(self, name, function):
        """A header with one function."""
        (self.top / name).parent.mkdir(parents=True, exist_ok=True)
        (self.top / name).write_text(f"static inline void {function}(void)\n{{\n}}\n")

    def lint(self, check):
        return subprocess.run([self.top / "scripts/lint", check], capture_output=True, text=True, timeout=60)


@pytest.fixture
def house(tmp_path):
    return House(tmp_path)


def test_arrows_of_the_layout_pass(house):
    house.add("core/value/address", "address_text")
    house.add("core/model/model", "model_find", "address_text")
    house.add("kern/base/netlink", "netlink_ask", "address_text")
    house.add("cli/pool", "pool_print", "model_find", "netlink_ask")
    done = house.lint("circles")
    assert (done.returncode, done.stdout) == (0, "ok 1 - circles\n")


def test_a_circle_is_found(house):
    house.add("core/value/address", "address_text", "near")
    house.add("core/value/nearest", "near", "address_text")
    house.add("core/value/refusal", "refuse", "near")
    done = house.lint("circles")
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        "a circle of 2 files:",
        "  user/core/value/address.c -> user/core/value/nearest.c (near)",
        "  user/core/value/nearest.c -> user/core/value/address.c (address_text)",
        "not ok 1 - circles"]


@pytest.mark.parametrize("user, used", [
    ("core/value/address", "core/model/model"),
    ("core/model/model", "kern/base/netlink"),
    ("kern/maps/read", "kern/program/attach"),
    ("daemon/store/store", "daemon/api/server"),
    ("daemon/api/server", "cli/frame/call"),
    ("cli/frame/call", "cli/pool"),
    ("study/compare", "kern/base/netlink"),
])
def test_an_arrow_that_the_layout_does_not_have_is_found(house, user, used):
    house.add(used, "used")
    house.add(user, "uses", "used")
    done = house.lint("circles")
    assert done.returncode == 1
    assert done.stdout.splitlines()[0] == f"an arrow that the layout does not have: user/{user}.c -> user/{used}.c (used)"


def test_a_folder_that_nobody_planned_is_found(house):
    house.add("core/attic/box", "box_open")
    done = house.lint("circles")
    assert done.returncode == 1
    assert done.stdout.splitlines()[0] == "user/core/attic is in no line of the layout in scripts/circles"


def test_what_was_not_built_is_not_judged(house):
    house.add("core/value/address", "address_text", build=False)
    assert "not built since it changed" in house.lint("circles").stdout
    house.add("core/value/address", "address_text")
    assert house.lint("circles").returncode == 0
    later = (house.top / "build/obj/user/core/value/address.o").stat().st_mtime + 10
    os.utime(house.top / "user/core/value/address.c", (later, later))
    assert "not built since it changed" in house.lint("circles").stdout


def test_a_name_that_stands_twice_is_found(house):
    house.add("core/value/address", "text")
    house.add("kern/base/netlink", "text")
    house.add("kern/maps/address", "other")
    house.header("bpf/mac.bpf.h", "other")
    assert house.lint("doubles").stdout.splitlines() == [
        "user/kern/base/netlink.c: text() stands in user/core/value/address.c too: a name of its own",
        "user/kern/maps/address.c: other() stands in bpf/mac.bpf.h too: a name of its own",
        "user/kern/maps/address.c: user/core/value/address.c has this name too",
        "not ok 1 - doubles"]

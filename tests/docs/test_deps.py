# SPDX-License-Identifier: Apache-2.0
"""scripts/deps: what `make demo` needs is what `deps demo` installs, and no server starts because its package came."""

import ast
import functools
import os
import re
import shutil
import signal
import subprocess

import pytest

from harness import BUILD, TOP
from harness.process import run
from harness.wait import wait_until

DEPS = TOP / "scripts" / "deps"
SEARCHED = "/usr/bin:/usr/sbin:/bin:/sbin"
STARTERS = ("run", "spawn", "inside", "Popen")  # the functions of the harness whose arguments are a command

pytestmark = pytest.mark.skipif(not shutil.which("dpkg-query"), reason="no dpkg here")


def listed(what):
    return run(DEPS, "list", what).stdout.split()


# What the demo needs ------------------------------------------------------------------------------------------------


@functools.cache
def installed():
    """package -> (the packages that it depends on, whether every Debian has it)"""
    shown = run("dpkg-query", "-W", "-f", "${Package}\t${Pre-Depends}, ${Depends}\t${Essential}${Priority}\t${Provides}\n").stdout
    packages, provided = {}, {}
    for line in shown.splitlines():
        name, depends, kind, provides = line.split("\t")
        packages[name] = (set(re.findall(r"[a-z0-9][a-z0-9.+-]+(?=[\s,|:]|$)", re.sub(r"\([^)]*\)", "", depends))),
                          kind.startswith("yes") or "required" in kind)
        for virtual in re.findall(r"[a-z0-9][a-z0-9.+-]+", re.sub(r"\([^)]*\)", "", provides)):
            provided.setdefault(virtual, set()).add(name)
    return {name: ({real for one in depends for real in ({one} if one in packages else provided.get(one, ()))}, always)
            for name, (depends, always) in packages.items()}


def brought_by(packages):
    """These packages, all that they depend on, and what every Debian has."""
    there, wanted = installed(), set(packages) | {name for name, (_, always) in installed().items() if always}
    found = set()
    while wanted:
        name = wanted.pop()
        if name in there and name not in found:
            found.add(name)
            wanted |= there[name][0]
    return found


def owners(files):
    """file -> the package that it is of."""
    names = {}
    for path in files:
        for name in (os.path.normpath(path), os.path.realpath(path)):  # what /usr/sbin is, some packages call /sbin
            for variant in (name, name.removeprefix("/usr")):
                names.setdefault(path, []).append(variant)
    shown = run("dpkg-query", "-S", *{name for variants in names.values() for name in variants}, check=False).stdout
    found = {line.partition(": ")[2]: line.split(":")[0] for line in shown.splitlines()}
    nobodys = [path for path, variants in names.items() if not any(name in found for name in variants)]
    assert not nobodys, f"no package has {nobodys}"
    return {path: next(found[name] for name in variants if name in found) for path, variants in names.items()}


def commands_of_python(path):
    """Commands that a program starts, as the first word of a call that starts one, or of a list."""
    for node in ast.walk(ast.parse(path.read_text())):
        words = []
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            words = node.args[name == "spawn":] if name in STARTERS else []
        elif isinstance(node, ast.List):
            words = node.elts
        if words and isinstance(words[0], ast.Constant) and isinstance(words[0].value, str):
            yield words[0].value


def commands():
    """Of the demo, and of make on the way to it."""
    made = run("make", "-C", TOP, "-n", "-B", "--no-print-directory", "all", "build/lab/pass.bpf.o").stdout
    words = set(re.findall(r"(?:^|&& |\|\| |; )([\w./-]+)", made, re.M)) | {"make", "python3"}
    for path in [TOP / "scripts" / "demo", *(TOP / "tests" / "harness").glob("*.py")]:
        words |= set(commands_of_python(path))
    return {found for word in words if not re.match(r"\.|\w+/", word) and (found := shutil.which(word, path=SEARCHED))}


def headers():
    sources = [*TOP.glob("bpf/*"), *TOP.glob("include/**/*.h"), *TOP.glob("user/**/*.[ch]"), *TOP.glob("tests/lab/*.c")]
    named = {name for path in sources for name in re.findall(r"^#include <([^>]+)>", path.read_text(), re.M)}
    machine = os.uname().machine
    folders = [f"/usr/include/{machine}-linux-gnu", "/usr/include", run("gcc", "-print-file-name=include").stdout.strip()]
    ours = [*TOP.glob("include/**/*.h"), *BUILD.glob("include/*.h")]  # those made by make, too
    for name in named - {str(path).rpartition("/include/")[2] for path in ours}:
        found = [f"{folder}/{name}" for folder in folders if os.path.exists(f"{folder}/{name}")]
        assert found, f"<{name}> is nowhere"
        yield found[0]


def libraries():
    for name in re.findall(r"-l(\w+)", " ".join(re.findall(r"^\w+_LIBS := (.*)", (TOP / "Makefile").read_text(), re.M))):
        yield run("gcc", f"-print-file-name=lib{name}.so").stdout.strip()


@functools.cache
def needed():
    """file -> its package, of all that the demo is made of and made by."""
    files = {*commands(), *headers(), *libraries()}
    assert {"nsenter", "ip", "ethtool", "sysctl", "nginx", "curl", "clang", "bpftool", "gcc"} <= set(map(os.path.basename, files))
    return owners(files)


def test_what_the_demo_needs_is_installed_for_it():
    brought = brought_by(listed("demo"))
    assert not {path: package for path, package in needed().items() if package not in brought}


def test_nothing_is_installed_that_the_demo_does_not_need():
    used = set(needed().values())
    assert not [package for package in listed("demo") if not ({package} | installed()[package][0]) & used]


def test_each_list_holds_the_one_before():
    build, demo, test = (listed(what) for what in ("build", "demo", "test"))
    assert set(build) < set(demo) < set(test)
    assert "@scripts/deps demo" in re.search(r"^demo:\n((?:\t.*\n)*)", (TOP / "Makefile").read_text(), re.M)[1]


# What no package starts ---------------------------------------------------------------------------------------------

FAKES = {
    "dpkg-query": 'echo "un "',
    "id": "echo 0",
    "update-rc.d": 'echo "$@" >>"$DIR/disabled"',
    "flock": ":",
    "apt-get": """
        case "$*" in *install*) ;; *) exit 0 ;; esac
        cp "$POLICY" "$DIR/policy" && echo "$@" >>"$DIR/installed"
        sh "$POLICY"; [ $? = 101 ] || exit 1
        while [ -e "$DIR/hold" ]; do sleep 0.05; done
        [ ! -e "$DIR/fail" ]""",
}


class Machine:
    """One on which nothing is installed, nor can be: dpkg and apt-get are ours."""

    def __init__(self, directory):
        self.directory, self.policy = directory, directory / "policy-rc.d"
        for name, text in FAKES.items():
            path = directory / name
            path.write_text(f"#!/bin/sh\n{text}\n")
            path.chmod(0o755)
        self.environment = {**os.environ, "PATH": f"{directory}:{SEARCHED}", "DIR": str(directory), "POLICY": str(self.policy)}

    def install(self, what="test"):
        return subprocess.run([DEPS, what], env=self.environment, capture_output=True, text=True, timeout=60)

    def begin(self):
        """An installation that goes on until it is ended, or `hold` is removed."""
        (self.directory / "hold").touch()
        process = subprocess.Popen([DEPS, "demo"], env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   start_new_session=True)
        wait_until((self.directory / "installed").exists, what="packages are being installed")
        return process


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


def test_no_server_starts_while_packages_are_installed(machine):
    done = machine.install()
    assert done.returncode == 0, done.stderr
    assert "exit 101" in (machine.directory / "policy").read_text() and not machine.policy.exists()
    assert (machine.directory / "disabled").read_text().splitlines() == ["nginx disable", "redis-server disable"]
    words = (machine.directory / "installed").read_text().split()
    assert words[-len(listed("test")):] == listed("test") and "--no-install-recommends" in words


@pytest.mark.parametrize("own", [None, "#!/bin/sh\nexit 104\n"], ids=["none", "the machine's own"])
@pytest.mark.parametrize("how", ["done", "failed", signal.SIGTERM, signal.SIGINT, signal.SIGHUP], ids=str)
def test_the_policy_is_afterwards_what_it_was(machine, how, own):
    if own:
        machine.policy.write_text(own)
    if isinstance(how, str):
        if how == "failed":
            (machine.directory / "fail").touch()
        assert (machine.install("demo").returncode == 0) == (how == "done")
    else:
        process = machine.begin()
        assert "exit 101" in machine.policy.read_text()
        os.killpg(process.pid, how)
        assert process.wait(20) != 0
    assert (machine.policy.read_text() if machine.policy.exists() else None) == own
    assert not machine.policy.with_name("policy-rc.d.holdfast").exists()


@pytest.mark.parametrize("own", [None, "#!/bin/sh\nexit 104\n"], ids=["none", "the machine's own"])
def test_what_a_killed_run_left_goes_with_the_next(machine, own):
    if own:
        machine.policy.write_text(own)
    process = machine.begin()
    os.killpg(process.pid, signal.SIGKILL)
    process.wait(20)
    assert "exit 101" in machine.policy.read_text()
    (machine.directory / "hold").unlink()
    assert machine.install("demo").returncode == 0
    assert (machine.policy.read_text() if machine.policy.exists() else None) == own


def test_where_nothing_is_missing_nothing_is_asked_of_anybody(machine):
    (machine.directory / "dpkg-query").write_text('#!/bin/sh\necho "ii "\n')
    done = machine.install()
    assert done.stdout == "deps: all packages are there\n" and not (machine.directory / "installed").exists()


def test_who_is_not_root_is_told_what_to_type(machine):
    (machine.directory / "id").write_text("#!/bin/sh\necho 1000\n")
    done = machine.install("demo")
    assert done.returncode == 1 and "sudo scripts/deps demo" in done.stderr and "missing build-essential" in done.stdout
    assert not machine.policy.exists()

# SPDX-License-Identifier: Apache-2.0
"""The daemon as its own user, with the capabilities that its unit lists: all of them needed, no more than them."""

import re
import shutil
import subprocess

import pytest

from harness import BUILD, TOP
from harness.process import run
from harness.wait import wait_until


UNITS = TOP / "scripts" / "systemd"
USER = 12345
WANTED = re.search(r"^AmbientCapabilities=(.*)$", (UNITS / "holdfastd.service").read_text(), re.M)[1].split()

OPEN = 'mount --bind "$1" /mnt && mount -t tmpfs -o mode=0755 tmpfs "$2" && mkdir -p "$1" && mount --move /mnt "$1"'


@pytest.fixture
def bpffs():
    """A mount namespace with a bpffs of its own, as the unit's ExecStartPre leaves it."""
    holder = subprocess.Popen(["unshare", "--mount", "sh", "-c", "mount -t bpf -o mode=1777 bpf /sys/fs/bpf && echo && "
                               "exec sleep 600"], stdout=subprocess.PIPE)
    try:
        holder.stdout.readline()
        yield ["nsenter", f"--mount=/proc/{holder.pid}/ns/mnt"]
    finally:
        holder.kill()
        holder.wait()


@pytest.fixture
def own(idle, bpffs):
    def become(capabilities):
        # pytest closes the directory that all runs share to other users, at the start of each run. In the daemon's mount namespace an
        # open one lies over it, and the program is copied to where its user may read it.
        run(*bpffs, "sh", "-c", OPEN, "sh", idle.directory, idle.directory.parents[-3])
        idle.directory.chmod(0o755)
        shutil.chown(idle.directory, USER, USER)
        for program in ("holdfastd", "holdfast"):
            if not (idle.directory / program).exists():
                shutil.copy(BUILD / program, idle.directory)
        idle.build = idle.directory
        caps = "".join(f",+{c.removeprefix('CAP_').lower()}" for c in capabilities)
        idle.under = (*bpffs, "setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups",
                        f"--inh-caps=-all{caps}", f"--ambient-caps=-all{caps}", f"--bounding-set=-all{caps}")
        return idle
    return become


def serve(daemon):
    daemon.operate("pool.add", name="db")
    daemon.operate("backend.add", pool="db", name="db1", address="10.9.0.11")
    daemon.operate("service.add", proto="tcp", listen="203.0.113.10:5432", pool="db")
    daemon.operate("interface.attach", name="eth0")


def test_the_listed_capabilities_are_enough(own):
    daemon = own(WANTED)
    daemon.start()
    serve(daemon)
    effective = int(re.search(r"^CapEff:\s*(\w+)", open(f"/proc/{daemon.process.pid}/status").read(), re.M)[1], 16)
    assert bin(effective).count("1") == len(WANTED)
    wait_until(lambda: daemon.get("/v1/backends/db/db1")["next_hop"]["resolved"])
    assert daemon.get("/v1/why?proto=tcp&src=198.51.100.7:40000&dst=203.0.113.10:5432")["verdict"] == "forward"
    before = daemon.get("/v1/interfaces")
    assert before["interfaces"][0]["program"]
    for i in range(2, 6):
        daemon.operate("backend.add", pool="db", name=f"db{i}", address=f"10.9.0.1{i}")
    daemon.kill()
    daemon.log.write_text("")
    daemon.start()
    assert daemon.get("/v1/interfaces") == before
    assert "adopted" in daemon.log.read_text()
    daemon.operate("interface.detach", name="eth0")


@pytest.mark.parametrize("without", WANTED)
def test_each_of_them_is_needed(own, without):
    daemon = own([c for c in WANTED if c != without])
    assert daemon.refused()


def test_units_install_and_are_sound(tmp_path):
    subprocess.run(["make", "-s", "install", f"DESTDIR={tmp_path}"], cwd=TOP, check=True, capture_output=True)
    for path in ("usr/sbin/holdfast", "usr/sbin/holdfastd", "usr/share/man/man8/holdfastd.8", "etc/holdfast",
                 "usr/share/man/man5/holdfast.yaml.5", "usr/lib/sysusers.d/holdfast.conf",
                 "usr/share/bash-completion/completions/holdfast", "usr/bin/holdfast-placement",
                 "usr/share/man/man1/holdfast-placement.1", "usr/share/bash-completion/completions/holdfast-placement"):
        assert (tmp_path / path).exists(), path
    units = tmp_path / "usr" / "lib" / "systemd" / "system"
    text = (units / "holdfastd.service").read_text()
    assert "@" not in re.sub(r"^#.*$|@(system-service|privileged|resources)", "", text, flags=re.M)
    assert re.search(r"^CapabilityBoundingSet=" + " ".join(WANTED) + "$", text, re.M)
    assert "ExecStart=/usr/sbin/holdfastd --config /etc/holdfast/holdfast.yaml" in text
    if not shutil.which("systemd-analyze"):
        pytest.skip("no systemd-analyze: exposure not judged")
    for unit in ("holdfastd.service", "holdfast-receiver@.service"):
        said = run("systemd-analyze", "security", "--offline=true", "--no-pager", units / unit).stdout
        assert float(re.search(r"exposure level.*: ([\d.]+)", said)[1]) < 5, said[-200:]

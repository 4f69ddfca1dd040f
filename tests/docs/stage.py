# SPDX-License-Identifier: Apache-2.0
"""Hosts of a lab as a reader's hosts are: with a name, and with /etc/holdfast, /var/lib/holdfast, /run/holdfast and
a bpffs of their own, so that commands run as they are written, without an option that the reader would not give. What
they have in common is /mnt."""

import subprocess

from harness import BUILD, HarnessError
from harness.wait import wait_until


OWN = ("/etc/holdfast", "/var/lib/holdfast", "/run/holdfast")
PREPARE = """
hostname "$1"
mount -t sysfs sysfs /sys
mount -t bpf bpf /sys/fs/bpf
for directory in $2; do
	mkdir -p "$directory" && mount -t tmpfs tmpfs "$directory" && chmod 755 "$directory"
done
mount --bind "$3" /mnt
echo prepared
exec sleep infinity
"""


class Stage:
    """The hosts of one lab, each held by a process in namespaces of its own."""

    def __init__(self, lab):
        self.lab = lab
        self.holders = {}
        self.ran = 0

    def up(self):
        shared = self.lab.dir / "shared"
        shared.mkdir()
        for host in self.lab.hosts.values():
            holder = subprocess.Popen(host.inside("unshare", "--mount", "--uts", "--propagation", "private", "sh",
                                                   "-ec", PREPARE, "sh", host.name, " ".join(OWN), shared),
                                      stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
            self.holders[host.name] = holder
            if holder.stdout.readline() != "prepared\n":
                raise HarnessError(f"host {host.name} could not be prepared")
        return self

    def down(self):
        for holder in self.holders.values():
            holder.kill()
            holder.wait()
            holder.stdout.close()

    def enter(self, name):
        if name == "r":
            return self.lab.router.inside()
        return ["nsenter", "-t", str(self.holders[name].pid), "--mount", "--uts", "--net"]

    def run(self, name, text, seconds=60):
        """Runs text in a shell of that host. Returns (exit status, output); what goes on behind it may go on."""
        self.ran += 1
        said = self.lab.dir / f"said.{self.ran}"
        script = f"PATH={BUILD}:$PATH; export PATH\n{text}\n"
        with open(said, "wb") as out:
            done = subprocess.run([*self.enter(name), "bash", "-c", script], stdin=subprocess.DEVNULL, stdout=out,
                                  stderr=out, timeout=seconds, check=False)
        if text.startswith("holdfastd") and text.endswith("&"):
            self.wait_ready(name, said)
        return done.returncode, said.read_text(errors="replace")

    def wait_ready(self, name, said):
        """Waits for a daemon that was started behind; what it says goes to said."""
        try:
            wait_until(lambda: "\nready" in "\n" + said.read_text(errors="replace"), 20, f"{name} is ready")
        except HarnessError as error:
            raise HarnessError(f"{error}:\n{said.read_text(errors='replace')}") from None

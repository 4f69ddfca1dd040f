#!/usr/bin/python3 -B
# SPDX-License-Identifier: Apache-2.0
"""A backend is removed just after connections to it have opened, and just after the daemon has counted flows.

    test_drain_race.py [--rounds N] [--labs N]      the long form; ends with the line `rounds N, reset N`

The slots that lead to b2 are moving already: b2 owns them, and b1 is their base. What the daemon has counted before
the connections opened must not end b2's drain."""

import argparse
import json
import os
import queue
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from harness import HarnessError, servers  # noqa: E402
from harness.lab import Lab, remove_orphans, serve_pool  # noqa: E402
from harness.wait import wait_until  # noqa: E402

PREFIX = "hfrace"
VIP = "203.0.113.10"
SHORT_ROUNDS = 3
ON_B2, ON_B1 = 4, 2  # downloads a round
FIRST_PORT, LAST_PORT = 20000, 60000
AFTER = 0.6  # seconds in which a client notices a reset, or nothing
DECIDED_SECONDS = 60


class Downloads:
    """downloader.py in the client's namespace."""

    def __init__(self, host):
        command = ["/usr/bin/python3", "-B", HERE / "downloader.py", VIP, 80, "/slow"]
        self.process = subprocess.Popen(host.inside(*command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, word, value=None):
        self.process.stdin.write(json.dumps({word: value}) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise HarnessError("the downloads' program ended")
        return json.loads(line)

    def end(self):
        self.process.communicate(timeout=20)


class Race:
    """One lab of two backends, and rounds in it."""

    def __init__(self, number):
        self.lab = Lab(f"{PREFIX}{os.getpid()}n{number}", clients=1, balancers=1, backends=2)
        self.rounds, self.reset = 0, 0
        self.port = FIRST_PORT

    def up(self):
        self.lab.up()
        for backend in self.lab.backends:
            servers.start_nginx(backend, (80,))
            backend.attach_receiver()
        self.daemon = self.lab.lb1.daemon().start()
        serve_pool(self.daemon, self.lab.backends)
        self.downloads = Downloads(self.lab.c1)
        wait_until(lambda: self.lab.c1.run("curl", "-s", "-m", "1", f"http://{VIP}/", check=False).stdout, 20,
                        "the VIP answers")
        self.api = self.daemon.api()

    def down(self):
        self.lab.down()

    def begin_moving(self):
        """b2 comes back at once after it was removed at once: its slots move, from b1."""
        self.daemon.run("backend remove db/b2 --now --force", status=None)
        self.daemon.run(f"backend add db/b2 {self.lab.b2.address}")
        ranges = self.api.get("/v1/pools/db/slots")["ranges"]
        assert any(r["owner"] == "b2" and r["moving"] and r["base"] == "b1" for r in ranges)
        self.owners = {slot: r["owner"] for r in ranges for slot in range(r["first"], r["last"] + 1)}

    def next_ports(self):
        """Ports that no round had before, of flows to both backends."""
        found = {"b1": [], "b2": []}
        while len(found["b1"]) < ON_B1 or len(found["b2"]) < ON_B2:
            self.port = self.port + 1 if self.port < LAST_PORT else FIRST_PORT
            asked = f"/v1/why?proto=tcp&src={self.lab.c1.address}:{self.port}&dst={VIP}:80"
            found[self.owners[self.api.get(asked)["slot"]]].append(self.port)
        return found["b2"][:ON_B2] + found["b1"][:ON_B1]

    def b2(self):
        """b2 as the daemon shows it, None if it has left."""
        self.api.request("GET", "/v1/backends/db/b2")
        answer = self.api.getresponse()
        text = answer.read()
        return json.loads(text) if answer.status == 200 else None

    def has_decided(self):
        """b2 has left, or flows were counted that a removal must wait for."""
        shown = self.b2()
        return not shown or (shown["remembered"] - shown["closing"] >= ON_B2 and shown.get("counted", 0) is not None)

    def round(self):
        self.begin_moving()
        ports = self.next_ports()
        time.sleep(1.1)  # a count that is younger would not be made again
        self.b2()
        opened = self.downloads.ask("open", ports)
        self.daemon.run("backend remove db/b2")
        on_b2 = [port for port, download in opened.items() if download["backend"] == "b2"]
        assert len(on_b2) == ON_B2 and not any(download["error"] for download in opened.values()), opened
        wait_until(self.has_decided, DECIDED_SECONDS, "b2's flows are counted")
        time.sleep(AFTER)
        ended = self.downloads.ask("close")
        self.rounds += 1
        self.reset += sum(download["error"] is not None for download in ended.values())


def run_races(rounds, at_once=1, say=None):
    """So many rounds in so many labs at once. Returns how many rounds there were, and how many downloads broke."""
    remove_orphans(PREFIX)
    todo, failures = queue.SimpleQueue(), []
    races = [Race(number + 1) for number in range(at_once)]
    for number in range(rounds):
        todo.put(number)

    def work(race):
        try:
            race.up()
            while not failures:
                number = todo.get_nowait()
                race.round()
                if say:
                    say(f"round {number + 1}: {sum(r.reset for r in races)} reset so far")
        except queue.Empty:
            pass
        except BaseException as error:  # told by the thread that waits for this one
            failures.append(error)
        finally:
            race.down()

    threads = [threading.Thread(target=work, args=(race,)) for race in races]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
    return sum(race.rounds for race in races), sum(race.reset for race in races)


@pytest.fixture
def capable():
    if os.geteuid():
        pytest.skip("the lab needs root")
    for program in ("ip", "nsenter", "ethtool", "nginx", "curl"):
        if not shutil.which(program):
            pytest.skip(f"the lab needs {program} (make deps)")


def test_removal_just_after_opening_resets_nobody(capable):
    assert run_races(SHORT_ROUNDS) == (SHORT_ROUNDS, 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--labs", type=int, default=1, help="so many labs at once")
    args = parser.parse_args()
    if os.geteuid():
        sys.exit("test_drain_race: this needs root (network namespaces, BPF): run it again with sudo")
    rounds, reset = run_races(args.rounds, args.labs, lambda text: print(text, file=sys.stderr, flush=True))
    print(f"rounds {rounds}, reset {reset}")
    return 1 if reset else 0


if __name__ == "__main__":
    sys.exit(main())

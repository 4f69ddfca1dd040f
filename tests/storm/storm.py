#!/usr/bin/python3 -B
# SPDX-License-Identifier: Apache-2.0
"""The storm: thousands of live connections, every change there is, and who broke although its backend lived.

    storm.py [--form never|slots|receivers] [--connections N] [--backends N] [--udp N] [--downloads N]    one storm
    storm.py --trial WORD                                              the trials of trials.py whose names have it
    storm.py --long                                                                     all of them (make storm)

Forms: `receivers` is Holdfast as it is meant, `slots` does without the receivers' next hop, and `never` without
remembered flows too, to prove that connections can break here. Prints a table a storm, explains what broke, writes
build/storm.json. Exit status 1 if a connection broke that must not, or a change is not available in this build."""

import argparse
import collections
import functools
import json
import os
import signal
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from harness import BUILD, HarnessError  # noqa: E402
from harness.flock import FlockError  # noqa: E402
import hops  # noqa: E402
from changes import CHANGES  # noqa: E402
from field import FORMS, LIMIT, Field, Refused, Unavailable  # noqa: E402
from trials import TRIALS  # noqa: E402

REPORT = BUILD / "storm.json"
TOLD, EXPLAINED = 5, 40  # broken connections a row that are printed, and asked about: build/storm.json has them all
CHURN = 20  # connections that begin and end each second, all the time
BROKEN = ("reset", "timeout", "eof", "wrong-answer")
COLUMNS = "{:36} {:>11} {:>7} {:>6} {:>6} {:>9} {:>8}  {}"


class Row:
    def __init__(self, storm, change):
        self.storm, self.change = storm, change
        self.note, self.error = "", ""
        self.available = True
        self.connections, self.udp = 0, 0
        self.events, self.downloads = [], []
        self.longest = 0.0

    def count(self, kinds, whats):
        return sum(e["kind"] in kinds and e["what"] in whats and not self.excused(e) for e in self.events)

    def excused(self, event):
        """The oracle: its backend is really dead."""
        return event["server"] in self.storm.field.dead

    @property
    def broken(self):
        return self.count(("tcp", "idle"), BROKEN)

    @property
    def moved(self):
        return self.count(("udp",), (*BROKEN, "moved"))

    @property
    def unopened(self):
        return self.count(("tcp", "idle", "udp"), ("unopened",))

    def verdict(self):
        """What must not be, or nothing."""
        form = self.storm.field.form
        if not self.available:
            return "not available"
        if self.error:
            return "failed"
        if not form.stands(self.change.needs_receivers):
            return ""
        if self.broken or self.downloads:
            return "BROKEN"
        if self.moved and not self.change.udp_moves:
            return "UDP MOVED"
        return ""

    def line(self):
        if not self.available:
            return COLUMNS.format(self.change.name, self.connections, "-", "-", "-", "-", "-",
                                  "not available: " + self.note)
        return COLUMNS.format(self.change.name, self.connections, self.broken, self.moved, len(self.downloads),
                              self.unopened, f"{self.longest:.1f} s",
                              " ".join(filter(None, (self.verdict(), self.error or self.note))))

    def value(self):
        return {"scenario": self.change.name, "connections": self.connections, "broken": self.broken,
                "udp_flows": self.udp, "udp_moved": self.moved, "downloads_failed": self.downloads,
                "unopened": self.unopened, "longest_silence": self.longest, "available": self.available,
                "verdict": self.verdict(), "note": self.error or self.note, "events": self.events}


class Storm:
    def __init__(self, field, connections, idle=50, udp=500, say=print):
        self.field, self.say = field, say
        self.wanted = {"tcp": connections - idle, "idle": idle, "udp": udp}
        self.rows, self.digests = [], []

    def fill(self):
        for kind, count in self.wanted.items():
            self.field.population(kind, count)

    def run(self, changes):
        self.say(COLUMNS.format("SCENARIO", "CONNECTIONS", "BROKEN", "MOVED", "LOADS", "UNOPENED", "SILENCE", ""))
        self.fill()
        self.field.downloads.start()
        self.field.client.ask(f"churn {CHURN}")
        for change in changes:
            self.row(change)
        self.field.client.ask("churn 0")
        self.finish_downloads()
        self.digests = self.field.digests()
        self.say(f"digests: {' '.join(map(str, self.digests))}")

    def row(self, change):
        row = Row(self, change)
        self.rows.append(row)
        self.fill()
        row.connections, row.udp = self.field.live("tcp") + self.field.live("idle"), self.field.live("udp")
        before = len(self.field.client.events)
        self.field.client.take_silence()
        try:
            change.act(self.field)
        except Unavailable as error:
            row.available, row.note = False, str(error)
        except (Refused, HarnessError) as error:
            row.error = str(error)
        if row.available:
            self.watch(change.lasts, row)
        row.longest = self.field.client.take_silence()
        if row.available and self.field.form.receivers:
            self.look_at_hops(row)
        row.events = self.field.client.events[before:]
        row.downloads = self.field.downloads.collect()
        self.field.downloads.start()
        self.say(row.line())
        self.explain(row)

    def watch(self, seconds, row):
        """Every flow speaks at least twice, and whoever is silent speaks again or is given up."""
        client = self.field.client
        client.ask("check")
        time.sleep(seconds)
        client.ask("check")
        self.field.downloads.go_on(LIMIT)
        try:
            client.wait_for(lambda r: not any(r[kind]["stalled"] for kind in ("tcp", "idle")), LIMIT + 5,
                            "nobody is silent", 0.3)
        except FlockError as error:
            row.error = str(error)

    def look_at_hops(self, row):
        """No flow needs them until a balancer is lost, when it is too late to notice."""
        for daemon in self.field.daemons:
            found = hops.astray(daemon)
            if found and not row.error:
                row.error = (f"hops astray on {daemon.host.name}: {len(found)} of {hops.SAMPLES} slots,"
                             f" as slot {found[0][0]} of backend {found[0][1]}: {list(found[0][2])}")

    def explain(self, row):
        if not self.field.form.track:
            return
        told = [e for e in row.events if e["what"] != "moved" or not row.change.udp_moves]
        for number, event in enumerate(told[:EXPLAINED]):
            event["why"] = self.field.why(event)
            if number < TOLD:
                self.say(f"    {event['kind']} {event['from']} on {event['server'] or '?'}: {event['what']} "
                         f"{event['other']} at message {event['number']}; {event['why']}")
        if len(told) > TOLD:
            counts = collections.Counter(e["server"] or "?" for e in told).most_common()
            self.say("    all: " + ", ".join(f"{count} on {server}" for server, count in counts))
        for failed in row.downloads:
            self.say(f"    download from {failed['server']}: {failed['what']} (curl's status {failed['status']})")

    def finish_downloads(self):
        downloads = self.field.downloads
        before = len(downloads.failed)
        downloads.finish()
        downloads.collect()
        failed = downloads.failed[before:]
        self.rows[-1].downloads += failed
        self.say(f"downloads: {downloads.done} finished with the right checksum"
                 f" but for {len(downloads.failed)}, {len(failed)} of them after the last change")

    def value(self):
        return {"form": self.field.form.name, "connections": self.wanted["tcp"] + self.wanted["idle"],
                "backends": len(self.field.first), "udp_flows": self.wanted["udp"],
                "broken": sum(row.broken for row in self.rows), "udp_moved": sum(row.moved for row in self.rows),
                "downloads": self.field.downloads.done, "downloads_failed": len(self.field.downloads.failed),
                "rows": [row.value() for row in self.rows], "failures": self.failures()}

    def failures(self):
        found = [f"{row.change.name}: {row.verdict()}" for row in self.rows if row.verdict()]
        if self.digests[0] != self.digests[1]:
            found.append("the balancers do not agree on table and history")
        if not self.field.form.track and not sum(row.broken for row in self.rows):
            found.append("nothing broke without remembered flows: this storm cannot fail, and proves nothing")
        return found


def run_storm(form, connections, backends, udp, downloads, say=print, only=(), without=(), six=False):
    """One storm in a lab of its own, of all changes or only those. Returns what build/storm.json holds of it."""
    say(f"\n== {connections} connections, {backends} backends, {udp} UDP flows, form `{form}`")
    started = time.monotonic()
    field = Field(FORMS[form], backends=backends, downloads=downloads, six=six)
    try:
        field.up()
    except Unavailable as error:
        say(f"not available: {error}")
        return {"form": form, "connections": connections, "rows": [], "broken": None, "failures": [f"not available: {error}"]}
    try:
        storm = Storm(field, connections, idle=connections // 20, udp=udp, say=say)
        storm.run([change for change in CHANGES
                   if (not only or change.name in only) and change.name not in without])
        value = storm.value()
    finally:
        field.down()
    value["seconds"] = round(time.monotonic() - started, 1)
    say(f"{value['broken']} broken connections whose backend lives; {value['udp_moved']} UDP flows moved;"
        f" {value['seconds']:.0f} s")
    return value


def summarize(storms, say=print):
    """One column a storm: the broken connections of each change."""
    names = [f"{storm['form']} {storm['connections']}" for storm in storms]
    say(f"\n{'BROKEN CONNECTIONS WHOSE BACKEND LIVES':40}" + "".join(f"{name:>17}" for name in names))
    for change in CHANGES:
        cells = []
        for storm in storms:
            row = next((row for row in storm["rows"] if row["scenario"] == change.name), None)
            cells.append("-" if row is None or not row["available"] else f"{row['broken']}/{row['connections']}")
        say(f"{change.name:40}" + "".join(f"{cell:>17}" for cell in cells))


def run_trials(names, form="receivers", say=print):
    """The trials whose names contain one of names."""
    say("\n== trials")
    values = []
    for trial in TRIALS:
        if any(name in trial.name for name in names):
            values.append(trial.attempt(FORMS[form]))
            say(f"{trial.name:48} {values[-1]['seconds']:4.0f} s  {values[-1]['verdict'] or 'ok':13} {values[-1]['figures']}")
    return values


def write_report(storms, trials=(), path=REPORT):
    path.parent.mkdir(parents=True, exist_ok=True)
    new = Path(f"{path}.{os.getpid()}")
    new.write_text(json.dumps({"storms": storms, "trials": list(trials)}, indent=1) + "\n")
    new.replace(path)


LONG = (dict(form="never", connections=1000, backends=8, udp=500, downloads=4),
        dict(form="slots", connections=1000, backends=8, udp=500, downloads=4),
        dict(form="receivers", connections=1000, backends=8, udp=500, downloads=4, six=True),
        dict(form="receivers", connections=10000, backends=24, udp=500, downloads=8))


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--form", choices=FORMS, default="receivers")
    parser.add_argument("--connections", type=int, default=1000)
    parser.add_argument("--backends", type=int, default=8)
    parser.add_argument("--udp", type=int, default=500)
    parser.add_argument("--downloads", type=int, default=4)
    parser.add_argument("--six", action="store_true", help="half of the flows over IPv6")
    parser.add_argument("--without", action="append", default=[], metavar="SCENARIO",
                        choices=[change.name for change in CHANGES], help="leave this change out")
    parser.add_argument("--trial", metavar="WORD")
    parser.add_argument("--long", action="store_true")
    args = parser.parse_args()
    if args.backends < 8:
        parser.error("--backends: the changes need 8 at least")
    return args


def main():
    args = vars(parse())
    if os.geteuid():
        sys.exit("storm: this needs root (network namespaces, BPF): run it again with sudo")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("storm: ended"))
    long, trial = args.pop("long"), args.pop("trial")
    say = functools.partial(print, flush=True)
    storms, trials = [], []
    for shape in LONG if long else [args] if trial is None else []:
        storms.append(run_storm(**shape, say=say))
        write_report(storms)
    if long:
        summarize(storms, say)
    if long or trial is not None:
        trials = run_trials([trial or ""], args["form"], say)
    write_report(storms, trials)
    failures = [f"{storm['form']}, {storm['connections']}: {failure}" for storm in storms for failure in storm["failures"]]
    failures += [f"{value['trial']}: {value['verdict']}" for value in trials if value["verdict"]]
    say("\n" + ("\n".join(failures) if failures else "every connection stayed put that could"))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

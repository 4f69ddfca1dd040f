# SPDX-License-Identifier: Apache-2.0
"""Single promises, each tried on a small field of its own: drains, deadlines, dead hosts, floods, settling.

A trial is a function of a field that returns what it measured, in words, and raises Broken with what should not be."""

import re
import subprocess
import time

from harness import HarnessError
from harness.flock import FlockError, PROGRAMS
from harness.segment import SegmentLab
from harness.wait import wait_until
import full_table
import one_segment
import vanished
from broken import Broken, expect
from changes import GRACE
from field import FORMS, POOL, PORT, SERVICES, VIP, Field, Refused, Unavailable, change
from removals import remove_while_opening
from returns import leave_and_return

QUIET, RETURN_WITHIN = 2, 5  # seconds
FLOOD, FLOOD_CHUNK, FLOOD_RATE, FLOOD_TABLE = 10_000_000, 1_000_000, 200_000, 100_000
FLOOD_SECONDS = 900
SHORT_IDLE = 3
CUT = re.compile(r"(\d+) remembered flows?\b[^.\d]*\bcut")


def of_server(field, name, *whats, kind="tcp"):
    return [e for e in field.client.events if e["kind"] == kind and e["server"] == name and (not whats or e["what"] in whats)]


def others_unharmed(field, name):
    others = [e for e in field.client.events if e["kind"] != "udp" and e["server"] != name]
    expect(not others, f"{len(others)} connections of other backends broke: {others[:3]}")


def begin(daemon, words):
    """A verb that takes its time."""
    return subprocess.Popen(daemon.holdfast(words),
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)


def end(process, seconds):
    """Waits for it; returns its status and what it said."""
    try:
        said, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        said, _ = process.communicate()
        raise Broken(f"still waiting after {seconds} s: {said.strip()[-200:]}") from None
    if process.returncode == 2:
        raise Unavailable(said.strip())
    return process.returncode, said


def drain_waits(field):
    field.population("tcp", 1000 * len(field.first))
    name = field.first[0].name
    count = field.client.report()["tcp"]["servers"][name]["live"]
    words = f"backend drain {POOL}/{name}"
    change(field.daemons[1], words)
    waiting = begin(field.daemons[0], f"{words} --wait --quiet {QUIET}s --timeout 120s")
    time.sleep(QUIET + 2)
    live = field.client.report()["tcp"]["servers"][name]["live"]
    early = waiting.poll()
    if early is not None:
        status, said = end(waiting, 5)
        raise Broken(f"returned {status} while {live} connections lived: {said.strip()[-200:]}")
    field.client.close("tcp", count, name)
    field.client.wait_for(lambda r: r["tcp"]["servers"][name]["live"] == 0, 60, f"the connections of {name} end", 0.05)
    closed = time.monotonic()
    status, said = end(waiting, 60)
    took = time.monotonic() - closed
    expect(status == 0, f"returned {status}: {said.strip()[-200:]}")
    expect(not field.client.events, f"broken: {field.client.events[:3]}")
    expect(took <= RETURN_WITHIN, f"returned {took:.1f} s after the last of {count} had ended")
    return f"{count} connections; returned {took:.1f} s after the last had ended"


def deadline_cuts(field):
    field.population("tcp", 200 * len(field.first))
    name = field.first[0].name
    count = field.client.report()["tcp"]["servers"][name]["live"]
    words = f"backend drain {POOL}/{name} --deadline 5s --wait --timeout 60s"
    waiting = [begin(daemon, words) for daemon in field.daemons]
    time.sleep(3)
    field.client.report()
    expect(not field.client.events, f"{len(field.client.events)} broke before the deadline")
    said = [end(process, 60) for process in waiting]
    field.client.wait_for(lambda r: r["tcp"]["servers"][name]["live"] == 0, 30, "the deadline cuts")
    others_unharmed(field, name)
    cut = len(of_server(field, name, "reset"))
    expect(cut == count, f"{cut} of {count} were reset: {of_server(field, name)[:3]}")
    told = [CUT.search(text) for _, text in said]
    expect(all(told), f"do not say how many were cut: {said}")
    told = sum(int(match.group(1)) for match in told)
    expect(told == cut, f"{cut} were cut, {told} said: {said}")
    return f"{cut} cut at the deadline, none before; the balancers say {told}, and return {said[0][0]} and {said[1][0]}"


def host_gone(field):
    field.population("tcp", 100 * len(field.first))
    field.population("udp", 100)
    name = field.first[1].name
    count = field.client.report()["tcp"]["servers"][name]["live"]
    datagrams = field.client.latest["udp"]["servers"][name]["live"]
    field.kill_backend(name)
    time.sleep(2)
    field.everywhere(f"backend health {POOL}/{name} down")
    down = time.monotonic()
    field.client.wait_for(lambda r: len(of_server(field, name, "moved", kind="udp")) == datagrams, 20, "UDP moved")
    moved = time.monotonic() - down
    field.client.wait_for(lambda r: r["tcp"]["servers"][name]["live"] == 0, 3 * GRACE + 10, "its clients are told")
    others_unharmed(field, name)
    reset = of_server(field, name, "reset")
    expect(len(reset) == count, f"{len(reset)} of {count} were reset: {of_server(field, name)[:3]}")
    early = [e for e in reset if e["when"] < down + GRACE - 1]
    expect(not early, f"{len(early)} were reset before the grace was over")
    field.population("tcp", 100 * len(field.first))
    return (f"{datagrams} UDP flows moved within {moved:.1f} s; {count} connections reset"
            f" {min(e['when'] for e in reset) - down:.1f} to {max(e['when'] for e in reset) - down:.1f} s after,"
            " and reconnected")


def flows_of(field):
    """The flow tables of both balancers, added up."""
    tables = [daemon.json("status")["flows"] for daemon in field.daemons]
    return {name: sum(table[name] for table in tables) for name in tables[0]}


def counted(field):
    """New TCP connections. Services of UDP have no count."""
    return sum(sum(service["flows"] or 0 for service in daemon.json("status")["services"]) for daemon in field.daemons)


def send_syns(field, first, count, rate, *victim):
    """From the client's host, past its sockets."""
    link = field.lab.c1.mac("eth0")
    gateway = field.lab.router.mac("c1")
    field.lab.c1.run("nice", PROGRAMS / "syn-flood", "eth0", gateway, link, f"{VIP}:{PORT}", first, count, rate, *victim,
                     timeout=120)


def established_broken(field):
    """Those that had an answer before: a connection that a flood keeps from beginning is not one."""
    return [e for e in field.client.events if e["kind"] != "udp" and e["server"]]


def flood(field):
    """Ten million distinct SYNs, as the balancers count them: what a queue on the way drops is made up for."""
    field.population("tcp", 500)
    field.population("idle", 100)
    field.everywhere(f"backend drain {POOL}/{field.first[0].name}")
    field.client.ask("check")
    time.sleep(2)
    limit = flows_of(field)["limit"]
    expect(limit <= 3 * FLOOD_TABLE, f"the two flow tables hold {limit}, not {FLOOD_TABLE} each")

    def foreign():
        """SYNs that are not the client's own; those that it sent again are few, and made up for by a margin."""
        return counted(field) - field.client.report()["tcp"]["opened"]

    before, opened = foreign(), field.client.latest["tcp"]["opened"]
    field.client.ask("churn 5")
    sent, ends = 0, time.monotonic() + FLOOD_SECONDS
    while foreign() - before < FLOOD * 1.001 and time.monotonic() < ends and not established_broken(field):
        send_syns(field, sent, FLOOD_CHUNK, FLOOD_RATE)
        sent += FLOOD_CHUNK
        field.client.ask("check")
    field.client.ask("churn 0")
    seen, table = foreign() - before, flows_of(field)
    field.client.wait_for(lambda r: not r["tcp"]["stalled"] and not r["idle"]["stalled"], 60, "everyone is answered")
    opened = field.client.latest["tcp"]["opened"] - opened
    broken = established_broken(field)
    expect(not broken, f"{len(broken)} broke within {seen} SYNs: {broken[:3]}")
    expect(seen >= FLOOD, f"only {seen} of {sent} SYNs reached a balancer")
    expect(table["evicted_opening"] > 0, f"no eviction was counted: {table}")
    expect(table["evicted_established"] == 0, f"established flows were evicted: {table}")
    return (f"{seen} SYNs of {sent} sent; 0 of 600 broke; {opened} connections opened meanwhile, {field.client.mishaps('tcp')}"
            f" not; evicted {table['evicted_opening']} opening, {table['evicted_established']} established")


def stray_syns(field):
    """SYNs with the very tuples of live flows, on slots that have moved: nobody is torn off its backend."""
    field.population("tcp", 500)
    field.everywhere(f"backend drain {POOL}/{field.first[0].name}")
    time.sleep(2)
    before = counted(field)
    for _ in range(3):
        send_syns(field, 0, 64000 - 1024, 20_000, field.lab.c1.address)
        time.sleep(2)
        field.client.report()
    seen = counted(field) - before
    expect(seen >= 500, f"only {seen} SYNs reached a balancer")
    broken = established_broken(field)
    expect(not broken, f"{len(broken)} broke: {broken[:3]}")
    return f"{seen} SYNs over all ports of the client; 0 of {field.live()} broke"


def settles(field):
    """Idle times of seconds, a few changes, every flow ends: then nothing is left to be remembered."""
    for proto, listen in SERVICES:  # a slot moves for as long as any service of its pool may have silent flows
        field.everywhere(f"service set {proto} {listen} --idle {SHORT_IDLE}s")
    field.population("tcp", 500)
    field.population("udp", 100)
    for words in ("backend drain {}/{}", "backend activate {}/{}", "backend set {}/{} --weight 300"):
        field.everywhere(words.format(POOL, field.first[0].name))
        time.sleep(1)
    remembered = flows_of(field)["remembered"]
    moving = sum(pool["moving"] for daemon in field.daemons for pool in daemon.json("status")["pools"])
    expect(remembered and moving, f"nothing to settle: {remembered} flows remembered, {moving} slots moving")
    field.client.report()
    expect(not [e for e in field.client.events if e["kind"] == "tcp"], f"broken: {field.client.events[:3]}")
    for kind in ("tcp", "udp"):
        field.client.close(kind, 1000)

    def settled():
        states = [daemon.json("status") for daemon in field.daemons]
        return all(not state["flows"]["remembered"] and not any(pool["moving"] for pool in state["pools"])
                   for state in states)

    began = time.monotonic()
    wait_until(settled, 90, "every slot settled and the flow table empty", 0.5)
    return (f"{remembered} flows, {moving} moving slots; all settled {time.monotonic() - began:.0f} s after the last"
            " flow had ended")


def catches_up(field):
    """A balancer that missed two changes loads its neighbour's state, and knows what it would have known."""
    field.population("tcp", 400)
    behind, ahead = field.daemons
    behind.stop()
    change(ahead, f"backend set {POOL}/{field.first[1].name} --weight 250")
    change(ahead, f"backend set {POOL}/{field.first[2].name} --weight 30")
    behind.start()
    expect(field.digests()[0] != field.digests()[1], "two changes left the digests equal")
    state = field.lab.dir / "state.yaml"
    state.write_text(change(ahead, "export --state"))
    change(behind, f"apply -f {state} --force")
    digests = field.digests()
    expect(digests[0] == digests[1], f"the digests do not agree: {digests}")
    time.sleep(3)
    field.client.report()
    if field.form.stands(needs_receivers=True):
        expect(not field.client.events, f"{len(field.client.events)} broke: {field.client.events[:3]}")
    return f"digests agree: {digests[0]}; {len(field.client.events)} of 400 broke"


def removals(field):
    there, broken = remove_while_opening(field)
    expect(there, "no connection was on the backend when it was removed")
    expect(not broken, f"{broken} connections broke: {field.client.events[:3]}")
    return f"{there} connections were on the backend when it was removed, 0 broke"


class Trial:
    """run(field) on a field of that shape; form: the only one in which it says something."""

    def __init__(self, name, run, form=None, **shape):
        self.name, self.run, self.form = name, run, form
        self.shape = {"backends": 4, "spare": 0, "downloads": 0, "limit": 60, **shape}


    def attempt(self, form):
        """Returns what build/storm.json holds of it."""
        form = FORMS[self.form] if self.form else form
        value = {"trial": self.name, "form": form.name, "figures": "", "verdict": ""}
        started = time.monotonic()
        field = Field(form, **self.shape)
        try:
            field.up()
            value["figures"] = self.run(field)
        except Unavailable as error:
            value.update(verdict="not available", figures=str(error))
        except (Broken, Refused, FlockError, HarnessError) as error:
            value.update(verdict="FAILED", figures=str(error))
        finally:
            field.down()
        value["seconds"] = round(time.monotonic() - started, 1)
        return value


TRIALS = (
    Trial("drain --wait --quiet 2s, 1,000 connections", drain_waits),
    Trial("drain --deadline cuts, and says how many", deadline_cuts),
    Trial("removals within a second of opening connections", removals),
    Trial("a host gone: a reset from the last hop", host_gone),
    Trial("a full flow table, one of three backends drained", full_table.keep_all, form="slots", backends=3,
          flows=full_table.PLACES),
    Trial("ten million spoofed SYNs, 100,000 flows", flood, flows=FLOOD_TABLE),
    Trial("stray SYNs with live flows' tuples", stray_syns),
    Trial("two changes missed, the neighbour's state loaded", catches_up),
    Trial("one Ethernet segment: reboot, withdraw, return", one_segment.stays_put, spare=2, six=True, downloads=2, lab=SegmentLab),
    Trial("backends that leave a file and come back", leave_and_return, spare=1),
    Trial("a daemon whose database vanishes", vanished.vanishes),
    Trial("after the storm every slot settles", settles),
)

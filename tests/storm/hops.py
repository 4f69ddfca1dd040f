# SPDX-License-Identifier: Apache-2.0
"""What the packets of a slot name, read from the balancer's own maps: who might have passed a lost one on."""

import json

from harness import HarnessError
from harness.layout import struct
from harness.process import run
from harness.words import Slot, table_of

SAMPLES = 48


def value(daemon, name, index):
    """One entry of a pinned array, as bytes."""
    key = [str(byte) for byte in index.to_bytes(4, "little")]
    done = run("bpftool", "-j", "map", "lookup", "pinned", daemon.pins / "maps" / name, "key", *key)
    return bytes(int(byte, 16) for byte in json.loads(done.stdout)["value"])


def word(daemon, name, index):
    return int.from_bytes(value(daemon, name, index), "little")


def only_table(daemon):
    """First slot and size of the only pool's table."""
    for number in range(1, 16):
        named = table_of(word(daemon, "pools", number))
        if named:
            table = struct("hf_table").from_buffer_copy(value(daemon, "tables", named))
            return table.first, table.size
    raise KeyError("no pool has a table")


def read_slot(daemon, first, slot):
    """(owner, hops) by number."""
    found = Slot.of(word(daemon, "slots", first + slot))
    record = struct("hf_hops").from_buffer_copy(value(daemon, "hops", found.hops))
    return found.owner, tuple(record.backend[:record.count])


def names_of(daemon, pool):
    return {b["number"]: b["name"] for b in daemon.json(f"backend list {pool}")["backends"]}


def of_slot(daemon, pool, slot):
    """Names of the backends in the hops record of a pool's slot, best first; none where packets carry no hops."""
    try:
        names = names_of(daemon, pool)
        first, _ = only_table(daemon)
        return [names.get(number, f"#{number}") for number in read_slot(daemon, first, slot)[1]]
    except (HarnessError, KeyError, ValueError) as error:
        return [f"? {error}"]


def astray(daemon, samples=SAMPLES):
    """Slots, of so many looked at, whose packets do not name their owner first: they carry another slot's hops."""
    first, size = only_table(daemon)
    slots = [number * size // samples for number in range(samples)]
    found = [(slot, *read_slot(daemon, first, slot)) for slot in slots]
    return [(slot, owner, hops) for slot, owner, hops in found if not hops or hops[0] != owner]

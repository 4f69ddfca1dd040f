# SPDX-License-Identifier: Apache-2.0
"""What the packets of a slot name, read from the balancer's own maps: who might have passed a lost one on."""

import json
import struct

from harness import HarnessError
from harness.process import run


TABLE_FIRST, OWNER_MASK, SLOT_HOPS_SHIFT, SLOT_HOPS_MASK = 0, 0xffff, 32, 0xffffff
SAMPLES = 48


def value(daemon, name, index):
    """One entry of a pinned array, as bytes."""
    key = [f"{byte}" for byte in struct.pack("=I", index)]
    done = run("bpftool", "-j", "map", "lookup", "pinned", daemon.pins / "maps" / name, "key", *key)
    return bytes(int(byte, 16) for byte in json.loads(done.stdout)["value"])


def table_of(daemon):
    """First slot and size of the only pool's table."""
    for number in range(1, 16):
        table, = struct.unpack_from("=I", value(daemon, "pools", number))
        if table:
            return struct.unpack_from("=II", value(daemon, "tables", table), TABLE_FIRST)
    raise KeyError("no pool has a table")


def read_slot(daemon, first, slot):
    """(owner, hops) by number."""
    word, = struct.unpack("=Q", value(daemon, "slots", first + slot))
    record = value(daemon, "hops", word >> SLOT_HOPS_SHIFT & SLOT_HOPS_MASK)
    return word & OWNER_MASK, struct.unpack_from(f"={record[0]}H", record, 2)


def names_of(daemon, pool):
    return {b["number"]: b["name"] for b in daemon.json(f"backend list {pool}")["backends"]}


def of_slot(daemon, pool, slot):
    """Names of the backends in the hops record of a pool's slot, best first; none where packets carry no hops."""
    try:
        names = names_of(daemon, pool)
        first, _ = table_of(daemon)
        return [names.get(number, f"#{number}") for number in read_slot(daemon, first, slot)[1]]
    except (HarnessError, KeyError, ValueError, struct.error) as error:
        return [f"? {error}"]


def astray(daemon, samples=SAMPLES):
    """Slots, of so many looked at, whose packets do not name their owner first: they carry another slot's hops."""
    first, size = table_of(daemon)
    slots = [number * size // samples for number in range(samples)]
    found = [(slot, *read_slot(daemon, first, slot)) for slot in slots]
    return [(slot, owner, hops) for slot, owner, hops in found if not hops or hops[0] != owner]

# SPDX-License-Identifier: Apache-2.0
"""What the packets of a slot name, read from the balancer's own maps: who might have passed a lost one on."""

import json
import struct

from lab import LabError, run

TABLE_FIRST, SLOT_HOPS_SHIFT, SLOT_HOPS_MASK = 0, 32, 0xffffff


def value(daemon, name, index):
    """One entry of a pinned array, as bytes."""
    key = [f"{byte}" for byte in struct.pack("=I", index)]
    done = run(["bpftool", "-j", "map", "lookup", "pinned", daemon.pins / "maps" / name, "key", *key])
    return bytes(int(byte, 16) for byte in json.loads(done.stdout)["value"])


def of_slot(daemon, pool, slot):
    """Names of the backends in the hops record of a pool's slot, best first; none where packets carry no hops."""
    try:
        names = {b["number"]: b["name"] for b in daemon.json(f"backend list {pool}")["backends"]}
        for number in range(1, 16):
            table, = struct.unpack_from("=I", value(daemon, "pools", number))
            if table:
                break
        first, = struct.unpack_from("=I", value(daemon, "tables", table), TABLE_FIRST)
        word, = struct.unpack("=Q", value(daemon, "slots", first + slot))
        record = value(daemon, "hops", word >> SLOT_HOPS_SHIFT & SLOT_HOPS_MASK)
    except (LabError, KeyError, ValueError, struct.error) as error:
        return [f"? {error}"]
    return [names.get(number, f"#{number}") for number in struct.unpack_from(f"={record[0]}H", record, 2)]

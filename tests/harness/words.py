# SPDX-License-Identifier: Apache-2.0
"""The packed words of the maps, whose bits no BTF describes: taken apart and put together here alone, as slot.h and
directory.h do it."""

from typing import NamedTuple

from harness.layout import constants

HF = constants("abi.h", "slot.h", "directory.h")
BACKEND_MASK = (1 << HF["HF_SLOT_BASE_SHIFT"]) - 1


class Slot(NamedTuple):
    """What the word of a slot says. Numbers of backends, an index of hops; 0: none."""

    owner: int
    base: int
    hops: int
    moving: bool

    @classmethod
    def of(cls, word):
        return cls(word & BACKEND_MASK, word >> HF["HF_SLOT_BASE_SHIFT"] & BACKEND_MASK,
                   word >> HF["HF_SLOT_HOPS_SHIFT"] & HF["HF_SLOT_HOPS_MASK"],
                   bool(word >> HF["HF_SLOT_FLAGS_SHIFT"] & HF["HF_SLOT_MOVING"]))


def slot_word(owner, base=None, hops=0, moving=False):
    """base None: the slot is settled, its base is its owner."""
    return (owner | (owner if base is None else base) << HF["HF_SLOT_BASE_SHIFT"] | hops << HF["HF_SLOT_HOPS_SHIFT"]
            | (HF["HF_SLOT_MOVING"] if moving else 0) << HF["HF_SLOT_FLAGS_SHIFT"])


def pool_word(table, generation=1):
    return table | generation << 32


def table_of(word):
    """Index of tables that the word of a pool names, 0: none."""
    return word & 0xFFFFFFFF


def next_hop(mac, link):
    """mac: 6 bytes."""
    return int.from_bytes(mac, "little") | link << 48


def directory_word(first, seed, log2, lengths, generation):
    generation %= 1 << 64 - HF["HF_DIRECTORY_GENERATION_SHIFT"]
    return (first | seed << HF["HF_DIRECTORY_SEED_SHIFT"] | log2 << HF["HF_DIRECTORY_LOG2_SHIFT"]
            | lengths << HF["HF_DIRECTORY_LENGTHS_SHIFT"] | generation << HF["HF_DIRECTORY_GENERATION_SHIFT"])


def service_kind(family, port_bits):
    return port_bits | (HF["HF_KIND_IPV6"] if family == 6 else 0)


def port_bits(kind):
    return kind & HF["HF_KIND_BITS_MASK"]

# SPDX-License-Identifier: Apache-2.0
"""The hashes of holdfast/flowhash.h, written again from the specification of XXH64 (xxHash's
doc/xxhash_spec.md), so that the tests do not take the data plane's word for them."""

import ipaddress

MASK = (1 << 64) - 1
P1, P2, P3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
P4, P5 = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5


def _rotate(x, bits):
    return (x << bits | x >> (64 - bits)) & MASK


def _round(accumulator, lane):
    return _rotate((accumulator + lane * P2) & MASK, 31) * P1 & MASK


def xxh64(data, seed=0):
    at, length = 0, len(data)
    word = lambda i, n=8: int.from_bytes(data[i:i + n], "little")
    if length >= 32:
        lanes = [(seed + P1 + P2) & MASK, (seed + P2) & MASK, seed, (seed - P1) & MASK]
        while at + 32 <= length:
            lanes = [_round(lane, word(at + 8 * i)) for i, lane in enumerate(lanes)]
            at += 32
        h = sum(_rotate(lane, bits) for lane, bits in zip(lanes, (1, 7, 12, 18))) & MASK
        for lane in lanes:
            h = ((h ^ _round(0, lane)) * P1 + P4) & MASK
    else:
        h = (seed + P5) & MASK
    h = (h + length) & MASK
    while at + 8 <= length:
        h, at = (_rotate(h ^ _round(0, word(at)), 27) * P1 + P4) & MASK, at + 8
    if at + 4 <= length:
        h, at = (_rotate(h ^ (word(at, 4) * P1 & MASK), 23) * P2 + P3) & MASK, at + 4
    for byte in data[at:]:
        h = _rotate(h ^ (byte * P5 & MASK), 11) * P1 & MASK
    h = (h ^ h >> 33) * P2 & MASK
    h = (h ^ h >> 29) * P3 & MASK
    return h ^ h >> 32


def flow_hash(source, destination, sport, dport, proto, seed, policy="5tuple"):
    source, destination = (ipaddress.ip_address(a).packed for a in (source, destination))
    if policy == "source":
        return xxh64(source, seed)
    if len(destination) == 16:
        destination = bytes(a ^ b for a, b in zip(destination[:8], destination[8:]))
    return xxh64(source + destination + sport.to_bytes(2, "big") + dport.to_bytes(2, "big"), seed ^ proto)


def slot_index(hash_, size):
    return (hash_ >> 32) * size >> 32


def service_hash(key, seed):
    """key: the 20 bytes of struct hf_service_key. Seed 0 is the mix of layout 1."""
    low, high, tail = (int.from_bytes(key[i:j], "little") for i, j in ((0, 8), (8, 16), (16, 20)))
    if seed:
        mix, salt = low, (seed << 16) * 0x9E3779B97F4A7C15 & MASK
        if key[19] & 0x20:
            mix = low * 0xC2B2AE3D27D4EB4F & MASK ^ (high * 0xD6E8FEB86659FD93 & MASK) >> 40
            mix ^= mix >> 32
        return ((mix + salt) * (tail + (salt >> 21)) & MASK) >> 32
    mix = (low * 0x9E3779B97F4A7C15 ^ tail * 0xC2B2AE3D27D4EB4F) & MASK
    if key[19] & 0x20:
        mix = (mix ^ high * 0xD6E8FEB86659FD93) & MASK
        mix = (mix ^ mix >> 32) * 0x9E3779B97F4A7C15 & MASK
    return mix >> 32

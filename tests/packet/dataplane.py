# SPDX-License-Identifier: Apache-2.0
"""The data plane as its tests see it: fills the maps of holdfast/abi.h directly, without the daemon."""

import ipaddress
import os
import re
import struct
import time
from ctypes import LittleEndianStructure, c_int32, c_uint8, c_uint16, c_uint32, c_uint64, sizeof
from pathlib import Path

import flowhash
from libbpf import Object

TOP = Path(__file__).resolve().parent.parent.parent
BUILD = Path(os.environ.get("BUILD", TOP / "build"))

TCP, UDP, VIP = 6, 17, 255
PASS, DROP, TX, REDIRECT = 2, 1, 3, 4
ENCAP = {"ip": 0, "gue": 1, "gre": 2, "l2": 3}
TRACK = {"auto": 0, "always": 1, "never": 2}
MAX_PROBES, DIRECTORY_ROOM, ONLY_INGRESS = 8, 1 << 9, 1
SLOT_MOVING, TAKES_NEW, SERVES_TCP, SERVES_UDP = 1 << 56, 1, 2, 4
OPENING, ESTABLISHED, CLOSING = 1, 2, 3
FLOW_EVENTS = 7

SIZES = {"slots": 1 << 18, "since": 1 << 17, "hops": 1 << 10, "flows": 1 << 10, "counters": 1 << 12,
         "backends": 1 << 10, "services": 1 << 10}


class Service(LittleEndianStructure):
    _fields_ = [("key", c_uint8 * 20), ("pool", c_uint32), ("counters", c_uint32), ("ordinals", c_uint32),
                ("idle", c_uint32), ("number", c_uint16), ("track", c_uint8), ("flags", c_uint8),
                ("reserved", c_uint32 * 6)]


class Table(LittleEndianStructure):
    _fields_ = [("first", c_uint32), ("size", c_uint32), ("seed", c_uint64), ("pool", c_uint32),
                ("hash", c_uint8), ("flags", c_uint8), ("reserved16", c_uint16), ("old_first", c_uint32),
                ("old_size", c_uint32), ("old_seed", c_uint64), ("old_hash", c_uint8),
                ("reserved8", c_uint8 * 3), ("since", c_uint32), ("reserved", c_uint32 * 4)]


class Backend(LittleEndianStructure):
    _fields_ = [("next_hop", c_uint64), ("dst", c_uint8 * 16), ("src", c_uint8 * 16), ("src_mask", c_uint8 * 4),
                ("csum", c_uint32), ("gue_port", c_uint8 * 2), ("ordinal", c_uint16), ("family", c_uint8),
                ("encap", c_uint8), ("flags", c_uint8), ("reserved8", c_uint8), ("mtu", c_uint32),
                ("reserved32", c_uint32)]


class Flow(LittleEndianStructure):
    _fields_ = [("tag", c_uint64), ("tag2", c_uint32), ("slot", c_uint32), ("seen", c_uint32),
                ("backend", c_uint16), ("service", c_uint16), ("state", c_uint8), ("proto", c_uint8),
                ("pool", c_uint16), ("idle", c_uint32)]


class Observation(LittleEndianStructure):
    _fields_ = [("stage", c_uint32), ("reason", c_int32), ("hash", c_uint64), ("service", c_uint32),
                ("pool", c_uint32), ("table", c_uint32), ("slot", c_uint32), ("slot_word", c_uint64),
                ("backend", c_uint32), ("choice", c_uint32), ("link", c_uint32), ("reserved", c_uint32)]


def reasons(header="reasons.h"):
    """Word and verdict by number, from the header's list."""
    text = (TOP / "include/holdfast" / header).read_text()
    found = re.findall(r'X\(\w+,\s*(\d+),\s*"([a-z-]+)",\s*(PASS|DROP|TX)', text)
    return {int(number): (word, {"PASS": PASS, "DROP": DROP, "TX": TX}[verdict]) for number, word, verdict in found}


def now():
    """As the data plane notes times."""
    return int(time.monotonic())


def moving(owner, base, hops=0):
    """The word of a slot that moves."""
    return owner | base << 16 | hops << 32 | SLOT_MOVING


def mac_bytes(mac):
    return bytes.fromhex(mac.replace(":", ""))


def packed(address):
    return ipaddress.ip_address(address).packed.ljust(16, b"\0")


def family(address):
    return ipaddress.ip_address(address).version


def service_key(proto, address, port, bits=16):
    return packed(address) + struct.pack(">HBB", port, proto, bits | (0x20 if family(address) == 6 else 0))


def outer_checksum(source, destination):
    """What holdfast/outer.h prepares, summed again."""
    header = bytes([0x45, 0, 0, 0, 0, 0, 0x40, 0, 64, 0, 0, 0]) + packed(source)[:4] + packed(destination)[:4]
    return sum(struct.unpack("<10H", header))


class DataPlane:
    def __init__(self, path=None, sizes=None, shared_with=None, observing=False):
        shared = [m for m in shared_with.maps.values() if not m.name.startswith(("observation", "lb."))] \
            if shared_with else []
        self.object = Object(path or BUILD / "bpf/lb.bpf.o", sizes={} if shared else {**SIZES, **(sizes or {})},
                             shared=shared, read_only={0: b"\1"} if observing else {})
        self.maps, self.programs = self.object.maps, self.object.programs
        self.program = self.programs["balance_linear"]
        if not shared:
            self.slots = self.maps["slots"].memory()
            self.control = self.maps["control"].memory()
            self.since = self.maps["since"].memory()
            self.flow_table = self.maps["flows"].memory()
            self.services, self.generation, self.seed = {}, 0, 0
            self.next_slot = self.next_counter = 1

    def close(self):
        self.slots.close()
        self.control.close()
        self.since.close()
        self.flow_table.close()
        self.object.close()

    def set_link(self, number, mac, ifindex=1, flags=ONLY_INGRESS, mtu=1500):
        struct.pack_into("<6sHII", self.control, 64 + 16 * number, mac_bytes(mac), flags, ifindex, mtu)

    def set_backend(self, number, address, source, mac="02:00:00:00:0b:00", link=1, encap="ip", src_mask=0,
                    ordinal=None, mtu=0, port=19523, flags=TAKES_NEW | SERVES_TCP | SERVES_UDP):
        """src_mask: how many low bits of the source the flow's hash fills."""
        record = Backend(next_hop=int.from_bytes(mac_bytes(mac), "little") | link << 48 if mac else 0,
                         ordinal=number if ordinal is None else ordinal, family=family(address),
                         encap=ENCAP[encap], mtu=mtu, flags=flags)
        record.dst[:], record.src[:] = packed(address), packed(source)
        record.src_mask[:] = ((1 << src_mask) - 1).to_bytes(4, "big")
        record.gue_port[:] = port.to_bytes(2, "big")
        record.csum = outer_checksum(source, address) if record.family == 4 else 0
        self.maps["backends"].update(number, record)

    def set_table(self, number, words, pool=1, seed=1, policy="5tuple", **old):
        """Writes a table of slot words (plain backend numbers: settled slots) and points the pool at it."""
        first, self.next_slot = self.next_slot, self.next_slot + len(words)
        struct.pack_into(f"<{len(words)}Q", self.slots, 8 * first,
                         *[w | w << 16 if w < 1 << 16 else w for w in words])
        self.maps["tables"].update(number, Table(first=first, size=len(words), seed=seed, pool=pool,
                                                 hash=policy == "source", **old))
        self.maps["pools"].update(pool, struct.pack("<Q", number | 1 << 32))
        return first

    def set_since(self, first, count, seconds):
        """When these slots began to move."""
        struct.pack_into(f"<{count}I", self.since, 4 * first, *[seconds % (1 << 32)] * count)

    def set_hops(self, index, backends, last_answers=False):
        record = struct.pack("<BB7H", len(backends), last_answers, *backends, *[0] * (7 - len(backends)))
        self.maps["hops"].update(index, record)

    def set_flags(self, number, flags):
        record = Backend.from_buffer_copy(self.maps["backends"].lookup(number))
        record.flags = flags
        self.maps["backends"].update(number, record)

    def flows(self):
        """What is remembered, by place."""
        entries = (Flow.from_buffer(self.flow_table, at) for at in range(0, len(self.flow_table), sizeof(Flow)))
        return {place: Flow.from_buffer_copy(flow) for place, flow in enumerate(entries) if flow.tag}

    def age_flows(self, seconds):
        """As if so much time had passed since the remembered flows were last seen."""
        for place, flow in self.flows().items():
            flow.seen -= seconds
            self.maps["flows"].update(place, flow)

    def round_ages(self, grid):
        """As if the remembered flows had been silent for a multiple of grid seconds, the nearest."""
        for place, flow in self.flows().items():
            silent = (now() - flow.seen) % (1 << 32)
            flow.seen = now() - (silent + grid // 2) // grid * grid
            self.maps["flows"].update(place, flow)

    def flow_events(self):
        """By kind; an older build counts fewer kinds."""
        counted = self.maps["flow_events"]
        return [sum(int.from_bytes(v, "little") for v in counted.lookup_each(event)) if event < counted.entries else 0
                for event in range(FLOW_EVENTS)]

    def add_service(self, proto, address, port, pool=1, bits=16, ordinals=256, track="auto", idle=7200):
        key = service_key(proto, address, port, bits)
        record = Service(pool=pool, counters=self.next_counter, ordinals=ordinals, idle=idle,
                         track=TRACK[track], number=len(self.services) + 1)
        record.key[:] = key
        vip = Service(pool=pool)
        vip.key[:] = service_key(VIP, address, 0, 0)
        self.services[key], self.services[bytes(vip.key)] = record, vip
        self.next_counter += ordinals
        self._write_directory()
        return record

    def _write_directory(self):
        """Every generation in the half that the last one did not use, as user space does it. Seed 0 is what every
        build reads."""
        self.generation += 1
        first, log2 = self.generation % 2 * DIRECTORY_ROOM, DIRECTORY_ROOM.bit_length() - 1
        places = [bytes(sizeof(Service))] * DIRECTORY_ROOM
        lengths = 0
        for key, record in self.services.items():
            at = flowhash.service_hash(key, self.seed)
            place = next(i for i in range(at, at + MAX_PROBES) if not places[i % DIRECTORY_ROOM][18])
            places[place % DIRECTORY_ROOM] = bytes(record)
            lengths |= 0 if key[18] == VIP else 1 << (key[19] & 0x1F)
        for i, place in enumerate(places):
            self.maps["services"].update(first + i, place)
        struct.pack_into("<Q", self.control, 0,
                         first | self.seed << 16 | log2 << 24 | lengths << 32 | (self.generation & 0x7FFF) << 49)

    def counters(self, service, backend):
        """(packets, bytes, flows) over all processors."""
        values = self.maps["counters"].lookup_each(service.counters + backend)
        return tuple(map(sum, zip(*(struct.unpack("<3Q", v) for v in values))))

    def reasons(self):
        """(packets, bytes) by word, where there are any."""
        found = {}
        for number, (word, _) in reasons().items():
            values = self.maps["reasons"].lookup_each(number)
            packets, size = map(sum, zip(*(struct.unpack("<2Q", v) for v in values)))
            if packets:
                found[word] = (packets, size)
        return found

    def observation(self):
        return Observation.from_buffer_copy(self.maps["observation"].lookup(0))

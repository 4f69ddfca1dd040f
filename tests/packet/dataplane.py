# SPDX-License-Identifier: Apache-2.0
"""The data plane as its tests see it: fills the maps of holdfast/abi.h directly, without the daemon."""

import ipaddress
import time
from ctypes import c_uint64, sizeof

import flowhash
from harness import BUILD
from harness.layout import constants, reasons, struct
from harness.words import directory_word, next_hop, pool_word, port_bits, service_kind, slot_word
from libbpf import Object

HF = constants("abi.h")
TCP, UDP, VIP = 6, 17, 255
PASS, DROP, TX, REDIRECT = 2, 1, 3, 4
VERDICTS = {"PASS": PASS, "DROP": DROP, "TX": TX}
ENCAP = {"ip": HF["HF_ENCAP_IP"], "gue": HF["HF_ENCAP_GUE"], "gre": HF["HF_ENCAP_GRE"], "l2": HF["HF_ENCAP_L2"]}
TRACK = {"auto": HF["HF_TRACK_AUTO"], "always": HF["HF_TRACK_ALWAYS"], "never": HF["HF_TRACK_NEVER"]}
MAX_PROBES, DIRECTORY_ROOM, ONLY_INGRESS = HF["HF_MAX_PROBES"], 1 << 9, HF["HF_LINK_ONLY_INGRESS"]
TAKES_NEW, SERVES_TCP, SERVES_UDP = (HF[f"HF_BACKEND_{what}"] for what in ("TAKES_NEW", "SERVES_TCP", "SERVES_UDP"))
OPENING, ESTABLISHED, CLOSING = (HF[f"HF_FLOW_{state}"] for state in ("OPENING", "ESTABLISHED", "CLOSING"))
CLAIMED = HF["HF_FLOW_CLAIMED"]
FLOW_EVENTS = HF["HF_FLOW_EVENTS"]

Control, Service, ServiceKey, Table, Since, Hops, Backend, Flow, Counters, ReasonCounter, Observation = (
    struct(f"hf_{name}") for name in ("control", "service", "service_key", "table", "since", "hops", "backend", "flow",
                                      "counters", "reason_counter", "observation"))

SIZES = {"slots": 1 << 18, "since": 1 << 17, "hops": 1 << 10, "flows": 1 << 10, "counters": 1 << 12,
         "backends": 1 << 10, "services": 1 << 10}


def verdicts(header="reasons.h"):
    """Word and verdict by number, from the header's list."""
    return {number: (word, VERDICTS[verdict]) for number, (word, verdict) in reasons(header).items()}


def now():
    """As the data plane notes times."""
    return int(time.monotonic())


def moving(owner, base, hops=0):
    """The word of a slot that moves."""
    return slot_word(owner, base, hops, moving=True)


def mac_bytes(mac):
    return bytes.fromhex(mac.replace(":", ""))


def packed(address):
    return ipaddress.ip_address(address).packed.ljust(16, b"\0")


def family(address):
    return ipaddress.ip_address(address).version


def words(address):
    """As a record has it: in four words."""
    bytes_ = packed(address)
    return tuple(int.from_bytes(bytes_[i:i + 4], "big") for i in range(0, 16, 4))


def service_key(proto, address, port, bits=16):
    return ServiceKey(addr=words(address), port=port, proto=proto, kind=service_kind(family(address), bits))


def sums(kind, values, *members):
    """The members of a record on each processor, added up."""
    records = [kind.from_buffer_copy(value) for value in values]
    return tuple(sum(getattr(record, member) for record in records) for member in members)


def outer_checksum(source, destination):
    """What holdfast/outer.h prepares, summed again."""
    header = bytes([0x45, 0, 0, 0, 0, 0, 0x40, 0, 64, 0, 0, 0]) + packed(source)[:4] + packed(destination)[:4]
    return sum(int.from_bytes(header[i:i + 2], "little") for i in range(0, 20, 2))


class DataPlane:
    def __init__(self, path=None, sizes=None, shared_with=None, observing=False):
        shared = [m for m in shared_with.maps.values() if not m.name.startswith(("observation", "lb."))] \
            if shared_with else []
        self.object = Object(path or BUILD / "bpf/lb.bpf.o", sizes={} if shared else {**SIZES, **(sizes or {})},
                             shared=shared, read_only={"observing": b"\1"} if observing else {})
        self.maps, self.programs = self.object.maps, self.object.programs
        self.program = self.programs["balance_linear"]
        if not shared:
            self.slots = self.maps["slots"].memory()
            self.control_memory = self.maps["control"].memory()
            self.since = self.maps["since"].memory()
            self.flow_table = self.maps["flows"].memory()
            self.services, self.generation, self.seed = {}, 0, 0
            self.next_slot = self.next_counter = 1

    def close(self):
        self.slots.close()
        self.control_memory.close()
        self.since.close()
        self.flow_table.close()
        self.object.close()

    @property
    def control(self):
        return Control.from_buffer(self.control_memory)

    def set_link(self, number, mac, ifindex=1, flags=ONLY_INGRESS, mtu=1500):
        link = self.control.links[number]
        link.mac[:], link.flags, link.ifindex, link.mtu = mac_bytes(mac), flags, ifindex, mtu

    def set_backend(self, number, address, source, mac="02:00:00:00:0b:00", link=1, encap="ip", src_mask=0,
                    ordinal=None, mtu=0, port=19523, flags=TAKES_NEW | SERVES_TCP | SERVES_UDP):
        """src_mask: how many low bits of the source the flow's hash fills."""
        record = Backend(next_hop=next_hop(mac_bytes(mac), link) if mac else 0, dst=words(address), src=words(source),
                         src_mask=(1 << src_mask) - 1, gue_port=port, ordinal=number if ordinal is None else ordinal,
                         family=family(address), encap=ENCAP[encap], mtu=mtu, flags=flags)
        record.csum = outer_checksum(source, address) if record.family == 4 else 0
        self.maps["backends"].update(number, record)

    def set_table(self, number, words, pool=1, seed=1, policy="5tuple", **old):
        """Writes a table of slot words (plain backend numbers: settled slots) and points the pool at it."""
        first, self.next_slot = self.next_slot, self.next_slot + len(words)
        place = (c_uint64 * len(words)).from_buffer(self.slots, sizeof(c_uint64) * first)
        place[:] = [slot_word(word) if word < 1 << 16 else word for word in words]
        self.maps["tables"].update(number, Table(first=first, size=len(words), seed=seed, pool=pool,
                                                 hash=policy == "source", **old))
        self.maps["pools"].update(pool, pool_word(number).to_bytes(8, "little"))
        return first

    def set_since(self, first, count, seconds):
        """When these slots began to move."""
        for slot in range(first, first + count):
            self._since(slot)[slot % 2] = seconds % (1 << 32)

    def _since(self, slot):
        return Since.from_buffer(self.since, sizeof(Since) * (slot // 2)).at

    def since_of(self, slot):
        return self._since(slot)[slot % 2]

    def set_hops(self, index, backends, last_answers=False):
        self.maps["hops"].update(index, Hops(count=len(backends), flags=last_answers, backend=tuple(backends)))

    def set_flags(self, number, flags):
        record = Backend.from_buffer_copy(self.maps["backends"].lookup(number))
        record.flags = flags
        self.maps["backends"].update(number, record)

    def flows(self):
        """What is remembered, by place."""
        entries = map(self.flow, range(len(self.flow_table) // sizeof(Flow)))
        return {place: Flow.from_buffer_copy(flow) for place, flow in enumerate(entries) if flow.tag}

    def flow(self, place):
        """The entry itself, in the map."""
        return Flow.from_buffer(self.flow_table, sizeof(Flow) * place)

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
        record = Service(key=service_key(proto, address, port, bits), pool=pool, counters=self.next_counter,
                         ordinals=ordinals, idle=idle, track=TRACK[track], number=len(self.services) + 1)
        vip = Service(key=service_key(VIP, address, 0, 0), pool=pool)
        self.services[bytes(record.key)], self.services[bytes(vip.key)] = record, vip
        self.next_counter += ordinals
        self._write_directory()
        return record

    def _write_directory(self):
        """Every generation in the half that the last one did not use, as user space does it. Seed 0 is what every
        build reads."""
        self.generation += 1
        first, log2 = self.generation % 2 * DIRECTORY_ROOM, DIRECTORY_ROOM.bit_length() - 1
        places = [Service() for _ in range(DIRECTORY_ROOM)]
        lengths = 0
        for key, record in self.services.items():
            at = flowhash.service_hash(key, self.seed)
            place = next(i for i in range(at, at + MAX_PROBES) if not places[i % DIRECTORY_ROOM].key.proto)
            places[place % DIRECTORY_ROOM] = record
            lengths |= 0 if record.key.proto == VIP else 1 << port_bits(record.key.kind)
        for i, place in enumerate(places):
            self.maps["services"].update(first + i, place)
        self.control.services = directory_word(first, self.seed, log2, lengths, self.generation)

    def counters(self, service, backend):
        """(packets, bytes, flows) over all processors."""
        return sums(Counters, self.maps["counters"].lookup_each(service.counters + backend), "packets", "bytes", "flows")

    def reasons(self):
        """(packets, bytes) by word, where there are any."""
        found = {}
        for number, (word, _) in reasons().items():
            packets, size = sums(ReasonCounter, self.maps["reasons"].lookup_each(number), "packets", "bytes")
            if packets:
                found[word] = (packets, size)
        return found

    def observation(self):
        return Observation.from_buffer_copy(self.maps["observation"].lookup(0))

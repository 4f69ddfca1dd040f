# SPDX-License-Identifier: Apache-2.0
"""What BPF programs and user space share, read where it is declared: structures from the BTF of an object, constants
from the enums of the headers. A member more, or elsewhere, is where the object says."""

import ctypes
import functools
import json
import re

from harness import BUILD, TOP
from harness.process import run

INTS = {(1, False): ctypes.c_uint8, (2, False): ctypes.c_uint16, (4, False): ctypes.c_uint32, (8, False): ctypes.c_uint64,
        (1, True): ctypes.c_int8, (2, True): ctypes.c_int16, (4, True): ctypes.c_int32, (8, True): ctypes.c_int64}


class Layout:
    """The types of one object, below build/."""

    def __init__(self, name):
        self.path = BUILD / name
        types = json.loads(run("bpftool", "-j", "btf", "dump", "file", self.path).stdout)["types"]
        self.types = {each["id"]: each for each in types}
        self.numbers = {each["name"]: each["id"] for each in types if each["kind"] in ("STRUCT", "UNION")}

    def struct(self, name):
        """A class with the members of the structure: record.member, bytes(record), Record.from_buffer(memory)."""
        return self._type(self.numbers[name])

    def _compound(self, of):
        fields, at = [], 0
        for member in of["members"]:
            place, kind = member["bits_offset"] // 8, self._type(member["type_id"])
            if place > at:
                fields.append((f"_{at}", ctypes.c_uint8 * (place - at)))
            fields.append((member["name"], kind))
            at = place + ctypes.sizeof(kind)
        if of["kind"] == "STRUCT" and of["size"] > at:
            fields.append((f"_{at}", ctypes.c_uint8 * (of["size"] - at)))
        base = ctypes.Structure if of["kind"] == "STRUCT" else ctypes.Union
        made = type(of["name"], (base,), {"_pack_": 1, "_fields_": fields})
        assert ctypes.sizeof(made) == of["size"], of["name"]
        return made

    @functools.cache
    def _type(self, number):
        of = self.types[number]
        if of["kind"] == "INT":
            return INTS[of["size"], of["encoding"] == "SIGNED"]
        if of["kind"] == "ARRAY":
            return self._type(of["type_id"]) * of["nr_elems"]
        if of["kind"] == "PTR":
            return ctypes.c_uint64
        if of["kind"] in ("STRUCT", "UNION"):
            return self._compound(of)
        inner = self._type(of["type_id"])
        return inner.__ctype_be__ if of["name"] in ("__be16", "__be32", "__be64") else inner

    def variable(self, name):
        """Where a constant lies in .rodata."""
        found = re.search(rf"^(\w+) [Rr] {name}$", run("nm", self.path).stdout, re.M)
        return int(found[1], 16)


@functools.cache
def layout(name="bpf/lb.bpf.o"):
    return Layout(name)


def struct(name, of="bpf/lb.bpf.o"):
    return layout(of).struct(name)


@functools.cache
def constants(*headers):
    """name -> value of the enums in headers of include/holdfast; a later one may use those before it."""
    known = {}
    for header in headers:
        text = re.sub(r"/\*[\s\S]*?\*/|^#.*(?:\\\n.*)*", "", (TOP / "include" / "holdfast" / header).read_text(), flags=re.M)
        for body in re.findall(r"\benum\b[\s\w]*\{([^}]*)\}", text):
            value = -1
            for name, given in re.findall(r"\b([A-Z]\w*)\s*(?:=([^,]*))?(?:,|\s*$)", body):
                value = eval(given, {}, known) if given.strip() else value + 1  # arithmetic of C that Python has, too
                known[name] = value
    return known


@functools.cache
def reasons(header="reasons.h"):
    """number -> (word, verdict), from a header's list of X(NAME, number, "word", VERDICT, ...)."""
    text = (TOP / "include" / "holdfast" / header).read_text()
    found = re.findall(r'X\(\w+,\s*(\d+),\s*"([a-z-]+)",\s*(PASS|DROP|TX)', text)
    return {int(number): (word, verdict) for number, word, verdict in found}

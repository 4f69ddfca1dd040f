# SPDX-License-Identifier: Apache-2.0
"""What the tests know of structures is what the object says: a member more in the middle is read where it is."""

import re
import shutil
import subprocess

import pytest

from harness import TOP
from harness.layout import Layout, constants, struct
from harness.words import Slot, directory_word, slot_word

CLANG = next(filter(None, map(shutil.which, ("clang-19", "clang-16", "clang"))))  # as the Makefile
RECORD = """
#include <linux/bpf.h>
#include <linux/types.h>
#include <bpf/bpf_helpers.h>
struct inner {{ __be16 port; __u8 kind; }};
struct record {{ __u8 first; {planted} __u64 word; struct inner inner[2]; __u8 mac[6]; __s32 reason; }};
struct {{
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct record);
}} records SEC(".maps");
const volatile __u32 before = 1;
const volatile __u32 after = 2;
SEC("xdp") int program(struct xdp_md *ctx) {{ return before + after; }}
"""


@pytest.mark.parametrize("planted, moved", [("", 0), ("__u64 planted;", 8), ("__u8 planted;", 0)])
def test_members_are_where_the_object_says(tmp_path, planted, moved):
    source, target = tmp_path / "record.bpf.c", tmp_path / "record.bpf.o"
    source.write_text(RECORD.format(planted=planted))
    machine = subprocess.check_output(["uname", "-m"], text=True).strip()
    subprocess.run([CLANG, "-target", "bpf", "-O2", "-g", f"-I/usr/include/{machine}-linux-gnu", "-c", source, "-o", target],
                   check=True, timeout=60)
    layout = Layout(target)
    record = layout.struct("record")(first=1, word=2, reason=-3, mac=tuple(b"abcdef"))
    record.inner[1].port = 0x1234
    assert record.word == 2 and bytes(record)[8 + moved:16 + moved] == (2).to_bytes(8, "little")
    assert bytes(record)[20 + moved:22 + moved] == b"\x12\x34", "network order"
    assert bytes(record)[24 + moved:30 + moved] == b"abcdef"
    assert len(bytes(record)) == 40 + moved
    assert layout.variable("before") + layout.variable("after") == 4


def test_constants_are_those_of_the_headers():
    known = constants("abi.h", "slot.h", "directory.h")
    assert (known["HF_MAX_PROBES"], known["HF_DEFAULT_SLOTS"], known["HF_FLOW_ESTABLISHED"]) == (8, 16 << 20, 2)
    assert known["HF_DIRECTORY_LENGTHS_MASK"] == 0x1FFFF


def test_a_slots_word_is_taken_apart_as_it_is_put_together():
    word = slot_word(7, base=9, hops=0xABCDEF, moving=True)
    assert Slot.of(word) == (7, 9, 0xABCDEF, True)
    assert word == 0x01ABCDEF_0009_0007
    assert Slot.of(slot_word(7)) == (7, 7, 0, False)
    assert directory_word(512, 3, 9, 1 << 16, 1 << 15) == 512 | 3 << 16 | 9 << 24 | 1 << 48


def test_no_structure_stands_here_a_second_time():
    """Nor do offsets: whoever reads a map asks harness/layout.py."""
    copied = [path.name for path in TOP.glob("tests/*/*.py") if re.search(r"_fields_ = \[\(\"", path.read_text())]
    assert sorted(copied) == ["libbpf.py"], "its structures are the kernel's"
    assert struct("hf_flow").tag.offset == 0

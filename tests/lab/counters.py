# SPDX-License-Identifier: Apache-2.0
"""Every counter of loss on a packet's way, read where the kernel keeps it, with no daemon's help."""

import hashlib
import json
import mmap
import os
import re
from ctypes import CDLL, c_char_p

from harness import PINS
from harness.layout import reasons, struct
from harness.namespace import Namespace
from harness.process import run


def bytes_of(words):
    return bytes(int(word, 16) for word in words)


def packets_by_reason(instance):
    """number -> packets, over all processors."""
    entries = json.loads(run("bpftool", "-j", "map", "dump", "pinned", PINS / instance / "maps" / "reasons").stdout)
    counter = struct("hf_reason_counter")
    return {int.from_bytes(bytes_of(entry["key"]), "little"):
            sum(counter.from_buffer_copy(bytes_of(value["value"])).packets for value in entry["values"])
            for entry in entries}


def pinned_memory(path, size):
    """A digest of a pinned array that can be mapped."""
    fd = CDLL("libbpf.so.1", use_errno=True).bpf_obj_get(c_char_p(str(path).encode()))
    try:
        with mmap.mmap(fd, size, mmap.MAP_SHARED, mmap.PROT_READ) as memory:
            return hashlib.sha1(memory).hexdigest()
    finally:
        os.close(fd)


def live_maps(instance):
    """Everything that an instance's maps hold: name -> a digest, or the entries of those that are counted in."""
    held = {}
    for path in (PINS / instance / "maps").iterdir():
        about = json.loads(run("bpftool", "-j", "map", "show", "pinned", path).stdout)
        if about["type"] == "array":
            held[path.name] = pinned_memory(path, about["max_entries"] * ((about["bytes_value"] + 7) // 8 * 8))
        else:
            held[path.name] = json.loads(run("bpftool", "-j", "map", "dump", "pinned", path).stdout)
    return held


def balancer_drops(instance):
    counted = packets_by_reason(instance)
    return {f"{instance} {word}": counted[number] for number, (word, verdict) in reasons().items() if verdict == "DROP"}


def link_drops(netns):
    """Errors and drops of every link of a namespace, those of native XDP on veth included."""
    namespace = Namespace(netns)
    drops = {}
    for link in json.loads(namespace.run("ip", "-json", "-statistics", "link", "show").stdout):
        name = link["ifname"]
        for way in ("rx", "tx"):
            for what in ("errors", "dropped", "over_errors", "carrier_errors"):
                drops[f"{netns} {name} {way} {what}"] = link["stats64"][way].get(what, 0)
        if name != "lo":
            for line in namespace.run("ethtool", "-S", name).stdout.splitlines():
                what, _, value = line.strip().partition(": ")
                if value and re.search(r"drop|err", what):
                    drops[f"{netns} {name} {what}"] = int(value)
    return drops


def socket_drops(host):
    """Datagrams that reached a host and no socket's queue."""
    lines = [line.split() for line in host.run("cat", "/proc/net/snmp").stdout.splitlines() if line.startswith("Udp:")]
    table = dict(zip(lines[0][1:], map(int, lines[1][1:])))
    return {f"{host.netns} udp {name}": table[name] for name in ("NoPorts", "InErrors", "RcvbufErrors", "SndbufErrors")}


def all_drops(lab, instance):
    drops = balancer_drops(instance)
    for netns in [lab.router.netns, *(host.netns for host in lab.hosts.values())]:
        drops.update(link_drops(netns))
    for host in lab.backends:
        drops.update(socket_drops(host))
    return drops


def risen(before, after):
    return {name: after[name] - before.get(name, 0) for name in after if after[name] != before.get(name, 0)}

# SPDX-License-Identifier: Apache-2.0
"""Other people's programs on loopback, and what `placement lookup` says of the keys that they are asked about."""

import json
import shutil
import socket

import pytest

from harness import BUILD
from harness.process import run

KEYS = [f"user:{number}" for number in range(10000)]


def lookup(keys, *options):
    """What `placement lookup` says of each key."""
    return json.loads(run(BUILD / "holdfast", "placement", "lookup", "--json", "--replicas", "1", *options, "--", *keys,
                          timeout=120).stdout)


def needs(program):
    found = shutil.which(program, path="/usr/sbin:/usr/bin:/sbin:/bin")
    if not found:
        pytest.skip(f"{program} is not installed (make deps)")
    return found


def is_free(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) != 0


def free_ports(count, above=0):
    """Ports of 127.0.0.1 that nobody listens on; `above`: the port that much higher is free too."""
    found, held = [], []
    try:
        while len(found) < count:
            plug = socket.socket()
            held.append(plug)
            plug.bind(("127.0.0.1", 0))
            port = plug.getsockname()[1]
            if not above or (port + above <= 65535 and is_free(port + above)):
                found.append(port)
    finally:
        for plug in held:
            plug.close()
    return found

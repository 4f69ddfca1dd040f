# SPDX-License-Identifier: Apache-2.0
"""A large instance: what it holds in memory, and what one change costs beside all of it."""

import re

POOLS, BACKENDS, SERVICES = 100, 40, 1000
ANON_MIB = 64


def whole(seed):
    return {
        "version": 1, "seed": seed, "interfaces": [],
        "pools": [{"name": f"p{i}", "backends": [{"name": f"b{j}", "address": f"10.100.{i}.{j + 1}"}
                                                 for j in range(BACKENDS)]} for i in range(POOLS)],
        "services": [{"listen": f"tcp 203.0.{i // 250}.{i % 250 + 1}:80", "pool": f"p{i % POOLS}"}
                     for i in range(SERVICES)],
    }


def spent(daemon):
    """Seconds of processor time, which others on this machine do not change."""
    with open(f"/proc/{daemon.process.pid}/schedstat") as schedstat:
        return int(schedstat.read().split()[0]) / 1e9


def test_a_hundred_pools(idle):
    idle.start("--max-counters", "1000000")
    began = spent(idle)
    idle.operate("model.apply", configuration=whole(idle.get("/v1/status")["seed"]))
    cold = spent(idle) - began
    changes = 10
    began = spent(idle)
    for i in range(changes):
        idle.operate("backend.set", pool="p5", name="b3", weight=50 + i)
    one = (spent(idle) - began) / changes
    print(f"cold {cold * 1000:.0f} ms, one change {one * 1000:.1f} ms of processor time")
    assert one < cold / 5, "what does not change is not built again"
    assert len(idle.get("/v1/backends")["backends"]) == POOLS * BACKENDS
    assert len(idle.get("/v1/status")["services"]) == SERVICES
    with open(f"/proc/{idle.process.pid}/status") as status:
        anon = int(re.search(r"RssAnon:\s+(\d+) kB", status.read())[1])
    assert anon < ANON_MIB * 1024, f"{anon} kB"
    idle.kill()
    idle.start("--max-counters", "1000000")
    assert idle.get("/v1/status")["slots"]["used"] == POOLS * 65537

# SPDX-License-Identifier: Apache-2.0
"""As many services as an instance holds, whatever their addresses and ports have in common: they can be loaded and
changed, again and again."""

import pytest

LIMIT = 8192

PATTERNS = {
    "ports in steps": lambda i: f"203.0.113.{i % 5 + 1}:{1000 + 5 * (i // 5)}",
    "consecutive addresses": lambda i: f"10.{i // 250 // 250}.{i // 250 % 250}.{i % 250 + 1}:80",
    "both": lambda i: f"203.0.{i % 64}.1:{1000 + 7 * (i // 64)}",
    "low bytes of IPv6": lambda i: f"[2001:db8::{i + 1:x}]:443",
    "middle bytes of IPv6": lambda i: f"[2001:db8:{i % 32:x}:{i // 32:x}::1]:443",
}


def whole(seed, listens):
    return {"version": 1, "seed": seed, "interfaces": [],
            "pools": [{"name": "p", "table_size": 251, "backends": [{"name": "b", "address": "10.9.0.11"}]}],
            "services": [{"listen": f"tcp {listen}", "pool": "p"} for listen in listens]}


def change_again_and_again(daemon, listens, times=3):
    """One after the other, so that what the last change retired may still wait for its packets."""
    for i in range(times):
        daemon.operate("service.set", proto="tcp", listen=listens[-1], idle=100 + i)
        daemon.operate("service.remove", proto="tcp", listen=listens[i])
        daemon.operate("service.add", proto="tcp", listen=listens[i], pool="p")


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("count", (4000, LIMIT))
def test_services_can_be_loaded_and_changed(idle, pattern, count):
    listens = [PATTERNS[pattern](i) for i in range(count)]
    idle.start()
    idle.operate("model.apply", configuration=whole(idle.get("/v1/status")["seed"], listens))
    change_again_and_again(idle, listens)
    idle.kill()
    idle.start()
    change_again_and_again(idle, listens)
    assert len(idle.get("/v1/status")["services"]) == count


def test_more_services_than_the_limit_are_refused(idle):
    listens = [PATTERNS["ports in steps"](i) for i in range(LIMIT + 1)]
    idle.start()
    seed = idle.get("/v1/status")["seed"]
    _, error = idle.refuse("model.apply", configuration=whole(seed, listens))
    assert error["right"] == f"{LIMIT} at most"


def test_more_port_prefixes_than_the_limit_are_refused(idle):
    """A range of ports takes an entry for each prefix that it is made of, thirty at most."""
    listens = [f"10.0.{i // 250}.{i % 250 + 1}:1-65534" for i in range(600)]
    idle.start()
    seed = idle.get("/v1/status")["seed"]
    _, error = idle.refuse("model.apply", configuration=whole(seed, listens))
    assert "16384 entries" in error["what"]
    idle.operate("model.apply", configuration=whole(seed, listens[:500]))
    change_again_and_again(idle, listens[:500])

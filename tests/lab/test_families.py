# SPDX-License-Identifier: Apache-2.0
"""Every family in every family: clients and backends need not speak the same IP."""

import itertools

import pytest

from harness import servers
from harness.wait import wait_until


WAYS = {  # how a packet travels -> (VIP, which of a backend's addresses)
    "v4 in v4": ("203.0.113.10", "address"),
    "v4 in v6": ("203.0.113.11", "address6"),
    "v6 in v4": ("2001:db8:203::10", "address"),
    "v6 in v6": ("2001:db8:203::11", "address6"),
}


ENCAPS = {  # encapsulation -> port, addresses that backends have in turn; the hops of GUE are of one family
    "ipip": (81, ("address", "address6")),
    "gre": (82, ("address", "address6")),
    "gue": (83, ("address6",)),
}


@pytest.fixture(scope="module")
def families(balanced):
    """A pool and a VIP for each way but the first, which is there; and a pool for each encapsulation."""
    lab, daemon = balanced()
    for number, (vip, family) in enumerate(list(WAYS.values())[1:]):
        daemon.run(f"pool add way{number}")
        for backend in lab.backends:
            daemon.run(f"backend add way{number}/{backend.name} {getattr(backend, family)}")
        listen = f"[{vip}]:80" if ":" in vip else f"{vip}:80"
        daemon.run(f"service add tcp {listen} --pool way{number}")
    for backend in lab.backends:
        servers.start_nginx(backend, [port for port, _ in ENCAPS.values()])
    for encap, (port, addresses) in ENCAPS.items():
        daemon.run(f"pool add {encap} --encap {encap}")
        for backend, address in zip(lab.backends, itertools.cycle(addresses)):
            daemon.run(f"backend add {encap}/{backend.name} {getattr(backend, address)}")
        for vip in ("203.0.113.10", "[2001:db8:203::10]"):
            daemon.run(f"service add tcp {vip}:{port} --pool {encap}")
    return lab


def url(vip, page, port=80):
    return f"http://[{vip}]:{port}/{page}" if ":" in vip else f"http://{vip}:{port}/{page}"


@pytest.mark.parametrize("way", WAYS)
def test_connections_and_large_files_arrive(families, way):
    lab, vip = families, WAYS[way][0]
    wait_until(lambda: lab.c1.run("curl", "-s", "-m", "1", url(vip, ""), check=False).stdout, 20, f"{vip} answers")
    counted = servers.start_traffic(lab.c1, "connect", vip, 80, "--count", "400").result(60)
    assert counted["failed"] == 0
    assert set(counted["answers"]) == {backend.name for backend in lab.backends}
    assert int(lab.c1.curl(url(vip, "file"), "-o", "/dev/null", "-w", "%{size_download}",
                           timeout=60)) == servers.FILE_BYTES


@pytest.mark.parametrize("encap", ENCAPS)
@pytest.mark.parametrize("vip", ["203.0.113.10", "2001:db8:203::10"])
def test_every_encapsulation(families, vip, encap):
    """It is placed whole, each packet wrapped for its backend's family, and the receivers unwrap all of them."""
    lab, port = families, ENCAPS[encap][0]
    wait_until(lambda: lab.c1.run("curl", "-s", "-m", "1", url(vip, "", port), check=False).stdout, 20, f"{vip} answers")
    counted = servers.start_traffic(lab.c1, "connect", vip, port, "--count", "400").result(60)
    assert counted["failed"] == 0, counted["errors"]
    assert set(counted["answers"]) == {backend.name for backend in lab.backends}
    assert min(counted["answers"].values()) > 50

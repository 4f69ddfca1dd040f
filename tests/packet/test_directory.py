# SPDX-License-Identifier: Apache-2.0
"""Services: exact ports, ranges, any port; generations of the directory; counters; the observing form."""

import itertools

import pytest

from dataplane import PASS, TCP, TX, UDP, family
from frames import BACKENDS, SIZE, VIPS, chosen_backend, client_frame, flow_hash, wrapped
from pools import make_plane

SEEDS = 0, 1, 255  # 0: as an earlier version laid directories out
OTHER = {4: "203.0.113.77", 6: "2001:db8::77"}


def service_of(plane, address, proto, port):
    """Which of the pools that have one backend each gets the packet; None: it passes."""
    frame = client_frame(family(address), proto, 5, dport=port, destination=address)
    verdict, out = plane.program.run(frame)
    if verdict == PASS:
        assert out == frame
        return None
    assert verdict == TX
    return next(n for n, backend in BACKENDS.items() if out[:6].hex(":") == backend.mac)


@pytest.mark.parametrize("seed, ip_version", itertools.product(SEEDS, (4, 6)))
def test_longest_prefix_of_the_port(fresh, seed, ip_version):
    """An exact port before a short range, that before a long one, and any port last."""
    fresh.seed = seed
    address = OTHER[ip_version]
    for pool in range(1, 5):
        fresh.set_table(10 + pool, [pool], pool=10 + pool)
    fresh.add_service(TCP, address, 0x1F90, pool=11)           # 8080
    fresh.add_service(TCP, address, 0x1F80, pool=12, bits=12)  # 8064..8079 and the rest of its sixteen
    fresh.add_service(TCP, address, 0x1F80, pool=13, bits=10)  # 8064..8127
    expected = {8080: 1, 0x1F81: 2, 0x1F8F: 2, 0x1F91: 3, 0x1FBF: 3, 0x1FC0: None, 0x1F7F: None, 1: None}
    assert {port: service_of(fresh, address, TCP, port) for port in expected} == expected
    fresh.add_service(TCP, address, 0, pool=14, bits=0)
    expected = {port: number or 4 for port, number in expected.items()}
    assert {port: service_of(fresh, address, TCP, port) for port in expected} == expected
    assert service_of(fresh, address, UDP, 8080) is None
    assert service_of(fresh, VIPS[ip_version], TCP, 8080) is None


@pytest.mark.parametrize("bits", range(17))
def test_every_length_of_range(fresh, bits):
    fresh.set_table(11, [1], pool=11)
    first, size = 0xA5C3 & (0xFFFF << (16 - bits)), 1 << (16 - bits)
    fresh.add_service(UDP, OTHER[4], first, pool=11, bits=bits)
    for port in {first, first + size - 1, first + size // 2, 0xA5C3}:
        assert service_of(fresh, OTHER[4], UDP, port) == 1
    for port in {first - 1, first + size} & set(range(1, 65536)):
        assert service_of(fresh, OTHER[4], UDP, port) is None


@pytest.mark.parametrize("seed", SEEDS)
def test_a_full_directory_finds_every_service(fresh, seed):
    """Neighbours in the directory are told apart, and strangers are not taken for them."""
    fresh.seed = seed
    fresh.set_table(11, [1], pool=11)
    for i in range(90):
        fresh.add_service(TCP, f"203.0.113.{100 + i % 30}", 1000 + i, pool=11, ordinals=1)
    for i in range(90):
        assert service_of(fresh, f"203.0.113.{100 + i % 30}", TCP, 1000 + i) == 1
        assert service_of(fresh, f"203.0.113.{100 + (i + 1) % 30}", TCP, 1000 + i) is None


@pytest.mark.parametrize("ip_version, proto", itertools.product((4, 6), (TCP, UDP)))
def test_counters(fresh, ip_version, proto):
    """Packets, bytes as they came, and for TCP the flows that were opened (test_flow.py has UDP), by service and backend."""
    expected = {n: [0, 0, 0] for n in range(4)}
    for sport, flags, payload in itertools.product(range(5000, 5040), ("S", "SA", "A", "SE"), (0, 33)):
        frame = client_frame(ip_version, proto, payload, sport, flags=flags).ljust(60, b"\0")
        assert fresh.program.run(frame)[0] == TX
        record = expected[chosen_backend(flow_hash(ip_version, proto, sport)) - 1]
        record[0] += 1
        record[1] += len(frame)
        record[2] += proto == TCP and flags in ("S", "SE")
    for (service_version, service_proto, port), service in fresh.on.items():
        same = (service_version, service_proto, port) == (ip_version, proto, 80)
        for ordinal in range(4):
            assert fresh.counters(service, ordinal) == (tuple(expected[ordinal]) if same else (0, 0, 0))
    assert not fresh.reasons()


def test_a_backend_without_a_counter_is_still_served(fresh):
    backend = BACKENDS[1]
    fresh.set_table(3, [1] * SIZE, pool=1, seed=0x0123456789ABCDEF)
    fresh.set_backend(1, backend.address, backend.source, backend.mac, ordinal=4)
    frame = client_frame(4, TCP)
    assert fresh.program.run(frame) == (TX, wrapped(frame, backend, flow_hash(4, TCP)))
    assert all(fresh.counters(service, n) == (0, 0, 0) for service in fresh.on.values() for n in range(4))


@pytest.fixture
def observer(fresh):
    plane = make_plane.__globals__["DataPlane"](shared_with=fresh, observing=True)
    yield plane
    plane.object.close()


def test_observing_says_what_it_found_and_leaves_no_trace(fresh, observer):
    for ip_version, proto, (dport, pool) in itertools.product((4, 6), (TCP, UDP), ((80, 1), (81, 2))):
        frame = client_frame(ip_version, proto, 7, 1234, dport)
        out = observer.program.run(frame)
        found, hash_ = observer.observation(), flow_hash(ip_version, proto, 1234, dport)
        service = fresh.on[ip_version, proto, dport]
        assert (found.stage, found.reason, found.hash) == (9, 0, hash_)
        assert (found.service, found.pool, found.table) == (service.number, pool, pool)
        assert (found.slot, found.backend) == ((hash_ >> 32) * SIZE >> 32, chosen_backend(hash_, dport))
        assert found.slot_word & 0xFFFF == found.backend and found.link == 1 and found.choice == 0
        assert not fresh.reasons() and fresh.counters(service, (found.backend - 1) % 4) == (0, 0, 0)
        assert fresh.program.run(frame) == out
    assert fresh.program.run(client_frame(4, TCP, dport=8080))[0] == PASS
    before = fresh.reasons()
    assert observer.program.run(client_frame(4, TCP, dport=8080))[0] == PASS
    assert observer.observation().reason == 4 and observer.observation().stage == 3
    assert fresh.reasons() == before

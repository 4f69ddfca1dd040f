# SPDX-License-Identifier: Apache-2.0
"""A map that is full is told with the option of holdfastd that makes it larger, and when that counts."""

import pytest

WHEN = "which takes effect when the instance's pins are made again"


def first_refusal(daemon, operation, each, **arguments):
    """Goes on until it is refused: how often it was done, and the error."""
    for done in range(200):
        status, answer = daemon.post(operation, {**arguments, **each(done)})
        if status != 200:
            return done, (status, answer["error"])
    raise AssertionError("it was never refused")


def add_services(daemon, there=0):
    return first_refusal(daemon, "service.add", lambda n: {"listen": f"203.0.113.10:{there + n + 1}"}, proto="tcp", pool="db")


def fill_counters(daemon):
    daemon.operate("pool.add", name="db", table_size=251)
    daemon.operate("backend.add", pool="db", name="db1", address="10.9.0.11")
    return add_services(daemon)


def fill_hops(daemon):
    daemon.operate("pool.add", name="db", table_size=251, encap="gue")
    return first_refusal(daemon, "backend.add", lambda n: {"name": f"db{n}", "address": f"10.9.0.{11 + n}"}, pool="db")


def fill_slots(daemon):
    return first_refusal(daemon, "pool.add", lambda n: {"name": f"p{n}"}, table_size=65521)


@pytest.mark.parametrize("option, entries, fill, larger", [
    ("--max-counters", 64, fill_counters, "128"), ("--max-hops", 16, fill_hops, "32"),
    ("--max-slots", 200000, fill_slots, "262112")])
def test_a_full_map_is_told_with_its_option(idle, option, entries, fill, larger):
    idle.start(option, str(entries))
    done, (status, error) = fill(idle)
    assert done and status == 503
    assert f"holdfastd {option} {larger}, {WHEN}" in error["right"], error


def test_a_map_is_as_large_as_its_pin_whatever_the_options_say(idle):
    idle.start("--max-counters", "64")
    done, (_, error) = fill_counters(idle)
    assert done and "the 63 counters are not enough" in error["what"]
    idle.kill()  # a stop would remove the pins of an instance without an attachment
    idle.start()  # without the option the default would count, which is larger
    again, (_, later) = add_services(idle, done)
    assert again == 0 and later == error

# SPDX-License-Identifier: Apache-2.0
"""Placements that are far from even: what they cost, and what a change says of them."""

from test_size import spent


def whole(seed, scheme, slots, weights, name="b"):
    return {"version": 1, "seed": seed, "interfaces": [],
            "pools": [{"name": "p", "scheme": scheme, "table_size": slots,
                       "backends": [{"name": f"{name}{i}", "address": f"10.9.0.1{i + 1}", "weight": weight}
                                    for i, weight in enumerate(weights)]}],
            "services": [{"listen": "tcp 203.0.113.10:80", "pool": "p"}]}


def cost(daemon, seed, weights, names):
    """Of a table under one of the names: some of them leave the lightest member without a slot."""
    for name in names:
        began = spent(daemon)
        status, answer = daemon.post("model.apply", {"configuration": whole(seed, "ring", 16381, weights, name)},
                                     force=True)
        if status == 200:
            return spent(daemon) - began
        assert "would earn no slot" in answer["error"]["what"], answer
    raise AssertionError("no name gives the lightest member a slot")


def test_a_ring_of_few_heavy_members_costs_what_an_even_one_costs(daemon):
    """Where two members have nearly all tokens, the third is far from most slots."""
    seed = daemon.get("/v1/status")["seed"]
    even = cost(daemon, seed, (21000, 21000, 21001), "e")
    uneven = cost(daemon, seed, (5, 31500, 31500), "abcdfghij")
    print(f"even {even * 1000:.0f} ms, uneven {uneven * 1000:.0f} ms of processor time")
    assert uneven < 5 * even


def test_shares_that_are_far_from_the_weights_are_warned_of(daemon):
    seed = daemon.get("/v1/status")["seed"]
    answer = daemon.operate("model.apply", configuration=whole(seed, "modulo", 251, (101, 100, 99)))
    assert [line for line in answer["warnings"] if "b2 is due 83 of 251 slots" in line and "gives it 50" in line], answer
    status, answer = daemon.post("model.apply", {"configuration": whole(seed, "maglev", 251, (101, 100, 99))}, force=True)
    assert status == 200 and not [line for line in answer["warnings"] if "is due" in line], answer

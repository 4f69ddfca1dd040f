# SPDX-License-Identifier: Apache-2.0
"""referee.py PIN: loads the data plane with what the referee asks for (two VIPs of each family, a hundred backends
a pool) and pins its program at PIN, without the daemon. Remove PIN to be rid of it."""

import random
import sys

from dataplane import TCP, UDP, DataPlane

SLOTS, BACKENDS = 65537, 100


def main(pin):
    plane = DataPlane(sizes={"services": 32768})
    chance = random.Random(1)
    plane.set_link(1, "02:00:00:00:00:01")
    for i in range(1, BACKENDS + 1):
        plane.set_backend(i, f"10.201.0.{i}", "10.202.0.0", src_mask=16)
        plane.set_backend(BACKENDS + i, f"fc00:3::{i:x}", "fc00:4::", src_mask=16, ordinal=i)
    for pool in (1, 2):
        numbers = [i % BACKENDS + 1 + (pool - 1) * BACKENDS for i in range(SLOTS)]
        chance.shuffle(numbers)
        plane.set_table(pool, numbers, pool=pool, seed=0x1234567887654321)
    for proto in (TCP, UDP):
        plane.add_service(proto, "10.200.1.1", 80, pool=1)
        plane.add_service(proto, "fc00:1::1", 80, pool=2)
    plane.add_service(TCP, "10.200.1.3", 80, pool=2)
    plane.program.pin(pin)


if __name__ == "__main__":
    main(*sys.argv[1:])

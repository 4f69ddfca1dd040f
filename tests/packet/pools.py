# SPDX-License-Identifier: Apache-2.0
"""The data plane loaded as most tests want it."""

from dataplane import TCP, UDP, DataPlane
from frames import BACKENDS, CLIENTS, LINK_MAC, VIPS


def make_plane(**options):
    """Two pools over the same slots: 1 of IPv4 backends 1..4, 2 of IPv6 backends 5..8; a service of every family and
    protocol on port 80 for pool 1, and on port 81 for pool 2."""
    plane = DataPlane(**options)
    plane.set_link(1, LINK_MAC)
    for number, backend in BACKENDS.items():
        plane.set_backend(number, backend.address, backend.source, backend.mac, ordinal=(number - 1) % 4)
    plane.set_table(1, [i % 4 + 1 for i in range(251)], pool=1, seed=0x0123456789ABCDEF)
    plane.set_table(2, [i % 4 + 5 for i in range(251)], pool=2, seed=0xFEDCBA9876543210)
    plane.on = {(family, proto, port): plane.add_service(proto, VIPS[family], port, pool=pool, ordinals=4)
                for family in CLIENTS for proto in (TCP, UDP) for port, pool in ((80, 1), (81, 2))}
    return plane

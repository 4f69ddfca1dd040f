/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The MAC addresses of this host on a link: a frame for any other unicast address is another host's, which a
 * switch that floods or a NIC in promiscuous mode delivers here too.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct mac {
	uint8_t bytes[6];
};

/* Sorted, none twice. */
struct macs {
	struct mac *list;
	size_t count, room;
};

/*
 * Collects the interface's own address, that of the bridge or bond it belongs to, and the unicast addresses
 * that other devices have it receive: those of macvlan devices, in any network namespace, while they are up.
 * The caller frees ret->list. 0 or -errno; -ENODEV: there is no such interface.
 */
int macs_collect(uint32_t ifindex, struct macs *ret);

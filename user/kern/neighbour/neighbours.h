/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's neighbour entries that Holdfast made. They carry a protocol number (NDA_PROTOCOL, as routes
 * do), which tells them from the entries of the host's own packets.
 */
#pragma once

#include "kern/base/route.h"

/* Not in /etc/iproute2/rt_protos, where `ip neigh` looks for a name. */
enum neighbour_protocol {
	NEIGHBOUR_KEPT = 104,  /* a daemon's next hop */
	NEIGHBOUR_ASKED = 105, /* asked for once, by `check` */
};

/* Has the kernel forget the neighbour if it carries that number. 0 also where it does not. */
int neighbour_forget(struct netlink *netlink, uint32_t ifindex, const struct address *address,
		     enum neighbour_protocol protocol);
/* Has the kernel forget all that carry it, in this network namespace. The kernel resolves again what is
 * needed.
 */
int neighbours_forget(enum neighbour_protocol protocol);

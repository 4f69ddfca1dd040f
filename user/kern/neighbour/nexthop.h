/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Next hops: for each address that is wanted, the interface, MAC addresses, path MTU and own source address
 * by which the kernel would reach it, kept true by netlink (routes, neighbours, links) in the network
 * namespace where it was opened. An event loop polls nexthops_fd() for reading and calls nexthops_dispatch();
 * nexthops_tick() keeps unresolved neighbours asked for and the others confirmed: a gateway that moved is
 * found within two ticks, a backend on link too unless there are many.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/value/address.h"
#include "kern/base/carrier.h"

struct nexthops;

struct nexthop {
	struct address address; /* whose */
	bool resolved;
	uint32_t ifindex; /* 0: no route */
	char interface[16];
	uint8_t mac[6];         /* the neighbour's; valid if resolved */
	uint8_t own_mac[6];     /* the interface's */
	uint32_t mtu;           /* of the route or else the interface */
	struct address gateway; /* family 0: on link */
	struct address source;  /* what the kernel would send from */
	/* NULL if resolved: "no route", "no route: blackhole" (or unreachable, prohibit: the table has such a
	 * route), "neighbour unresolved", "interface down", "local address" */
	const char *problem;
	bool certain; /* the kernel states the problem; else the next hop may be lost for a moment only */
};

typedef void (*nexthop_changed)(const struct nexthop *nexthop, void *context);

/* changed NULL: for a look; then nexthops_close() has the kernel forget the neighbours that it asked for. */
int nexthops_open(nexthop_changed changed, void *context, struct nexthops **ret);
void nexthops_close(struct nexthops *nexthops);
int nexthops_fd(const struct nexthops *nexthops);
/* Reads what the kernel has to say (never blocks) and calls changed for every wanted address whose next hop
 * differs from before. */
int nexthops_dispatch(struct nexthops *nexthops);
int nexthops_tick(struct nexthops *nexthops);
/* Starts to follow an address (counted: want twice, forget twice). changed is called at once with the first
 * finding. */
int nexthops_want(struct nexthops *nexthops, const struct address *address);
void nexthops_forget(struct nexthops *nexthops, const struct address *address);
/* NULL: not wanted. Borrowed until the next dispatch. */
const struct nexthop *nexthops_get(const struct nexthops *nexthops, const struct address *address);
/* Whether an interface carries packets. */
enum link_state nexthops_link(struct nexthops *nexthops, uint32_t ifindex);

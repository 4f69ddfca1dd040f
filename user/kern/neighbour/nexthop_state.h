/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of next hops share: the addresses that are wanted, and how one is looked into. */
#pragma once

#include "neighbours.h"
#include "kern/base/netlink.h"
#include "nexthop.h"
#include "kern/base/route.h"

struct wanted {
	struct nexthop now;
	unsigned int count;
	bool dirty;
	bool missing; /* the kernel lost its neighbour; the last known MAC stays until the next tick */
	uint16_t neighbour_state;
};

struct nexthops {
	nexthop_changed changed;
	void *context;
	enum neighbour_protocol protocol; /* of the neighbours that are asked for */
	struct netlink *questions;
	struct mnl_socket *news;
	struct wanted **sorted; /* by address */
	size_t count, room;
	size_t lost; /* where the asking about those without a route goes on */
	size_t turn; /* where the asking of neighbours that are backends goes on */
	/* The answers to the last questions, for addresses that share them; forgotten when there are news. */
	struct link link;
	struct {
		uint32_t ifindex;
		struct address address;
		struct neighbour neighbour;
	} asked;
	char buffer[NETLINK_ROOM];
};

/* Whom the kernel would ask for a MAC address. */
static inline const struct address *neighbour_of(const struct nexthop *nexthop)
{
	return nexthop->gateway.family ? &nexthop->gateway : &nexthop->address;
}

/* nexthop_find.c */
void answers_forget(struct nexthops *nexthops);
/* A neighbour's state as the kernel has it; one that is not usable is asked for. */
const struct neighbour *neighbour_seek(struct nexthops *nexthops, uint32_t ifindex,
				       const struct address *address);
/* Asks the kernel, and calls changed if the finding is another, or the first. */
void wanted_refresh(struct nexthops *nexthops, struct wanted *wanted, bool first);

/* nexthop_news.c */
int news_open(struct nexthops *nexthops);

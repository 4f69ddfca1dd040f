/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules of routing policy (ip-rule(8)) and the tables that they lead to, as the kernel has them. For the
 * preflight, which compares what a route lookup meets with what packets would meet.
 */
#pragma once

#include "kern/base/route.h"

struct rule {
	uint32_t priority, table;
	uint8_t action; /* FR_ACT_* */
	bool inverted;
	struct prefix from, to; /* of 0 bits: any */
	char iif[16];           /* empty: any */
	uint8_t tos, proto;     /* 0: any */
	bool ports;             /* it asks for ports */
	bool alien; /* it asks for what no packet of a balancer has: a mark, a socket's interface or user, ...
		     */
	int suppressed; /* routes of prefixes up to so long do not count; -1: all count */
};

struct rules {
	struct rule *list; /* in the kernel's order */
	size_t count;
};

/* A table's routes; those with several next hops have ifindex 0. */
struct table_route {
	struct prefix to;
	uint32_t metric;
	struct route route;
};

struct table_routes {
	struct table_route *list;
	size_t count;
};

/* family: 4 or 6. 0 or -errno; *ret is the caller's to free with rules_free(). */
int rules_read(struct netlink *netlink, uint8_t family, struct rules *ret);
void rules_free(struct rules *rules);
enum { RULE_TEXT = 160 };
/* As `ip rule` writes it: "from 10.64.0.0/16 lookup 100". Returns text. */
const char *rule_text(const struct rule *rule, char text[RULE_TEXT]);
/* Whether the rule's action refuses packets. */
bool rule_refuses(const struct rule *rule);
/* Whether a lookup that knows the destination alone meets all that the rule asks for but the destination and
 * an inversion. */
bool rule_is_plain(const struct rule *rule);

/* A table that is not there has no routes. To be freed with table_free_routes(). */
int table_read(struct netlink *netlink, uint8_t family, uint32_t table, struct table_routes *ret);
void table_free_routes(struct table_routes *routes);
/* The route of the longest prefix above `suppressed` bits, then of the lowest metric; NULL: none. */
const struct route *table_find(const struct table_routes *routes, const struct address *address,
			       int suppressed);

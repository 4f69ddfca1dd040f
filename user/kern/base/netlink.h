/* SPDX-License-Identifier: Apache-2.0 */
/* Netlink questions, one at a time: ask, and every answer is visited until the kernel says that was all. */
#ifndef HOLDFAST_NETLINK_H
#define HOLDFAST_NETLINK_H

#include <libmnl/libmnl.h>
#include <stddef.h>
#include <stdint.h>

struct netlink;

enum { NETLINK_ROOM = 32768, NETLINK_REASON = 160 };

int netlink_open(int bus, struct netlink **ret); /* NETLINK_ROUTE, NETLINK_GENERIC */
void netlink_close(struct netlink *netlink);
/* An empty request in the socket's own buffer, to be filled with mnl_nlmsg_put_*() and asked. */
struct nlmsghdr *netlink_request(struct netlink *netlink, uint16_t type, uint16_t flags);
/*
 * Sends the request and calls visit (which may be NULL) for each answer. Returns 0, or the kernel's negative
 * errno, or the first non-zero that visit returned. reason (which may be NULL) gets the kernel's extended
 * acknowledgement, empty if there was none. At most two seconds: -ETIMEDOUT.
 */
int netlink_ask(struct netlink *netlink, struct nlmsghdr *request,
		int (*visit)(const struct nlmsghdr *answer, void *context), void *context,
		char reason[NETLINK_REASON]);

/* Collects attributes by type; those beyond limit are left out. */
struct attributes {
	const struct nlattr **by_type;
	uint16_t limit;
};
int attributes_collect(const struct nlattr *attribute, void *attributes); /* for mnl_attr_parse*() */

#endif

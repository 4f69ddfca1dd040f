/* SPDX-License-Identifier: Apache-2.0 */
/* Netlink questions, one at a time: ask, and every answer is visited until the kernel says that was all. */
#pragma once

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

/* Lists what the kernel has of a family (AF_INET and the like). type: RTM_GETROUTE and the like, whose header
 * of so many bytes begins with the family. */
int netlink_dump(struct netlink *netlink, uint16_t type, size_t header, uint8_t family,
		 int (*visit)(const struct nlmsghdr *answer, void *context), void *context);
/* The same of IPv4, then of IPv6, if the kernel has that. */
int netlink_list(struct netlink *netlink, uint16_t type, size_t header,
		 int (*visit)(const struct nlmsghdr *answer, void *context), void *context);

/* Collects by type the attributes behind a message's header, of so many bytes. by_type has limit entries,
 * NULL where there is no such attribute. */
void attributes_read(const struct nlmsghdr *message, size_t header, const struct nlattr *by_type[],
		     uint16_t limit);
/* The same of the attributes in an attribute, and of those in so many bytes. */
void attributes_read_nested(const struct nlattr *nest, const struct nlattr *by_type[], uint16_t limit);
void attributes_read_bytes(const void *bytes, size_t length, const struct nlattr *by_type[], uint16_t limit);

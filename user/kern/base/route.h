/* SPDX-License-Identifier: Apache-2.0 */
/* Questions about routes, neighbours and interfaces, as rtnetlink(7) answers them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/value/address.h"
#include "netlink.h"

struct route {
	uint8_t type; /* RTN_UNICAST, RTN_LOCAL, ... */
	uint32_t ifindex;
	uint32_t mtu;   /* of the route or of what the path is known to carry; 0: the interface's */
	uint32_t table; /* that it stands in */
	struct address gateway, source;
};

struct neighbour {
	uint16_t state;   /* NUD_* */
	uint8_t protocol; /* who made the entry (neighbours.h); 0: not known */
	uint8_t mac[6];
};

struct link {
	uint32_t ifindex;
	char name[16];
	uint8_t mac[6];
	uint32_t mtu;
	uint32_t flags;  /* IFF_* */
	uint32_t master; /* the bridge or bond it belongs to; 0: none */
};

/* Which route the kernel would take to address. -ENETUNREACH and the like: none. */
int route_ask(struct netlink *netlink, const struct address *address, struct route *ret);
/* -ENOENT: the kernel knows no such neighbour. */
int neighbour_ask(struct netlink *netlink, uint32_t ifindex, const struct address *address,
		  struct neighbour *ret);
/* Has the kernel resolve a neighbour that is unknown or failed. An entry that this makes carries protocol. */
int neighbour_use(struct netlink *netlink, uint32_t ifindex, const struct address *address, uint8_t protocol);
int neighbour_delete(struct netlink *netlink, uint32_t ifindex, const struct address *address);
/* Has the kernel ask the neighbour itself, now, whether it is still there. */
int neighbour_confirm(struct netlink *netlink, uint32_t ifindex, const struct address *address);
/* Has the kernel forget where the neighbour is. */
int neighbour_fail(struct netlink *netlink, uint32_t ifindex, const struct address *address);
struct nlmsghdr *link_request(struct netlink *netlink, uint32_t ifindex); /* of an RTM_NEWLINK */
int link_ask(struct netlink *netlink, uint32_t ifindex, struct link *ret);

/* Reads an RTM_NEWROUTE; the callback of route_ask(). */
int route_read(const struct nlmsghdr *message, void *route);
/* Reads an RTM_NEWNEIGH or RTM_DELNEIGH; the callback of neighbour_ask(). */
int neighbour_read(const struct nlmsghdr *message, void *neighbour);
bool link_carries(const struct link *link); /* up, and so is the other end */
bool neighbour_usable(const struct neighbour *neighbour);
/* What messages say, for those who listen to them too. */
struct address address_from(uint8_t family, const void *bytes);
struct prefix prefix_from(uint8_t family, const struct nlattr *address,
			  uint8_t bits); /* address NULL: all 0 */

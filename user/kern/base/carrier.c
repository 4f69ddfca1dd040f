// SPDX-License-Identifier: Apache-2.0
#include "carrier.h"

#include <linux/netlink.h>
#include <net/if.h>
#include <stdio.h>

#include "route.h"

enum link_state link_state(const struct link *link)
{
	if (!link)
		return LINK_GONE;
	if (!(link->flags & IFF_UP))
		return LINK_DOWN;
	return link_carries(link) ? LINK_CARRIES : LINK_WITHOUT_CARRIER;
}

enum link_state carrier_ask(uint32_t ifindex)
{
	struct netlink *netlink;
	struct link link;
	int r = netlink_open(NETLINK_ROUTE, &netlink);

	if (r)
		return LINK_GONE;
	r = link_ask(netlink, ifindex, &link);
	netlink_close(netlink);
	return link_state(r ? NULL : &link);
}

const char *carrier_problem(enum link_state state, const char *interface, char text[CARRIER_TEXT])
{
	switch (state) {
	case LINK_DOWN:
		snprintf(text, CARRIER_TEXT, "it is down, so no packet comes in: ip link set %s up",
			 interface);
		return text;
	case LINK_WITHOUT_CARRIER:
		return "it has no carrier, so no packet comes in: look at the cable and at its other end";
	default:
		return NULL;
	}
}

// SPDX-License-Identifier: Apache-2.0
#include "neighbours.h"

#include <linux/neighbour.h>
#include <linux/rtnetlink.h>

int neighbour_forget(struct netlink *netlink, uint32_t ifindex, const struct address *address,
		     enum neighbour_protocol protocol)
{
	struct neighbour neighbour;
	int r = neighbour_ask(netlink, ifindex, address, &neighbour);

	if (r || neighbour.protocol != protocol)
		return 0;
	return neighbour_delete(netlink, ifindex, address);
}

struct sweep {
	enum neighbour_protocol protocol;
	struct netlink *netlink; /* beside the one that lists them */
};

static int forget_one(const struct nlmsghdr *answer, void *context)
{
	const struct ndmsg *message = mnl_nlmsg_get_payload(answer);
	const struct nlattr *by_type[NDA_MAX + 1];
	const struct sweep *sweep = context;
	struct address address;

	attributes_read(answer, sizeof *message, by_type, NDA_MAX + 1);
	if (!by_type[NDA_DST] || !by_type[NDA_PROTOCOL] ||
	    mnl_attr_get_u8(by_type[NDA_PROTOCOL]) != sweep->protocol)
		return 0;
	address = address_from(message->ndm_family, mnl_attr_get_payload(by_type[NDA_DST]));
	neighbour_delete(sweep->netlink, (uint32_t)message->ndm_ifindex, &address);
	return 0;
}

int neighbours_forget(enum neighbour_protocol protocol)
{
	struct sweep sweep = {.protocol = protocol};
	struct netlink *listing = NULL;
	int r = netlink_open(NETLINK_ROUTE, &listing);

	if (!r)
		r = netlink_open(NETLINK_ROUTE, &sweep.netlink);
	if (!r)
		r = netlink_list(listing, RTM_GETNEIGH, sizeof(struct ndmsg), forget_one, &sweep);
	netlink_close(sweep.netlink);
	netlink_close(listing);
	return r;
}

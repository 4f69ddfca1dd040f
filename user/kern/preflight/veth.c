// SPDX-License-Identifier: Apache-2.0
#include "veth.h"

#include <errno.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include "kern/base/route.h"

/* Where an interface is: its number, in the namespace that has this number here. */
struct place {
	uint32_t ifindex;
	bool elsewhere;
	int32_t netns;
};

static int place_read(const struct nlmsghdr *answer, void *context)
{
	const struct nlattr *by_type[IFLA_LINK_NETNSID + 1];
	struct place *place = context;

	attributes_read(answer, sizeof(struct ifinfomsg), by_type, IFLA_LINK_NETNSID + 1);
	if (by_type[IFLA_LINK])
		place->ifindex = mnl_attr_get_u32(by_type[IFLA_LINK]);
	place->elsewhere = by_type[IFLA_LINK_NETNSID];
	if (place->elsewhere)
		place->netns = (int32_t)mnl_attr_get_u32(by_type[IFLA_LINK_NETNSID]);
	return 0;
}

static int peer_read(const struct nlmsghdr *answer, void *context)
{
	const struct nlattr *by_type[IFLA_XDP + 1], *xdp[IFLA_XDP_MAX + 1] = {};
	struct veth_peer *peer = context;

	attributes_read(answer, sizeof(struct ifinfomsg), by_type, IFLA_XDP + 1);
	if (by_type[IFLA_IFNAME])
		snprintf(peer->name, sizeof peer->name, "%s", mnl_attr_get_str(by_type[IFLA_IFNAME]));
	if (by_type[IFLA_XDP])
		attributes_read_nested(by_type[IFLA_XDP], xdp, IFLA_XDP_MAX + 1);
	peer->native = xdp[IFLA_XDP_DRV_PROG_ID];
	return 0;
}

int veth_peer_read(uint32_t ifindex, struct veth_peer *ret)
{
	struct veth_peer peer = {};
	struct place place = {};
	struct nlmsghdr *request;
	struct netlink *netlink;
	int r = netlink_open(NETLINK_ROUTE, &netlink);

	if (r)
		return r;
	r = netlink_ask(netlink, link_request(netlink, ifindex), place_read, &place, NULL);
	if (!r && (!place.ifindex || (place.elsewhere && place.netns < 0)))
		r = -ENXIO;
	if (!r) {
		request = link_request(netlink, place.ifindex);
		if (place.elsewhere)
			mnl_attr_put_u32(request, IFLA_TARGET_NETNSID, (uint32_t)place.netns);
		r = netlink_ask(netlink, request, peer_read, &peer, NULL);
	}
	netlink_close(netlink);
	if (!r)
		*ret = peer;
	return r;
}

// SPDX-License-Identifier: Apache-2.0
#include "veth.h"

#include <errno.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <sys/socket.h>
#include "kern/base/netlink.h"

/* Where an interface is: its number, in the namespace that has this number here. */
struct place {
	uint32_t ifindex;
	bool elsewhere;
	int32_t netns;
};

static int place_read(const struct nlmsghdr *answer, void *context)
{
	const struct nlattr *by_type[IFLA_LINK_NETNSID + 1] = {};
	struct attributes attributes = {by_type, IFLA_LINK_NETNSID + 1};
	struct place *place = context;

	mnl_attr_parse(answer, sizeof(struct ifinfomsg), attributes_collect, &attributes);
	if (by_type[IFLA_LINK])
		place->ifindex = mnl_attr_get_u32(by_type[IFLA_LINK]);
	place->elsewhere = by_type[IFLA_LINK_NETNSID];
	if (place->elsewhere)
		place->netns = (int32_t)mnl_attr_get_u32(by_type[IFLA_LINK_NETNSID]);
	return 0;
}

static int peer_read(const struct nlmsghdr *answer, void *context)
{
	const struct nlattr *by_type[IFLA_XDP + 1] = {}, *xdp[IFLA_XDP_MAX + 1] = {};
	struct attributes attributes = {by_type, IFLA_XDP + 1}, nested = {xdp, IFLA_XDP_MAX + 1};
	struct veth_peer *peer = context;

	mnl_attr_parse(answer, sizeof(struct ifinfomsg), attributes_collect, &attributes);
	if (by_type[IFLA_IFNAME])
		snprintf(peer->name, sizeof peer->name, "%s", mnl_attr_get_str(by_type[IFLA_IFNAME]));
	if (by_type[IFLA_XDP])
		mnl_attr_parse_nested(by_type[IFLA_XDP], attributes_collect, &nested);
	peer->native = xdp[IFLA_XDP_DRV_PROG_ID];
	return 0;
}

static struct nlmsghdr *interface_request(struct netlink *netlink, uint32_t ifindex)
{
	struct nlmsghdr *request = netlink_request(netlink, RTM_GETLINK, 0);
	struct ifinfomsg *message = mnl_nlmsg_put_extra_header(request, sizeof *message);

	message->ifi_index = (int)ifindex;
	return request;
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
	r = netlink_ask(netlink, interface_request(netlink, ifindex), place_read, &place, NULL);
	if (!r && (!place.ifindex || (place.elsewhere && place.netns < 0)))
		r = -ENXIO;
	if (!r) {
		request = interface_request(netlink, place.ifindex);
		if (place.elsewhere)
			mnl_attr_put_u32(request, IFLA_TARGET_NETNSID, (uint32_t)place.netns);
		r = netlink_ask(netlink, request, peer_read, &peer, NULL);
	}
	netlink_close(netlink);
	if (!r)
		*ret = peer;
	return r;
}

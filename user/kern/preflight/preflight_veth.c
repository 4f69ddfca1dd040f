// SPDX-License-Identifier: Apache-2.0
/* The preflight of a way out that is a veth, whose other end decides what arrives there of that XDP sends. */
#include <errno.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdio.h>
#include "checks.h"
#include "kern/base/ethtool.h"
#include "kern/base/route.h"

struct veth_peer {
	char name[16];
	bool native; /* it runs an XDP program in native mode */
};

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

/* The other end, also where it is in another network namespace. Errors: it cannot be looked at from here. */
static int veth_peer_read(uint32_t ifindex, struct veth_peer *ret)
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

/*
 * A program at the other end takes all that is sent. GRO there is enough for what is redirected; for what is
 * sent back by the interface it came in by (XDP_TX) the driver wakes the other end for a program alone.
 */
static void refuse_path(const char *interface, bool returned, const char *peer, struct findings *findings)
{
	if (returned)
		finding_add(findings, FINDING_FAULT,
			    "packets are sent back by %s, a veth, and do not arrive: its other end, %s, runs "
			    "no native XDP program\n"
			    "at the other end: ip link set %s xdpdrv obj FILE sec xdp, with a program that "
			    "passes every packet; or here: holdfast interface detach %s, then holdfast "
			    "interface attach %s --mode generic",
			    interface, peer, peer, interface, interface);
	else
		finding_add(findings, FINDING_FAULT,
			    "packets leave by %s, a veth, and do not arrive: its other end, %s, has neither "
			    "a native XDP program nor GRO on\n"
			    "at the other end: ethtool -K %s gro on",
			    interface, peer, peer);
}

void check_veth(const char *interface, bool returned, struct findings *findings)
{
	uint32_t ifindex = if_nametoindex(interface);
	struct veth_peer peer = {.name = "PEER"};
	uint64_t features = 0;
	bool told = !xdp_features(ifindex, &features), takes = features & XDP_FEATURE_NDO_XMIT;
	bool seen = !veth_peer_read(ifindex, &peer);

	if ((seen && peer.native) || (!returned && takes))
		return;
	/* The kernel says of a veth that it takes packets where the other end has a program, or GRO on. */
	if (!seen && (takes || !told)) {
		finding_add(findings, FINDING_NOTE,
			    "packets leave by %s, a veth, whose other end cannot be looked at from here: "
			    "they arrive only if it runs a native XDP program\n"
			    "where the other end is: ip link show, which says xdp behind its MTU",
			    interface);
		return;
	}
	refuse_path(interface, returned, peer.name, findings);
}

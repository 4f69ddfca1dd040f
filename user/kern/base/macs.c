// SPDX-License-Identifier: Apache-2.0
#include "macs.h"

#include <errno.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include "core/value/list.h"
#include "route.h"

/* A bridge on a bond is two; what is beyond this is a loop. */
enum { MASTERS = 8, MULTICAST = 1 };

static int mac_compare(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct mac));
}

static int mac_add(struct macs *macs, const void *bytes)
{
	struct mac *list = list_grow(macs->list, macs->count, &macs->room, sizeof *list);

	if (!list)
		return -ENOMEM;
	macs->list = list;
	memcpy(macs->list[macs->count++].bytes, bytes, sizeof *macs->list);
	return 0;
}

static void macs_sort(struct macs *macs)
{
	size_t kept = 0;

	qsort(macs->list, macs->count, sizeof *macs->list, mac_compare);
	for (size_t i = 0; i < macs->count; i++) {
		if (!kept || mac_compare(&macs->list[i], &macs->list[kept - 1]))
			macs->list[kept++] = macs->list[i];
	}
	macs->count = kept;
}

struct filters {
	struct macs *macs;
	uint32_t ifindex;
};

/* The rest of what the kernel tells are addresses of others: a bridge's, a tunnel's. */
static int filter_visit(const struct nlmsghdr *answer, void *context)
{
	const struct ndmsg *message = mnl_nlmsg_get_payload(answer);
	const struct nlattr *by_type[NDA_LLADDR + 1];
	struct filters *filters = context;
	const uint8_t *bytes;

	attributes_read(answer, sizeof *message, by_type, NDA_LLADDR + 1);
	if ((uint32_t)message->ndm_ifindex != filters->ifindex || !(message->ndm_flags & NTF_SELF) ||
	    !(message->ndm_state & NUD_PERMANENT) || !by_type[NDA_LLADDR] || by_type[NDA_DST] ||
	    mnl_attr_get_payload_len(by_type[NDA_LLADDR]) != sizeof(struct mac))
		return 0;
	bytes = mnl_attr_get_payload(by_type[NDA_LLADDR]);
	return bytes[0] & MULTICAST ? 0 : mac_add(filters->macs, bytes);
}

/*
 * What the device receives besides its own address, as `bridge fdb show dev IF self` lists it. It
 * knows of devices in other network namespaces too, which RTM_GETLINK hides.
 */
static int filters_collect(struct netlink *netlink, uint32_t ifindex, struct macs *macs)
{
	struct nlmsghdr *request = netlink_request(netlink, RTM_GETNEIGH, NLM_F_DUMP);
	struct ndmsg *message = mnl_nlmsg_put_extra_header(request, sizeof *message);
	struct filters filters = {.macs = macs, .ifindex = ifindex};

	message->ndm_family = AF_BRIDGE;
	message->ndm_ifindex = (int)ifindex;
	return netlink_ask(netlink, request, filter_visit, &filters, NULL);
}

int macs_collect(uint32_t ifindex, struct macs *ret)
{
	struct netlink *netlink;
	struct macs macs = {};
	struct link link = {.master = ifindex};
	int r = netlink_open(NETLINK_ROUTE, &netlink);

	if (r)
		return r;
	for (int i = 0; !r && link.master && i < MASTERS; i++) {
		r = link_ask(netlink, link.master, &link);
		if (!r)
			r = mac_add(&macs, link.mac);
		if (!r)
			r = filters_collect(netlink, link.ifindex, &macs);
	}
	netlink_close(netlink);
	if (r) {
		free(macs.list);
		return r;
	}
	macs_sort(&macs);
	*ret = macs;
	return 0;
}

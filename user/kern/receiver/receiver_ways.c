// SPDX-License-Identifier: Apache-2.0
#include "receiver_ways.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/socket.h>
#include "kern/base/netlink.h"
#include "receiver_keys.h"
#include "kern/base/route.h"

_Static_assert(offsetof(struct way, to) == sizeof(struct hf_receiver_prefix), "the value of struct keys");

struct reading {
	struct keys ways;
	uint32_t ifindex;
};

static int way_add(struct keys *ways, uint8_t family, const void *address, unsigned int bits, uint8_t to)
{
	static const uint8_t none[16];
	struct prefix prefix = {.address = address_from(family, address ?: none), .bits = (uint8_t)bits};
	const struct way way = {.prefix = prefix_to_key(&prefix), .to = to};

	return ways->count == HF_RECEIVER_MAX_WAYS ? -E2BIG : keys_add(ways, &way);
}

static bool leads_out(const struct nlattr *by_type[], uint32_t ifindex)
{
	const struct nlattr *several = by_type[RTA_MULTIPATH];
	const struct rtnexthop *hop;
	size_t length;

	if (by_type[RTA_OIF] && mnl_attr_get_u32(by_type[RTA_OIF]) == ifindex)
		return true;
	if (!several)
		return false;
	hop = mnl_attr_get_payload(several);
	length = mnl_attr_get_payload_len(several);
	while (length >= sizeof *hop && hop->rtnh_len >= sizeof *hop && hop->rtnh_len <= length) {
		size_t step = RTNH_ALIGN(hop->rtnh_len);

		if ((uint32_t)hop->rtnh_ifindex == ifindex)
			return true;
		length -= step < length ? step : length;
		hop = (const void *)((const char *)hop + step);
	}
	return false;
}

/* Negative: of no interest. */
static int way_of(const struct rtmsg *message, const struct nlattr *by_type[], uint32_t ifindex)
{
	if (message->rtm_type == RTN_LOCAL && message->rtm_table == RT_TABLE_LOCAL)
		return HF_WAY_OWN;
	if (message->rtm_table != RT_TABLE_MAIN)
		return -1;
	switch (message->rtm_type) {
	case RTN_UNICAST:
		return leads_out(by_type, ifindex) ? HF_WAY_HERE : HF_WAY_ELSEWHERE;
	case RTN_BLACKHOLE:
	case RTN_UNREACHABLE:
	case RTN_PROHIBIT:
		return HF_WAY_NONE;
	default:
		return -1;
	}
}

/* Every interface with IPv6 has such routes, some time after it comes up; no hop lies there. */
static bool is_link_local(const struct rtmsg *message, const struct nlattr *to)
{
	return message->rtm_family == AF_INET6 && message->rtm_dst_len >= 10 && to &&
	       IN6_IS_ADDR_LINKLOCAL((const struct in6_addr *)mnl_attr_get_payload(to));
}

static int way_visit(const struct nlmsghdr *answer, void *context)
{
	const struct rtmsg *message = mnl_nlmsg_get_payload(answer);
	const struct nlattr *by_type[RTA_MAX + 1];
	struct reading *reading = context;
	int to;

	attributes_read(answer, sizeof *message, by_type, RTA_MAX + 1);
	to = way_of(message, by_type, reading->ifindex);
	if (to < 0 || is_link_local(message, by_type[RTA_DST]))
		return 0;
	return way_add(&reading->ways, message->rtm_family,
		       by_type[RTA_DST] ? mnl_attr_get_payload(by_type[RTA_DST]) : NULL, message->rtm_dst_len,
		       (uint8_t)to);
}

/* Of two routes to one prefix that out of the interface wins: packets came in there. */
static const uint8_t ranks[] = {
	[HF_WAY_OWN] = 0, [HF_WAY_HERE] = 1, [HF_WAY_ELSEWHERE] = 2, [HF_WAY_NONE] = 3};

int ways_collect(uint32_t ifindex, struct keys *ret)
{
	struct reading reading = {
		.ways = {.size = sizeof(struct hf_receiver_prefix),
			 .entry_size = sizeof(struct way),
			 .ranks = ranks},
		.ifindex = ifindex,
	};
	struct netlink *netlink;
	int r = netlink_open(NETLINK_ROUTE, &netlink);

	if (r)
		return r;
	r = netlink_list(netlink, RTM_GETROUTE, sizeof(struct rtmsg), way_visit, &reading);
	netlink_close(netlink);
	if (r) {
		free(reading.ways.list);
		return r;
	}
	keys_sort(&reading.ways);
	*ret = reading.ways;
	return 0;
}

/* Whether the program does anything with a packet for such a destination but to send it back. */
static bool matters(uint8_t to)
{
	return to == HF_WAY_HERE || to == HF_WAY_NONE;
}

bool ways_differ(int map, const struct keys *ways)
{
	struct hf_receiver_prefix key;
	const struct way *list = ways->list;
	size_t matched = 0, wanted = 0;
	uint8_t to;

	for (bool more = !bpf_map_get_next_key(map, NULL, &key); more;
	     more = !bpf_map_get_next_key(map, &key, &key)) {
		const struct way *way = keys_find(ways, &key);

		if (bpf_map_lookup_elem(map, &key, &to) || !matters(to))
			continue;
		if (!way || way->to != to)
			return true;
		matched++;
	}
	for (size_t i = 0; i < ways->count; i++)
		wanted += matters(list[i].to);
	return matched != wanted;
}

bool ways_lead_out(const struct keys *ways)
{
	const struct way *list = ways->list;

	for (size_t i = 0; i < ways->count; i++) {
		if (list[i].to == HF_WAY_HERE)
			return true;
	}
	return false;
}

// SPDX-License-Identifier: Apache-2.0
#include "receiver_ways.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include "kern/base/netlink.h"
#include "receiver_keys.h"
#include "kern/base/route.h"

struct reading {
	struct ways ways;
	uint32_t ifindex;
};

static int way_add(struct ways *ways, uint8_t family, const void *address, unsigned int bits, uint8_t to)
{
	static const uint8_t none[16];
	struct prefix prefix = {.address = address_from(family, address ?: none), .bits = (uint8_t)bits};

	if (ways->count == ways->room) {
		size_t room = ways->room ? 2 * ways->room : 64;
		struct way *list = reallocarray(ways->list, room, sizeof *list);

		if (!list)
			return -ENOMEM;
		ways->list = list;
		ways->room = room;
	}
	if (ways->count == HF_RECEIVER_MAX_WAYS)
		return -E2BIG;
	ways->list[ways->count++] = (struct way){.prefix = prefix_to_key(&prefix), .to = to};
	return 0;
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
	const struct nlattr *by_type[RTA_MAX + 1] = {};
	struct attributes attributes = {by_type, RTA_MAX + 1};
	struct reading *reading = context;
	int to;

	mnl_attr_parse(answer, sizeof *message, attributes_collect, &attributes);
	to = way_of(message, by_type, reading->ifindex);
	if (to < 0 || is_link_local(message, by_type[RTA_DST]))
		return 0;
	return way_add(&reading->ways, message->rtm_family,
		       by_type[RTA_DST] ? mnl_attr_get_payload(by_type[RTA_DST]) : NULL, message->rtm_dst_len,
		       (uint8_t)to);
}

/* Of two routes to one prefix that out of the interface wins: packets came in there. */
static int rank(uint8_t to)
{
	static const int ranks[] = {
		[HF_WAY_OWN] = 0, [HF_WAY_HERE] = 1, [HF_WAY_ELSEWHERE] = 2, [HF_WAY_NONE] = 3};

	return ranks[to];
}

static int way_compare(const void *a, const void *b)
{
	const struct way *one = a, *other = b;
	int r = memcmp(&one->prefix, &other->prefix, sizeof one->prefix);

	return r ?: rank(one->to) - rank(other->to);
}

static void ways_sort(struct ways *ways)
{
	size_t kept = 0;

	if (ways->count)
		qsort(ways->list, ways->count, sizeof *ways->list, way_compare);
	for (size_t i = 0; i < ways->count; i++) {
		if (!kept ||
		    memcmp(&ways->list[i].prefix, &ways->list[kept - 1].prefix, sizeof ways->list->prefix))
			ways->list[kept++] = ways->list[i];
	}
	ways->count = kept;
}

static const struct way *way_find(const struct ways *ways, const struct hf_receiver_prefix *prefix)
{
	size_t low = 0, high = ways->count;

	while (low < high) {
		size_t middle = (low + high) / 2;
		int r = memcmp(prefix, &ways->list[middle].prefix, sizeof *prefix);

		if (!r)
			return &ways->list[middle];
		if (r < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

int ways_collect(uint32_t ifindex, struct ways *ret)
{
	static const uint8_t families[] = {AF_INET, AF_INET6};
	struct reading reading = {.ifindex = ifindex};
	struct netlink *netlink;
	int r = netlink_open(NETLINK_ROUTE, &netlink);

	if (r)
		return r;
	for (size_t i = 0; !r && i < sizeof families; i++) {
		struct nlmsghdr *request = netlink_request(netlink, RTM_GETROUTE, NLM_F_DUMP);
		struct rtmsg *message = mnl_nlmsg_put_extra_header(request, sizeof *message);

		message->rtm_family = families[i];
		r = netlink_ask(netlink, request, way_visit, &reading, NULL);
		if (r == -EAFNOSUPPORT || r == -EOPNOTSUPP) /* a kernel without IPv6 */
			r = 0;
	}
	netlink_close(netlink);
	if (r) {
		free(reading.ways.list);
		return r;
	}
	ways_sort(&reading.ways);
	*ret = reading.ways;
	return 0;
}

int ways_enter(int map, const struct ways *ways)
{
	struct hf_receiver_prefix key, next;
	bool more;

	for (size_t i = 0; i < ways->count; i++) {
		if (bpf_map_update_elem(map, &ways->list[i].prefix, &ways->list[i].to, BPF_ANY))
			return -errno;
	}
	more = !bpf_map_get_next_key(map, NULL, &next);
	while (more) {
		key = next;
		more = !bpf_map_get_next_key(map, &key, &next);
		if (!way_find(ways, &key) && bpf_map_delete_elem(map, &key) && errno != ENOENT)
			return -errno;
	}
	return 0;
}

/* Whether the program does anything with a packet for such a destination but to send it back. */
static bool matters(uint8_t to)
{
	return to == HF_WAY_HERE || to == HF_WAY_NONE;
}

bool ways_differ(int map, const struct ways *ways)
{
	struct hf_receiver_prefix key;
	size_t matched = 0, wanted = 0;
	uint8_t to;

	for (bool more = !bpf_map_get_next_key(map, NULL, &key); more;
	     more = !bpf_map_get_next_key(map, &key, &key)) {
		const struct way *way = way_find(ways, &key);

		if (bpf_map_lookup_elem(map, &key, &to) || !matters(to))
			continue;
		if (!way || way->to != to)
			return true;
		matched++;
	}
	for (size_t i = 0; i < ways->count; i++)
		wanted += matters(ways->list[i].to);
	return matched != wanted;
}

bool ways_lead_out(const struct ways *ways)
{
	for (size_t i = 0; i < ways->count; i++) {
		if (ways->list[i].to == HF_WAY_HERE)
			return true;
	}
	return false;
}

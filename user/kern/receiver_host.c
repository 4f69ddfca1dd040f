// SPDX-License-Identifier: Apache-2.0
#include "receiver_host.h"

#include <errno.h>
#include <ifaddrs.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "macs.h"
#include "netlink.h"
#include "receiver_keys.h"
#include "receiver_pins.h"
#include "route.h"
#include "sockets.h"

static int prefix_add(struct keys *keys, uint8_t family, const void *address, uint8_t bits)
{
	const struct prefix prefix = {.address = address_from(family, address), .bits = bits};
	const struct hf_receiver_prefix key = prefix_to_key(&prefix);

	return keys_add(keys, &key);
}

/* The routes alone would not do: those of a VRF are in its own table, and an address that is still checked
 * for duplicates has none yet. */
static int interfaces_read(struct keys *keys)
{
	struct ifaddrs *all;
	int r = 0;

	if (getifaddrs(&all))
		return -errno;
	for (const struct ifaddrs *one = all; !r && one; one = one->ifa_next) {
		const struct sockaddr *at = one->ifa_addr;

		if (at && at->sa_family == AF_INET)
			r = prefix_add(keys, AF_INET, &((const struct sockaddr_in *)at)->sin_addr, 32);
		else if (at && at->sa_family == AF_INET6)
			r = prefix_add(keys, AF_INET6, &((const struct sockaddr_in6 *)at)->sin6_addr, 128);
	}
	freeifaddrs(all);
	return r;
}

static int local_visit(const struct nlmsghdr *answer, void *keys)
{
	static const uint8_t all[16];
	const struct rtmsg *message = mnl_nlmsg_get_payload(answer);
	const struct nlattr *by_type[RTA_MAX + 1] = {};
	struct attributes attributes = {by_type, RTA_MAX + 1};

	if (message->rtm_table != RT_TABLE_LOCAL ||
	    (message->rtm_type != RTN_LOCAL && message->rtm_type != RTN_ANYCAST))
		return 0;
	mnl_attr_parse(answer, sizeof *message, attributes_collect, &attributes);
	return prefix_add(keys, message->rtm_family,
			  by_type[RTA_DST] ? mnl_attr_get_payload(by_type[RTA_DST]) : all,
			  message->rtm_dst_len);
}

static int locals_read(struct keys *keys)
{
	static const uint8_t families[] = {AF_INET, AF_INET6};
	struct netlink *netlink;
	int r = netlink_open(NETLINK_ROUTE, &netlink);

	if (r)
		return r;
	for (size_t i = 0; !r && i < sizeof families; i++) {
		struct nlmsghdr *request = netlink_request(netlink, RTM_GETROUTE, NLM_F_DUMP);
		struct rtmsg *message = mnl_nlmsg_put_extra_header(request, sizeof *message);

		message->rtm_family = families[i];
		r = netlink_ask(netlink, request, local_visit, keys, NULL);
		if (r == -EAFNOSUPPORT || r == -EOPNOTSUPP) /* a kernel without IPv6 */
			r = 0;
	}
	netlink_close(netlink);
	return r;
}

static int addresses_read(const char *netns, struct keys *keys)
{
	int before = netns_enter_named(netns), r = before < 0 ? before : interfaces_read(keys);

	if (!r)
		r = locals_read(keys);
	netns_leave(before);
	return r;
}

/* Takes the list. */
static int set_enter(int map, int r, struct keys *keys, bool *ret_changed)
{
	keys_sort(keys);
	if (!r) {
		*ret_changed = keys_differ(map, keys);
		r = *ret_changed ? keys_enter(map, keys) : 0;
	}
	free(keys->list);
	return r;
}

int host_addresses_enter(int map, const char *netns, bool *ret_changed)
{
	struct keys keys = {.size = sizeof(struct hf_receiver_prefix)};
	int r = addresses_read(NULL, &keys);

	if (!r && netns)
		r = addresses_read(netns, &keys);
	return set_enter(map, r, &keys, ret_changed);
}

int host_macs_enter(int map, uint32_t ifindex, bool *ret_changed)
{
	struct keys keys = {.size = sizeof(struct hf_receiver_mac)};
	struct macs macs = {};
	int r = macs_collect(ifindex, &macs);

	for (size_t i = 0; !r && i < macs.count; i++) {
		struct hf_receiver_mac key = {};

		memcpy(key.bytes, macs.list[i].bytes, sizeof key.bytes);
		r = keys_add(&keys, &key);
	}
	free(macs.list);
	return set_enter(map, r, &keys, ret_changed);
}

int host_read_again(const struct receiver_state *state, bool *ret_addresses_changed, bool *ret_macs_changed)
{
	char path[PIN_PATH];
	int addresses = pin_get(receiver_path(state->interface, receiver_maps[RECEIVER_ADDRESSES], path));
	int macs = pin_get(receiver_path(state->interface, receiver_maps[RECEIVER_MACS], path));
	int r = addresses, other = macs;

	*ret_addresses_changed = *ret_macs_changed = false;
	if (addresses >= 0) {
		r = host_addresses_enter(addresses, state->netns[0] ? state->netns : NULL,
					 ret_addresses_changed);
		close(addresses);
	}
	if (macs >= 0) {
		other = host_macs_enter(macs, state->ifindex, ret_macs_changed);
		close(macs);
	}
	return r ?: other;
}

// SPDX-License-Identifier: Apache-2.0
#include "receiver_fill.h"

#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <errno.h>
#include <ifaddrs.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>
#include "kern/base/macs.h"
#include "kern/base/netns.h"
#include "kern/base/route.h"
#include "receiver_keys.h"
#include "receiver_ways.h"

enum { TRIES = 10 };

static int prefixes_enter(int map, const struct receiver_options *options)
{
	struct keys keys = {.size = sizeof(struct hf_receiver_prefix)};
	int r = 0;
	bool changed;

	for (size_t i = 0; !r && i < options->from_count; i++) {
		const struct hf_receiver_prefix key = prefix_to_key(&options->from[i]);

		r = keys_add(&keys, &key);
	}
	return keys_enter_all(map, r, &keys, &changed);
}

static bool address_of_host(const struct sockaddr *socket_address, struct address *ret)
{
	*ret = (struct address){};
	if (socket_address->sa_family == AF_INET) {
		ret->family = 4;
		memcpy(ret->bytes, &((const struct sockaddr_in *)socket_address)->sin_addr, 4);
		return ret->bytes[0] != 127;
	}
	if (socket_address->sa_family == AF_INET6) {
		const struct in6_addr *six = &((const struct sockaddr_in6 *)socket_address)->sin6_addr;

		ret->family = 6;
		memcpy(ret->bytes, six, 16);
		return !IN6_IS_ADDR_LOOPBACK(six) && !IN6_IS_ADDR_LINKLOCAL(six);
	}
	return false;
}

int loopback_vips(struct address **ret, size_t *ret_count)
{
	struct address *vips = calloc(HF_RECEIVER_MAX_VIPS, sizeof *vips);
	struct ifaddrs *all;
	size_t count = 0;

	if (!vips)
		return -ENOMEM;
	if (getifaddrs(&all)) {
		int error = errno;

		free(vips);
		return -error;
	}
	for (const struct ifaddrs *one = all; one && count < HF_RECEIVER_MAX_VIPS; one = one->ifa_next) {
		if (one->ifa_addr && one->ifa_flags & IFF_LOOPBACK &&
		    address_of_host(one->ifa_addr, &vips[count]))
			count++;
	}
	freeifaddrs(all);
	*ret = vips;
	*ret_count = count;
	return 0;
}

static int vips_enter(int map, const struct receiver_options *options, size_t *ret_count)
{
	struct keys keys = {.size = sizeof(struct hf_receiver_address)};
	const struct address *vips = options->vips;
	size_t count = options->vip_count;
	struct address *found = NULL;
	bool changed;
	int r = 0;

	if (!vips) {
		int before = netns_enter_named(options->netns);

		r = before < 0 ? before : loopback_vips(&found, &count);
		netns_leave(before);
	}
	if (r)
		return r;
	for (size_t i = 0; !r && i < count; i++) {
		const struct hf_receiver_address key = address_to_key(&(vips ?: found)[i]);

		r = keys_add(&keys, &key);
	}
	free(found);
	*ret_count = count;
	return keys_enter_all(map, r, &keys, &changed);
}

static int routes_enter(int fd, const char *interface)
{
	struct keys ways = {};
	int r = ways_collect(if_nametoindex(interface), &ways);

	if (r == -E2BIG) /* a whole internet: packets go back to who sent them, as without any route */
		r = 0;
	if (!r)
		r = keys_enter(fd, &ways);
	free(ways.list);
	return r;
}

/* What makes a wrapped packet one for this host ----------------------------------------- */

static int prefix_add(struct keys *keys, uint8_t family, const void *address, uint8_t bits)
{
	const struct prefix prefix = {.address = address_from(family, address), .bits = bits};
	const struct hf_receiver_prefix key = prefix_to_key(&prefix);

	return keys_add(keys, &key);
}

static int address_visit(const struct nlmsghdr *answer, void *keys)
{
	const struct ifaddrmsg *message = mnl_nlmsg_get_payload(answer);
	const struct nlattr *by_type[IFA_MAX + 1], *own;

	if (answer->nlmsg_flags & NLM_F_DUMP_INTR)
		return -EINTR;
	attributes_read(answer, sizeof *message, by_type, IFA_MAX + 1);
	own = by_type[IFA_LOCAL] ?: by_type[IFA_ADDRESS];
	if (!own)
		return 0;
	return prefix_add(keys, message->ifa_family, mnl_attr_get_payload(own),
			  message->ifa_family == AF_INET ? 32 : 128);
}

static int local_visit(const struct nlmsghdr *answer, void *keys)
{
	static const uint8_t all[16];
	const struct rtmsg *message = mnl_nlmsg_get_payload(answer);
	const struct nlattr *by_type[RTA_MAX + 1];

	if (answer->nlmsg_flags & NLM_F_DUMP_INTR)
		return -EINTR;
	if (message->rtm_table != RT_TABLE_LOCAL ||
	    (message->rtm_type != RTN_LOCAL && message->rtm_type != RTN_ANYCAST))
		return 0;
	attributes_read(answer, sizeof *message, by_type, RTA_MAX + 1);
	return prefix_add(keys, message->rtm_family,
			  by_type[RTA_DST] ? mnl_attr_get_payload(by_type[RTA_DST]) : all,
			  message->rtm_dst_len);
}

/* The addresses of another network namespace: netns is its number (netns_ids(7)). */
static int addresses_read(struct netlink *netlink, int32_t netns, struct keys *keys)
{
	static const uint8_t families[] = {AF_INET, AF_INET6};
	int r = 0;

	for (size_t i = 0; !r && i < sizeof families; i++) {
		struct nlmsghdr *request = netlink_request(netlink, RTM_GETADDR, NLM_F_DUMP);
		struct ifaddrmsg *message = mnl_nlmsg_put_extra_header(request, sizeof *message);

		message->ifa_family = families[i];
		mnl_attr_put_u32(request, IFA_TARGET_NETNSID, (uint32_t)netns);
		r = netlink_ask(netlink, request, address_visit, keys, NULL);
		if (r == -EAFNOSUPPORT || r == -EOPNOTSUPP) /* a kernel without IPv6 */
			r = 0;
	}
	return r;
}

/*
 * Addresses and routes: those of a VRF have their routes in its own table, an address that is still checked
 * for duplicates has none yet, and a prefix of `ip route add local` is no address. The other namespace is not
 * entered: the receiver's unit may not.
 */
static int host_read(const char *netns, struct keys *keys)
{
	struct netlink *netlink;
	int32_t number;
	int r = netlink_open(NETLINK_ROUTE, &netlink);

	if (r)
		return r;
	r = netlink_list(netlink, RTM_GETADDR, sizeof(struct ifaddrmsg), address_visit, keys);
	if (!r)
		r = netlink_list(netlink, RTM_GETROUTE, sizeof(struct rtmsg), local_visit, keys);
	if (!r && netns)
		r = netns_number(netns, &number);
	if (!r && netns)
		r = addresses_read(netlink, number, keys);
	netlink_close(netlink);
	return r;
}

/*
 * Makes the map `addresses` (a descriptor) hold every address of this network namespace, on whatever
 * interface, the prefixes that `ip route add local` has made its own, and the addresses of the namespace that
 * is called netns (NULL: none). *ret_changed: whether it held others. 0 or -errno.
 */
static int host_addresses_enter(int map, const char *netns, bool *ret_changed)
{
	int r = -EINTR;

	/* What changes while the kernel lists it may be left out; no address may leave the map for that. */
	for (int i = 0; r == -EINTR && i < TRIES; i++) {
		struct keys keys = {.size = sizeof(struct hf_receiver_prefix)};

		r = keys_enter_all(map, host_read(netns, &keys), &keys, ret_changed);
	}
	return r;
}

/* Likewise the map `macs` and what macs_collect() says of the interface. */
static int host_macs_enter(int map, uint32_t ifindex, bool *ret_changed)
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
	return keys_enter_all(map, r, &keys, ret_changed);
}

int host_read_again(const struct receiver_state *state, bool *ret_addresses_changed, bool *ret_macs_changed)
{
	int addresses = receiver_pin_get(state->pinned, receiver_maps[RECEIVER_ADDRESSES]);
	int macs = receiver_pin_get(state->pinned, receiver_maps[RECEIVER_MACS]);
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

/* Once: notes that are under way while the programs are replaced stay valid. */
static int secret_make(int fd)
{
	uint32_t zero = 0;
	uint64_t value = 0;

	if (bpf_map_lookup_elem(fd, &zero, &value))
		return -errno;
	if (value)
		return 0;
	while (!value) {
		if (getrandom(&value, sizeof value, 0) != sizeof value)
			return -errno;
	}
	return bpf_map_update_elem(fd, &zero, &value, BPF_ANY) ? -errno : 0;
}

int receiver_fill(const int maps[RECEIVER_MAPS], const struct receiver_options *options, size_t *ret_vips)
{
	int r = prefixes_enter(maps[RECEIVER_PREFIXES], options);
	bool changed;

	if (!r)
		r = vips_enter(maps[RECEIVER_VIPS], options, ret_vips);
	if (!r)
		r = routes_enter(maps[RECEIVER_WAYS], options->interface);
	if (!r)
		r = host_addresses_enter(maps[RECEIVER_ADDRESSES], options->netns, &changed);
	if (!r)
		r = host_macs_enter(maps[RECEIVER_MACS], if_nametoindex(options->interface), &changed);
	return r ?: secret_make(maps[RECEIVER_SECRET]);
}

// SPDX-License-Identifier: Apache-2.0
#include "receiver_fill.h"

#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include "kern/base/netns.h"
#include "receiver_host.h"
#include "receiver_keys.h"
#include "receiver_ways.h"

static int prefixes_enter(int map, const struct receiver_options *options)
{
	struct keys keys = {.size = sizeof(struct hf_receiver_prefix)};
	int r = 0;

	for (size_t i = 0; !r && i < options->from_count; i++) {
		const struct hf_receiver_prefix key = prefix_to_key(&options->from[i]);

		r = keys_add(&keys, &key);
	}
	return keys_enter_all(map, r, &keys);
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
	return keys_enter_all(map, r, &keys);
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

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
#include "receiver_ways.h"
#include "sockets.h"

static void map_to_ipv6(const struct address *address, uint8_t ret[16])
{
	if (address->family == 6) {
		memcpy(ret, address->bytes, 16);
		return;
	}
	memset(ret, 0, 10);
	memset(ret + 10, 0xff, 2);
	memcpy(ret + 12, address->bytes, 4);
}

struct keys {
	void *keys;
	size_t size, count;
};

static bool keys_have(const struct keys *keys, const void *key)
{
	for (size_t i = 0; i < keys->count; i++) {
		if (!memcmp((const char *)keys->keys + i * keys->size, key, keys->size))
			return true;
	}
	return false;
}

/* What is wanted is entered before what is not wanted leaves: no packet is refused in between. */
static int keys_enter(int fd, const struct keys *keys)
{
	union {
		struct hf_receiver_prefix prefix;
		struct hf_receiver_vip vip;
	} key, next;
	const uint8_t one = 1;
	bool more;

	for (size_t i = 0; i < keys->count; i++) {
		if (bpf_map_update_elem(fd, (char *)keys->keys + i * keys->size, &one, BPF_ANY))
			return -errno;
	}
	more = !bpf_map_get_next_key(fd, NULL, &next);
	while (more) {
		key = next;
		more = !bpf_map_get_next_key(fd, &key, &next);
		if (!keys_have(keys, &key) && bpf_map_delete_elem(fd, &key) && errno != ENOENT)
			return -errno;
	}
	return 0;
}

static int prefixes_enter(int fd, const struct receiver_options *options)
{
	struct hf_receiver_prefix *prefixes = calloc(options->from_count, sizeof *prefixes);
	int r;

	if (!prefixes)
		return -ENOMEM;
	for (size_t i = 0; i < options->from_count; i++) {
		const struct prefix *from = &options->from[i];

		map_to_ipv6(&from->address, prefixes[i].addr);
		prefixes[i].bits = from->bits + (from->address.family == 4 ? 96 : 0);
	}
	r = keys_enter(fd, &(struct keys){prefixes, sizeof *prefixes, options->from_count});
	free(prefixes);
	return r;
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

static int vips_enter(int fd, const struct receiver_options *options, size_t *ret_count)
{
	const struct address *vips = options->vips;
	size_t count = options->vip_count;
	struct hf_receiver_vip *keys;
	struct address *found = NULL;
	int r = 0;

	if (!vips) {
		int before = netns_enter_named(options->netns);

		r = before < 0 ? before : loopback_vips(&found, &count);
		netns_leave(before);
	}
	if (r)
		return r;
	keys = calloc(count ?: 1, sizeof *keys);
	for (size_t i = 0; keys && i < count; i++)
		map_to_ipv6(&(vips ?: found)[i], keys[i].addr);
	r = keys ? keys_enter(fd, &(struct keys){keys, sizeof *keys, count}) : -ENOMEM;
	free(keys);
	free(found);
	*ret_count = count;
	return r;
}

static int routes_enter(int fd, const char *interface)
{
	struct ways ways = {};
	int r = ways_collect(if_nametoindex(interface), &ways);

	if (r == -E2BIG) /* a whole internet: packets go back to who sent them, as without any route */
		r = 0;
	if (!r)
		r = ways_enter(fd, &ways);
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

	if (!r)
		r = vips_enter(maps[RECEIVER_VIPS], options, ret_vips);
	if (!r)
		r = routes_enter(maps[RECEIVER_WAYS], options->interface);
	return r ?: secret_make(maps[RECEIVER_SECRET]);
}

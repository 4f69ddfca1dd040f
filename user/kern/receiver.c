// SPDX-License-Identifier: Apache-2.0
/* The receiver: loaded, fed with prefixes and VIPs, attached and pinned; after that nobody is needed. */
#include "receiver.h"

#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <holdfast/gue.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "attach.h"
#include "object.h"
#include "pins.h"
#include "receiver.skel.h"
#include "receiver_pins.h"
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

static int options_check(const struct receiver_options *options, struct refusal *refusal)
{
	if (!options->from_count) {
		refuse(refusal, 0, "a receiver must be told whose packets it may unwrap");
		refusal_right(refusal, "--from PREFIX, the outer source addresses of the balancers");
		return -EINVAL;
	}
	if (options->from_count > HF_RECEIVER_MAX_PREFIXES || options->vip_count > HF_RECEIVER_MAX_VIPS)
		return refuse(refusal, -ENOSPC, "more than %d prefixes or %d VIPs", HF_RECEIVER_MAX_PREFIXES,
			      HF_RECEIVER_MAX_VIPS);
	return 0;
}

static uint16_t gue_port_of(const struct receiver_options *options)
{
	return options->gue_port ?: HF_GUE_PORT;
}

/* What an earlier version pinned may have another layout: then the map is made anew. */
static bool fits(int fd, const struct bpf_map *map)
{
	struct bpf_map_info info = {};
	uint32_t length = sizeof info;

	return !bpf_obj_get_info_by_fd(fd, &info, &length) && info.type == bpf_map__type(map) &&
	       info.key_size == bpf_map__key_size(map) && info.value_size == bpf_map__value_size(map);
}

/* Loads the program; maps that are pinned already go on counting. */
static int receiver_load(const struct receiver_options *options, int32_t netns, struct receiver **ret,
			 struct refusal *refusal)
{
	struct object_log log = {};
	char path[PIN_PATH];
	struct receiver *object;
	int r = object_log_open(&log);

	if (r)
		return r;
	object = receiver__open_opts(&log.options);
	if (!object)
		r = -errno;
	else {
		object->rodata->netns = netns;
		object->rodata->gue_port = gue_port_of(options);
	}
	for (int i = 0; !r && i < RECEIVER_MAPS; i++) {
		struct bpf_map *map = bpf_object__find_map_by_name(object->obj, receiver_maps[i]);
		int fd = pin_get(receiver_path(options->interface, receiver_maps[i], path));

		if (fd >= 0 && map && fits(fd, map))
			r = bpf_map__reuse_fd(map, fd);
		if (fd >= 0)
			close(fd);
	}
	if (!r)
		r = receiver__load(object);
	if (r)
		r = object_log_refuse(&log, r, refusal);
	object_log_close(&log);
	if (r)
		receiver__destroy(object);
	else
		*ret = object;
	return r;
}

static int about_pin(const struct receiver_options *options)
{
	struct receiver_about about = {.gue_port = gue_port_of(options)};
	char path[PIN_PATH];
	uint32_t zero = 0;
	int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "about", sizeof zero, sizeof about, 1, NULL), r = 0;

	if (fd < 0)
		return -errno;
	snprintf(about.netns, sizeof about.netns, "%s", options->netns ?: "");
	if (bpf_map_update_elem(fd, &zero, &about, BPF_ANY))
		r = -errno;
	if (!r)
		r = pin_put(fd, receiver_path(options->interface, "about", path));
	close(fd);
	return r;
}

static int receiver_pin(const struct receiver *object, const char *interface, int program)
{
	char path[PIN_PATH];
	int r = pins_make_directory(receiver_path(interface, NULL, path));

	for (int i = 0; !r && i < RECEIVER_MAPS; i++) {
		const struct bpf_map *map = bpf_object__find_map_by_name(object->obj, receiver_maps[i]);

		r = pin_put(bpf_map__fd(map), receiver_path(interface, receiver_maps[i], path));
	}
	return r ?: pin_put(program, receiver_path(interface, "prog", path));
}

/* Puts the program where an earlier one is, without a gap, or attaches it. */
static int receiver_put(const struct receiver_options *options, int program, int frags,
			struct refusal *refusal)
{
	struct attachment attachment;
	char path[PIN_PATH];
	int link, r;

	receiver_path(options->interface, "link", path);
	r = xdp_attachment(path, &attachment);
	if (!r && attachment.ifindex == if_nametoindex(options->interface) &&
	    (options->mode == MODE_AUTO || attachment.generic == (options->mode == MODE_GENERIC))) {
		link = pin_get(path);
		if (link < 0)
			return link;
		r = bpf_link_update(link, program, NULL) && bpf_link_update(link, frags, NULL) ? -errno : 0;
		close(link);
		return r;
	}
	if (r != -ENOENT)
		xdp_detach(path);
	r = xdp_attach(options->interface, program, frags, options->mode, &link, refusal);
	if (r)
		return r;
	r = pin_put(link, path);
	close(link);
	return r;
}

static int options_resolve(const struct receiver_options *options, int32_t *ret_netns,
			   struct refusal *refusal)
{
	int r = options_check(options, refusal);

	if (r)
		return r;
	if (!if_nametoindex(options->interface))
		return refuse(refusal, -ENODEV, "there is no interface %s in this network namespace",
			      options->interface);
	*ret_netns = -1;
	r = options->netns ? netns_number(options->netns, ret_netns) : 0;
	if (r) {
		refuse(refusal, 0, "network namespace %s cannot be found: %s", options->netns, strerror(-r));
		refusal_right(refusal, "a name that `ip netns` lists, or a path such as /proc/PID/ns/net");
	}
	return r;
}

/* Fills the loaded object's maps, pins everything, and attaches. */
static int receiver_set_up(const struct receiver_options *options, struct receiver *object, size_t *ret_vips,
			   struct refusal *refusal)
{
	int linear = bpf_program__fd(object_program(object->obj, "xdp"));
	int frags = bpf_program__fd(object_program(object->obj, "xdp.frags"));
	int r = prefixes_enter(bpf_map__fd(object->maps.prefixes), options);

	if (!r)
		r = vips_enter(bpf_map__fd(object->maps.vips), options, ret_vips);
	if (!r)
		r = receiver_pin(object, options->interface, linear);
	if (!r)
		r = about_pin(options);
	if (r)
		return refuse(refusal, r, "the receiver cannot be set up on %s: %s", options->interface,
			      strerror(-r));
	return receiver_put(options, linear, frags, refusal);
}

int receiver_attach(const struct receiver_options *options, struct refusal *warning, struct refusal *refusal)
{
	struct receiver *object = NULL;
	char path[PIN_PATH];
	size_t vip_count = 0;
	int32_t netns;
	int r = options_resolve(options, &netns, refusal);

	if (!r)
		r = pins_mount(refusal);
	if (!r)
		r = receiver_load(options, netns, &object, refusal);
	if (r)
		return r;
	r = receiver_set_up(options, object, &vip_count, refusal);
	receiver__destroy(object);
	receivers_sweep();
	if (r && access(receiver_path(options->interface, "link", path), F_OK))
		pins_remove(receiver_path(options->interface, NULL, path));
	if (!r && !vip_count && warning) {
		refuse(warning, 0, "this host has no VIP: every wrapped packet will be dropped");
		refusal_where(warning, "interface %s", options->interface);
		refusal_right(warning, "ip addr add VIP/32 dev lo, then attach again");
	}
	return r;
}

int receiver_detach(const char *interface, struct refusal *refusal)
{
	char path[PIN_PATH];
	int r = xdp_detach(receiver_path(interface, "link", path));

	if (r == -ENOENT)
		refuse(refusal, 0, "no receiver is attached to %s", interface);
	else if (r)
		refuse(refusal, 0, "the receiver on %s cannot be detached: %s", interface, strerror(-r));
	pins_remove(receiver_path(interface, NULL, path));
	rmdir(receiver_path(NULL, NULL, path)); /* stays while another interface has a receiver */
	return r;
}

// SPDX-License-Identifier: Apache-2.0
/* The receiver: loaded, filled, attached and pinned; after that it needs no process. */
#include "receiver_attach.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <holdfast/gue.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "kern/base/netns.h"
#include "kern/xdp/attachment.h"
#include "kern/xdp/xdp_attach.h"
#include "kern/base/object.h"
#include "kern/base/pins.h"
#include "receiver.skel.h"
#include "receiver_fill.h"
#include "receiver_pins.h"
#include "receiver_tc.h"

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
	struct bpf_map_info info;

	return !object_info(fd, &info, sizeof info) && info.type == bpf_map__type(map) &&
	       info.key_size == bpf_map__key_size(map) && info.value_size == bpf_map__value_size(map);
}

/* Loads the program; maps that are pinned already go on counting. */
static int receiver_load(const struct receiver_options *options, int32_t netns, struct receiver **ret,
			 struct refusal *refusal)
{
	struct object_log log = {};
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
		int fd = receiver_pin_get(options->interface, receiver_maps[i]);

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

static int about_pin(const struct receiver_options *options, uint32_t qdisc_made)
{
	struct receiver_about about = {.gue_port = gue_port_of(options), .qdisc_made = qdisc_made};
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
	return xdp_attach(options->interface, program, frags, options->mode, path, refusal);
}

static int options_resolve(const struct receiver_options *options, int32_t *ret_netns,
			   struct refusal *refusal)
{
	int r = options_check(options, refusal);

	if (r)
		return r;
	r = interface_suitable(options->interface, refusal);
	if (r)
		return r;
	*ret_netns = -1;
	r = options->netns ? netns_number(options->netns, ret_netns) : 0;
	if (r) {
		refuse(refusal, 0, "network namespace %s cannot be found: %s", options->netns, strerror(-r));
		refusal_right(refusal, "a name that `ip netns` lists, or a path such as /proc/PID/ns/net");
	}
	return r;
}

/* What stood at the interface's ingress before, for an undo. */
struct before {
	int program;         /* the receiver's earlier tc program; negative: none */
	uint32_t qdisc_made; /* as of struct receiver_about */
};

static struct before tc_before(const struct receiver_options *options)
{
	struct receiver_about about;
	struct before before = {.program = receiver_pin_get(options->interface, "tc")};

	if (!receiver_about_read(options->interface, &about) &&
	    about.qdisc_made == if_nametoindex(options->interface))
		before.qdisc_made = about.qdisc_made;
	return before;
}

static int tc_set(const struct receiver_options *options, int program, struct before *before,
		  struct refusal *refusal)
{
	uint32_t ifindex = if_nametoindex(options->interface);
	char path[PIN_PATH];
	bool made;
	int r = tc_put(ifindex, program, &made, refusal);

	if (r)
		return r;
	if (made)
		before->qdisc_made = ifindex;
	r = pin_put(program, receiver_path(options->interface, "tc", path));
	return r ?: about_pin(options, before->qdisc_made);
}

/* An XDP program that is still there gets the tc program back that it had; otherwise nothing stays. */
static void tc_undo(const struct receiver_options *options, const struct before *before)
{
	uint32_t ifindex = if_nametoindex(options->interface);
	char path[PIN_PATH];
	bool made;

	if (before->program >= 0 && !access(receiver_path(options->interface, "link", path), F_OK)) {
		tc_put(ifindex, before->program, &made, NULL);
		pin_put(before->program, receiver_path(options->interface, "tc", path));
		return;
	}
	tc_take_away(ifindex, before->qdisc_made);
	unlink(receiver_path(options->interface, "tc", path));
}

/* The tc program comes first: the XDP program may leave packets to it from its first packet on. */
static int programs_put(const struct receiver_options *options, struct receiver *object, int linear,
			struct refusal *refusal)
{
	struct before before = tc_before(options);
	int r = tc_set(options, bpf_program__fd(object->progs.send_on), &before, refusal);

	if (!r)
		r = receiver_put(options, linear, bpf_program__fd(object_program(object->obj, "xdp.frags")),
				 refusal);
	if (r)
		tc_undo(options, &before);
	if (before.program >= 0)
		close(before.program);
	return r;
}

/* Fills the loaded object's maps, pins everything, and attaches. */
static int receiver_set_up(const struct receiver_options *options, struct receiver *object, size_t *ret_vips,
			   struct refusal *refusal)
{
	int linear = bpf_program__fd(object_program(object->obj, "xdp"));
	int maps[RECEIVER_MAPS], r;

	for (int i = 0; i < RECEIVER_MAPS; i++)
		maps[i] = bpf_object__find_map_fd_by_name(object->obj, receiver_maps[i]);
	r = receiver_fill(maps, options, ret_vips);
	if (!r)
		r = receiver_pin(object, options->interface, linear);
	if (r)
		return refuse(refusal, r, "the receiver cannot be set up on %s: %s", options->interface,
			      strerror(-r));
	return programs_put(options, object, linear, refusal);
}

static int refuse_lock(int error, const char *interface, struct refusal *refusal)
{
	if (error != -EBUSY)
		return refuse(refusal, error, "the receiver on %s cannot be changed: %s", interface,
			      strerror(-error));
	refuse(refusal, 0,
	       "another command attaches or detaches receivers, and has not ended for ten seconds");
	refusal_right(refusal, "wait for it or end it, then try again: pgrep -af 'holdfast.* receiver'");
	return error;
}

/* Pins of an interface that is called otherwise now: to take them would end its receiver. */
static int pins_check(const char *interface, struct refusal *refusal)
{
	struct attachment attachment;

	if (receiver_attachment(interface, &attachment) || attachment.ifindex == if_nametoindex(interface))
		return 0;
	refuse(refusal, 0, "the receiver of %s was attached when that was called %s, and has its pins",
	       attachment.interface, interface);
	refusal_right(refusal, "holdfast receiver detach %s, then attach both again", interface);
	return -EBUSY;
}

static int attach_locked(const struct receiver_options *options, int32_t netns, struct refusal *warning,
			 struct refusal *refusal)
{
	struct receiver *object = NULL;
	char path[PIN_PATH];
	size_t vip_count = 0;
	int r;

	receivers_follow_names();
	r = pins_check(options->interface, refusal);
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

int receiver_attach(const struct receiver_options *options, struct refusal *warning, struct refusal *refusal)
{
	char path[PIN_PATH];
	int32_t netns;
	int r = options_resolve(options, &netns, refusal), lock;

	if (!r)
		r = pins_mount(refusal);
	if (r)
		return r;
	r = pins_make_directory(pin_path(path, "receiver"));
	lock = r ?: receivers_lock();
	if (lock < 0)
		return refuse_lock(lock, options->interface, refusal);
	r = attach_locked(options, netns, warning, refusal);
	receivers_unlock(lock);
	return r;
}

static int detach_locked(const char *interface, struct refusal *refusal)
{
	struct attachment attachment = {};
	struct receiver_about about = {};
	char path[PIN_PATH];
	int r = xdp_attachment(receiver_path(interface, "link", path), &attachment), left = 0;
	/* Where the link is gone, its tc program may be left. Elsewhere the number is another's. */
	uint32_t ifindex = !r ? attachment.ifindex : r == -ENOENT ? if_nametoindex(interface) : 0;

	receiver_about_read(interface, &about);
	r = xdp_detach(path);
	if (ifindex)
		left = tc_take_away(ifindex, about.qdisc_made == ifindex);
	if (r == -ENOENT)
		refuse(refusal, 0, "no receiver is attached to %s", interface);
	else if (r)
		refuse(refusal, 0, "the receiver on %s cannot be detached: %s", interface, strerror(-r));
	else if (left)
		r = refuse(refusal, left, "the tc program of the receiver on %s cannot be detached: %s",
			   interface, strerror(-left));
	pins_remove(receiver_path(interface, NULL, path));
	rmdir(receiver_path(NULL, NULL, path)); /* stays while another interface has a receiver */
	return r;
}

int receiver_detach(const char *interface, struct refusal *refusal)
{
	int lock = receivers_lock(), r;

	if (lock < 0 && lock != -ENOENT)
		return refuse_lock(lock, interface, refusal);
	if (if_nametoindex(interface)) /* else it is what was called so when it was attached */
		receivers_follow_names();
	r = detach_locked(interface, refusal);
	receivers_unlock(lock);
	return r;
}

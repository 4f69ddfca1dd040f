// SPDX-License-Identifier: Apache-2.0
/*
 * The upgrade: the programs of this build in the place of those that carry traffic, each attachment switched
 * by one bpf_link_update. Maps whose layout is the same stay; one whose entries have grown at their ends, or
 * have become more, is copied; anything else is refused. Nothing that is pinned or attached changes before
 * all that may be refused has been tried.
 */
#include "kern/maps/state.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "kern/instance/attach.h"
#include "kern/base/pins.h"
#include "dispatcher.h"

bool dataplane_outdated(const struct dataplane *dataplane)
{
	return dataplane->control->reserved[CONTROL_DIGEST] != object_digest();
}

/* One entry after the other, as the system call gives them: the larger value has the smaller as its
 * beginning.
 */
static int entries_copy(int from, int to, const struct bpf_map_info *old, const struct bpf_map_info *new)
{
	bool each = old->type == BPF_MAP_TYPE_PERCPU_ARRAY;
	size_t copies = each ? (size_t)libbpf_num_possible_cpus() : 1;
	size_t old_stride = (old->value_size + 7) & ~7U, new_stride = (new->value_size + 7) & ~7U;
	char *old_values = calloc(copies, old_stride), *new_values = calloc(copies, new_stride);
	int r = old_values && new_values ? 0 : -ENOMEM;

	for (uint32_t key = 0; !r && key < old->max_entries; key++) {
		if (bpf_map_lookup_elem(from, &key, old_values)) {
			r = -errno;
			break;
		}
		for (size_t i = 0; i < copies; i++)
			memcpy(new_values + i * new_stride, old_values + i * old_stride, old->value_size);
		if (bpf_map_update_elem(to, &key, new_values, BPF_ANY))
			r = -errno;
	}
	free(old_values);
	free(new_values);
	return r;
}

static int refuse_layout(const struct bpf_map_info *old, uint32_t size, struct refusal *refusal)
{
	refuse(refusal, 0,
	       "map %s has entries of %u bytes, and this version cannot make its own of %u out of them",
	       old->name, old->value_size, size);
	refusal_right(refusal, "a version in between, or: detach, remove the instance's pins, start again");
	return -EPROTO;
}

/* Makes a larger map of the pinned one, and takes its place in maps[]. */
static int map_grow(struct map *map, const struct bpf_map_info *old, uint32_t size, uint32_t entries,
		    struct refusal *refusal)
{
	LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = old->map_flags);
	struct bpf_map_info new = *old;
	int fd, r;

	if ((old->type != BPF_MAP_TYPE_ARRAY && old->type != BPF_MAP_TYPE_PERCPU_ARRAY) ||
	    old->value_size > size)
		return refuse_layout(old, size, refusal);
	new.value_size = size;
	fd = bpf_map_create(old->type, old->name, sizeof(uint32_t), size, entries, &options);
	if (fd < 0)
		return refuse(refusal, -errno, "no new map %s: %s", old->name, strerror(errno));
	r = entries_copy(map->fd, fd, old, &new);
	if (r) {
		close(fd);
		return refuse(refusal, r, "map %s cannot be copied: %s", old->name, strerror(-r));
	}
	close(map->fd);
	map->fd = fd;
	return 0;
}

/* How many entries a map has in this version: options size the others. */
static uint32_t map_entries(int number, const struct bpf_map_info *old)
{
	uint32_t wanted = 0;

	if (number == MAP_SERVICES)
		wanted = SERVICES_ENTRIES;
	else if (number == MAP_FLOW_EVENTS)
		wanted = HF_FLOW_EVENTS;
	return old->max_entries < wanted ? wanted : old->max_entries;
}

/* Returns how many maps were replaced, or a negative errno. */
static int maps_migrate(struct dataplane *dataplane, struct refusal *refusal)
{
	int replaced = 0;

	for (int i = 0; i < MAP_COUNT; i++) {
		struct bpf_map_info info = {};
		uint32_t length = sizeof info, entries;
		int r;

		if (dataplane->maps[i].fd < 0) { /* the pinned version has no such map: it is made anew */
			replaced++;
			continue;
		}
		if (bpf_obj_get_info_by_fd(dataplane->maps[i].fd, &info, &length))
			return -errno;
		entries = map_entries(i, &info);
		if (info.value_size == map_sizes[i] && info.max_entries == entries)
			continue;
		r = map_grow(&dataplane->maps[i], &info, map_sizes[i], entries, refusal);
		if (r)
			return r;
		replaced++;
	}
	return replaced;
}

static int abi_check(const struct dataplane *dataplane, struct refusal *refusal)
{
	struct hf_control control = {};
	int r = control_peek(dataplane->maps[MAP_CONTROL].fd, &control);

	if (r)
		return r;
	if (control.abi >= HF_ABI_OLDEST && control.abi <= HF_ABI_VERSION)
		return 0;
	refuse(refusal, 0, "instance %s has layout %u, and this version knows %u to %u alone",
	       dataplane->instance, control.abi, HF_ABI_OLDEST, HF_ABI_VERSION);
	refusal_right(refusal,
		      "the version that loaded it, or: detach, remove the instance's pins, start again");
	return -EPROTO;
}

/* From the programs of one set of pins to those of another; and back the same way. */
struct switching {
	const struct dataplane *from, *to;
	const struct held_link *links; /* as they were at the beginning: a pin may be removed meanwhile */
	bool back; /* an undo: whatever runs neither of from's programs was not reached, and stays as it is */
	struct refusal *refusal;
};

/* One that an earlier set of pins had, after an upgrade that was cut short, gets the form that its driver
 * takes. */
static int link_update(int link, uint32_t program, const struct switching *switching)
{
	const struct dataplane *from = switching->from, *to = switching->to;
	bool linear = program == from->prog_id, frags = program == from->prog_frags_id;

	if (switching->back && !linear && !frags)
		return 0;
	if (!frags && !bpf_link_update(link, to->prog, NULL))
		return 0;
	if (!linear && !bpf_link_update(link, to->prog_frags, NULL))
		return 0;
	return -errno;
}

/* Links run one of two programs; each is replaced by its like. */
static int link_switch(const struct held_link *link, const struct switching *switching)
{
	struct bpf_link_info info = {};
	uint32_t length = sizeof info;
	int r = 0;

	if (bpf_obj_get_info_by_fd(link->fd, &info, &length))
		r = -errno;
	else if (info.xdp.ifindex)
		r = link_update(link->fd, info.prog_id, switching);
	if (!r)
		return 0;
	refuse(switching->refusal, r, "the program of link %s cannot be replaced: %s", link->pinned,
	       strerror(-r));
	return switching->back ? 0 : r; /* an undo goes on to the other links */
}

static int links_switch(const struct switching *switching)
{
	int r = 0;

	for (size_t i = 0; !r && i < HF_MAX_LINKS; i++) {
		if (switching->links[i].id)
			r = link_switch(&switching->links[i], switching);
	}
	return r;
}

/*
 * The stamp comes last: who finds it missing does the upgrade again. Whatever fails before is undone, so that
 * links and pins name one set of programs and maps.
 */
static int switch_over(struct dataplane *new, const struct dataplane *old, struct refusal *refusal)
{
	struct switching forth = {.from = old, .to = new, .links = old->held, .refusal = refusal};
	struct switching back = {.from = new, .to = old, .links = old->held, .back = true};
	int r = links_switch(&forth);

	if (!r)
		r = share_upgrade(new, refusal);
	if (!r)
		r = instance_pins_put(new, refusal);
	if (!r)
		r = control_stamp(new);
	if (!r)
		return 0;
	links_switch(&back);
	instance_pins_put(old, NULL);
	return r;
}

/* All that may be refused, without touching what carries traffic. Returns how many maps were replaced. */
static int upgrade_prepare(struct dataplane *dataplane, struct refusal *refusal)
{
	const struct dataplane_limits as_they_are = {};
	int replaced, r = abi_check(dataplane, refusal);

	if (!r)
		r = selftest_run(refusal);
	if (r)
		return r;
	replaced = maps_migrate(dataplane, refusal);
	if (replaced < 0)
		return replaced;
	r = programs_load(dataplane, &as_they_are, refusal);
	if (!r)
		r = program_describe(dataplane->prog, &dataplane->prog_id, dataplane->tag);
	if (!r)
		r = program_describe(dataplane->prog_frags, &dataplane->prog_frags_id, dataplane->frags_tag);
	if (!r)
		r = maps_memory_map(dataplane, refusal);
	return r ?: replaced;
}

/* What is pinned, with descriptors of its own: the way back. */
static int open_pinned(const char *instance, struct dataplane **ret, struct refusal *refusal)
{
	struct dataplane *dataplane;
	bool whole;
	int r = dataplane_new(instance, true, &dataplane, refusal);

	if (r)
		return r;
	r = instance_pins_open(dataplane, &whole);
	if (r == -ENOENT && dataplane->maps[MAP_CONTROL].fd >= 0 && dataplane->prog >= 0 &&
	    dataplane->prog_frags >= 0)
		r = 0;
	if (r == -ENOENT) {
		refuse(refusal, 0, "instance %s is not loaded, or not whole", instance);
		refusal_right(refusal, "start holdfastd: it loads what is missing");
	} else if (r) {
		refuse(refusal, 0, "the pins of instance %s cannot be opened: %s", instance, strerror(-r));
	}
	if (!r)
		r = program_describe(dataplane->prog, &dataplane->prog_id, dataplane->tag);
	if (!r)
		r = program_describe(dataplane->prog_frags, &dataplane->prog_frags_id, dataplane->frags_tag);
	if (r)
		dataplane_close(dataplane);
	else
		*ret = dataplane;
	return r;
}

static void programs_forget(struct dataplane *dataplane)
{
	close(dataplane->prog);
	close(dataplane->prog_frags);
	dataplane->prog = dataplane->prog_frags = -1;
}

int dataplane_upgrade(const char *instance, struct refusal *refusal)
{
	struct dataplane *old = NULL, *new = NULL;
	int replaced = 0, r = open_pinned(instance, &old, refusal);

	if (!r)
		r = links_hold(old);
	if (!r)
		r = open_pinned(instance, &new, refusal);
	if (!r) {
		programs_forget(new);
		replaced = upgrade_prepare(new, refusal);
		r = replaced < 0 ? replaced : switch_over(new, old, refusal);
	}
	dataplane_close(new);
	dataplane_close(old);
	return r ?: replaced > 0;
}

int dataplane_refresh(struct dataplane *dataplane)
{
	char path[PIN_PATH], name[PIN_NAME];
	int prog, frags;

	pin_encode(dataplane->instance, name);
	prog = pin_get(pin_path(path, "%s/prog", name));
	if (prog < 0)
		return prog;
	frags = pin_get(pin_path(path, "%s/prog_frags", name));
	if (frags < 0) {
		close(prog);
		return frags;
	}
	close(dataplane->prog);
	close(dataplane->prog_frags);
	dataplane->prog = prog;
	dataplane->prog_frags = frags;
	dataplane->changes++; /* packets under way still run the program before */
	program_describe(prog, &dataplane->prog_id, dataplane->tag);
	program_describe(frags, &dataplane->prog_frags_id, dataplane->frags_tag);
	return 0;
}

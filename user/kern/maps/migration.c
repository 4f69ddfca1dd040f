// SPDX-License-Identifier: Apache-2.0
/* Pinned maps of an earlier version, made into those of this one. */
#include "state.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "kern/base/object.h"

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

int maps_migrate(struct dataplane *dataplane, struct refusal *refusal)
{
	int replaced = 0;

	for (int i = 0; i < MAP_COUNT; i++) {
		struct bpf_map_info info;
		uint32_t entries;
		int r;

		if (dataplane->maps[i].fd < 0) { /* the pinned version has no such map: it is made anew */
			replaced++;
			continue;
		}
		if (object_info(dataplane->maps[i].fd, &info, sizeof info))
			return -errno;
		entries = map_entries(i, &info);
		if (info.value_size == map_kinds[i].size && info.max_entries == entries)
			continue;
		r = map_grow(&dataplane->maps[i], &info, map_kinds[i].size, entries, refusal);
		if (r)
			return r;
		replaced++;
	}
	return replaced;
}

// SPDX-License-Identifier: Apache-2.0
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "load.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include "kern/maps/state.h"
#include "lb.skel.h"

uint64_t object_digest(void)
{
	size_t size;
	const void *bytes = lb__elf_bytes(&size);

	return XXH64(bytes, size, 0);
}

bool dataplane_outdated(const struct dataplane *dataplane)
{
	return dataplane->control->reserved[CONTROL_DIGEST] != object_digest();
}

static int maps_bind(const struct dataplane *dataplane, struct lb *object)
{
	int r = 0;

	for (int i = 0; !r && i < MAP_COUNT; i++) {
		struct bpf_map *map = bpf_object__find_map_by_name(object->obj, map_kinds[i].name);

		if (!map)
			r = -ENOEXEC;
		else if (dataplane->maps[i].fd >= 0)
			r = bpf_map__reuse_fd(map, dataplane->maps[i].fd);
	}
	return r;
}

int embedded_open(const struct dataplane *dataplane, struct embedded *ret)
{
	int r = object_log_open(&ret->log);

	ret->object = NULL;
	if (r)
		return r;
	ret->object = lb__open_opts(&ret->log.options);
	if (!ret->object)
		return -errno;
	/* A kernel that is locked down for confidentiality does not. */
	ret->object->rodata->kernel_tells =
		libbpf_probe_bpf_helper(BPF_PROG_TYPE_XDP, BPF_FUNC_probe_read_kernel, NULL) == 1;
	return maps_bind(dataplane, ret->object);
}

int embedded_load(struct embedded *embedded, int error, struct refusal *refusal)
{
	if (!error)
		error = lb__load(embedded->object);
	return error && embedded->log.text ? object_log_refuse(&embedded->log, error, refusal) : error;
}

void embedded_close(struct embedded *embedded)
{
	lb__destroy(embedded->object);
	object_log_close(&embedded->log);
}

static int resize(struct lb *object, const struct dataplane_limits *limits)
{
	const struct {
		int map;
		uint32_t entries;
	} sizes[] = {
		{MAP_SLOTS, limits->slots}, {MAP_SINCE, (limits->slots + 1) / 2}, {MAP_HOPS, limits->hops},
		{MAP_FLOWS, limits->flows}, {MAP_COUNTERS, limits->counters},
	};

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		struct bpf_map *map = bpf_object__find_map_by_name(object->obj, map_kinds[sizes[i].map].name);
		int r = sizes[i].entries ? bpf_map__set_max_entries(map, sizes[i].entries) : 0;

		if (r)
			return r;
	}
	return 0;
}

/* Takes descriptors of its own, since the object closes its own. */
static int descriptors_take(struct dataplane *dataplane, struct lb *object)
{
	dataplane->prog = descriptor_copy(bpf_program__fd(object_program(object->obj, "xdp")));
	dataplane->prog_frags = descriptor_copy(bpf_program__fd(object_program(object->obj, "xdp.frags")));
	if (dataplane->prog < 0 || dataplane->prog_frags < 0)
		return dataplane->prog < 0 ? dataplane->prog : dataplane->prog_frags;
	for (int i = 0; i < MAP_COUNT; i++) {
		struct map *map = &dataplane->maps[i];

		if (map->fd < 0)
			map->fd = descriptor_copy(
				bpf_object__find_map_fd_by_name(object->obj, map_kinds[i].name));
		if (map->fd < 0)
			return map->fd;
	}
	return 0;
}

int programs_load(struct dataplane *dataplane, const struct dataplane_limits *limits, struct refusal *refusal)
{
	struct embedded embedded;
	int r = embedded_open(dataplane, &embedded);

	if (!r && dataplane->maps[MAP_SLOTS].fd < 0)
		r = resize(embedded.object, limits);
	r = embedded_load(&embedded, r, refusal) ?: descriptors_take(dataplane, embedded.object);
	embedded_close(&embedded);
	return r;
}

int programs_describe(struct dataplane *dataplane)
{
	return program_describe(dataplane->prog, &dataplane->prog_id, dataplane->tag)
		       ?: program_describe(dataplane->prog_frags, &dataplane->prog_frags_id,
					   dataplane->frags_tag);
}

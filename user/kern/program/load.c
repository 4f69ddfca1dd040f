// SPDX-License-Identifier: Apache-2.0
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "load.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
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

int object_open(const struct dataplane *dataplane, const struct object_log *log, struct lb **ret)
{
	struct lb *object = lb__open_opts(&log->options);
	int r = 0;

	if (!object)
		return -errno;
	/* A kernel that is locked down for confidentiality does not. */
	object->rodata->kernel_tells =
		libbpf_probe_bpf_helper(BPF_PROG_TYPE_XDP, BPF_FUNC_probe_read_kernel, NULL) == 1;
	for (int i = 0; !r && i < MAP_COUNT; i++) {
		struct bpf_map *map = bpf_object__find_map_by_name(object->obj, map_names[i]);

		if (!map)
			r = -ENOEXEC;
		else if (dataplane->maps[i].fd >= 0)
			r = bpf_map__reuse_fd(map, dataplane->maps[i].fd);
	}
	if (r) {
		lb__destroy(object);
		return r;
	}
	*ret = object;
	return 0;
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
		struct bpf_map *map = bpf_object__find_map_by_name(object->obj, map_names[sizes[i].map]);
		int r = sizes[i].entries ? bpf_map__set_max_entries(map, sizes[i].entries) : 0;

		if (r)
			return r;
	}
	return 0;
}

/* Takes descriptors of its own, since the object closes its own. */
static int descriptors_take(struct dataplane *dataplane, struct lb *object)
{
	dataplane->prog = fcntl(bpf_program__fd(object_program(object->obj, "xdp")), F_DUPFD_CLOEXEC, 3);
	dataplane->prog_frags =
		fcntl(bpf_program__fd(object_program(object->obj, "xdp.frags")), F_DUPFD_CLOEXEC, 3);
	if (dataplane->prog < 0 || dataplane->prog_frags < 0)
		return -errno;
	for (int i = 0; i < MAP_COUNT; i++) {
		struct bpf_map *map = bpf_object__find_map_by_name(object->obj, map_names[i]);

		if (dataplane->maps[i].fd < 0)
			dataplane->maps[i].fd = fcntl(bpf_map__fd(map), F_DUPFD_CLOEXEC, 3);
		if (dataplane->maps[i].fd < 0)
			return -errno;
	}
	return 0;
}

int programs_load(struct dataplane *dataplane, const struct dataplane_limits *limits, struct refusal *refusal)
{
	struct object_log log;
	struct lb *object = NULL;
	int r = object_log_open(&log);

	if (r)
		return r;
	r = object_open(dataplane, &log, &object);
	if (!r && dataplane->maps[MAP_SLOTS].fd < 0)
		r = resize(object, limits);
	if (!r)
		r = lb__load(object);
	if (r)
		r = object_log_refuse(&log, r, refusal);
	else
		r = descriptors_take(dataplane, object);
	lb__destroy(object);
	object_log_close(&log);
	return r;
}

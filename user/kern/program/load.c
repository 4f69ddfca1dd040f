// SPDX-License-Identifier: Apache-2.0
/*
 * Loading the embedded object: the form that carries traffic, and the observing form that only looks.
 *
 * How `why` is sure to run the very program that is attached: the XXH64 of the whole embedded object is
 * stored in the control map when its programs are loaded, and observing is refused unless it equals that of
 * the object that would be loaded for it. So both come from the same bytes, on the same maps; they differ by
 * one constant.
 */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "kern/maps/state.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "lb.skel.h"
#include "kern/base/object.h"

uint64_t object_digest(void)
{
	size_t size;
	const void *bytes = lb__elf_bytes(&size);

	return XXH64(bytes, size, 0);
}

int program_describe(int fd, uint32_t *ret_id, char ret_tag[17])
{
	struct bpf_prog_info info = {};
	uint32_t length = sizeof info;

	if (bpf_obj_get_info_by_fd(fd, &info, &length))
		return -errno;
	*ret_id = info.id;
	for (int i = 0; ret_tag && i < BPF_TAG_SIZE; i++)
		snprintf(&ret_tag[2 * i], 3, "%02x", info.tag[i]);
	return 0;
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
static int keep(struct dataplane *dataplane, struct lb *object)
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
		r = keep(dataplane, object);
	lb__destroy(object);
	object_log_close(&log);
	return r;
}

static int observer_load(struct dataplane *dataplane, struct lb **ret, struct refusal *refusal)
{
	struct object_log log;
	struct lb *object = NULL;
	int r = object_log_open(&log);

	if (r)
		return r;
	r = object_open(dataplane, &log, &object);
	if (!r) {
		object->rodata->observing = true;
		r = bpf_program__set_autoload(object_program(object->obj, "xdp.frags"), false);
	}
	if (!r)
		r = lb__load(object);
	if (r) {
		r = object_log_refuse(&log, r, refusal);
		lb__destroy(object);
	} else {
		*ret = object;
	}
	object_log_close(&log);
	return r;
}

void observer_close(struct lb *observer)
{
	if (observer)
		lb__destroy(observer);
}

/*
 * The kernel runs a program as if the packet came in by an interface only where that interface has a receive
 * queue ready (on veth: once native XDP is attached); elsewhere it runs it without.
 */
static int run(int program, const void *frame, uint32_t length, uint32_t ifindex,
	       struct bpf_test_run_opts *options)
{
	struct xdp_md context = {.data_end = length, .ingress_ifindex = ifindex};

	options->data_in = frame;
	options->data_size_in = length;
	if (ifindex) {
		uint32_t room = options->data_size_out;

		options->ctx_in = &context;
		options->ctx_size_in = sizeof context;
		if (!bpf_prog_test_run_opts(program, options))
			return 0;
		options->ctx_in = NULL;
		options->ctx_size_in = 0;
		options->data_size_out = room;
	}
	return bpf_prog_test_run_opts(program, options) ? -errno : 0;
}

int dataplane_observe(struct dataplane *dataplane, const void *frame, uint32_t frame_length, uint32_t ifindex,
		      struct hf_observation *ret, uint32_t *ret_verdict, void *out, uint32_t *length,
		      struct refusal *refusal)
{
	LIBBPF_OPTS(bpf_test_run_opts, options, .data_out = out, .data_size_out = out ? *length : 0,
		    .repeat = 1);
	const struct hf_observation nothing = {};
	struct hf_observation found;
	uint32_t zero = 0;
	int observation, r;

	if (dataplane_outdated(dataplane)) {
		refuse(refusal, 0, "the loaded program is of another build than this one");
		refusal_right(refusal, "ask the holdfast that loaded it, or upgrade the program");
		return -ENOEXEC;
	}
	if (!dataplane->observer) {
		r = observer_load(dataplane, &dataplane->observer, refusal);
		if (r)
			return r;
	}
	observation = bpf_map__fd(dataplane->observer->maps.observation);
	if (bpf_map_update_elem(observation, &zero, &nothing, BPF_ANY))
		return -errno;
	r = run(bpf_program__fd(object_program(dataplane->observer->obj, "xdp")), frame, frame_length,
		ifindex, &options);
	if (r)
		return refuse(refusal, r, "the kernel does not run the program on this frame: %s",
			      strerror(-r));
	if (bpf_map_lookup_elem(observation, &zero, &found))
		return -errno;
	*ret = found;
	*ret_verdict = options.retval;
	if (length)
		*length = options.data_size_out;
	return 0;
}

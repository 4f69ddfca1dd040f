// SPDX-License-Identifier: Apache-2.0
/* Waiting until no packet can read what was retired, and giving it back. */
#include "state.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/membarrier.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* An update of a map of maps by system call returns after every program that might use the old inner map. */
static int wait_by_map_in_map(void)
{
	LIBBPF_OPTS(bpf_map_create_opts, options);
	int inner = bpf_map_create(BPF_MAP_TYPE_ARRAY, "holdfast_inner", 4, 4, 1, NULL), outer, r = 0;
	uint32_t zero = 0;

	if (inner < 0)
		return -errno;
	options.inner_map_fd = inner;
	outer = bpf_map_create(BPF_MAP_TYPE_ARRAY_OF_MAPS, "holdfast_outer", 4, 4, 1, &options);
	if (outer < 0 || bpf_map_update_elem(outer, &zero, &inner, BPF_ANY))
		r = -errno;
	if (outer >= 0)
		close(outer);
	close(inner);
	return r;
}

/* Programs run inside RCU read sections, and this barrier is a grace period; the kernel refuses it where some
 * processors run without ticks (nohz_full). */
int packets_wait(void)
{
	if (!syscall(__NR_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0))
		return 0;
	return wait_by_map_in_map();
}

uint64_t dataplane_changes(const struct dataplane *dataplane)
{
	return dataplane->changes;
}

struct grace dataplane_grace(const struct dataplane *dataplane)
{
	return dataplane->grace;
}

bool dataplane_reclaimable(const struct dataplane *dataplane)
{
	return dataplane->grace.changes != dataplane->changes || dataplane->backends_retired ||
	       dataplane->hops_retired || ranges_reclaimable(dataplane->slot_ranges) ||
	       ranges_reclaimable(dataplane->table_ranges) || ranges_reclaimable(dataplane->service_ranges);
}

static void backends_clear(struct dataplane *dataplane)
{
	for (uint32_t i = 0; dataplane->backends_retired && i < HF_MAX_BACKENDS; i++) {
		if (bit_is_set(dataplane->retired_backends, i))
			memset(&dataplane->backends[i], 0, sizeof dataplane->backends[i]);
	}
	memset(dataplane->retired_backends, 0, sizeof dataplane->retired_backends);
	dataplane->backends_retired = false;
}

/* What is noted of the grace period is read before it begins. */
int dataplane_reclaim(struct dataplane *dataplane)
{
	struct grace grace = {.changes = dataplane->changes};
	struct timespec now;
	int r;

	clock_gettime(CLOCK_MONOTONIC, &now);
	grace.began = (uint32_t)now.tv_sec;
	r = packets_wait();
	if (r)
		return r;
	dataplane->grace = grace;
	ranges_reclaim(dataplane->slot_ranges);
	ranges_reclaim(dataplane->table_ranges);
	ranges_reclaim(dataplane->service_ranges);
	backends_clear(dataplane);
	if (dataplane->hops_retired)
		r = hops_derive(dataplane);
	dataplane->hops_retired = r != 0; /* it is tried again */
	return r;
}

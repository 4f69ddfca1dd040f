// SPDX-License-Identifier: Apache-2.0
/* Counters: each processor has its own, and reading sums them. */
#include "state.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(struct hf_counters) % 8 == 0 && sizeof(struct hf_reason_counter) % 8 == 0,
	       "the kernel pads the values of each processor to eight bytes");

/* Every counter is a row of 64-bit words: adds up those of all processors. */
static int sum(int fd, uint32_t key, uint64_t *values, int processors, uint64_t *ret, size_t words)
{
	if (bpf_map_lookup_elem(fd, &key, values))
		return -errno;
	memset(ret, 0, words * sizeof *ret);
	for (int i = 0; i < processors; i++) {
		for (size_t j = 0; j < words; j++)
			ret[j] += values[i * words + j];
	}
	return 0;
}

static int sum_range(int fd, uint32_t first, uint32_t count, size_t size, void *ret)
{
	int processors = libbpf_num_possible_cpus(), r = 0;
	uint64_t *values;

	if (processors < 0)
		return processors;
	values = calloc(processors, size);
	if (!values)
		return -ENOMEM;
	for (uint32_t i = 0; !r && i < count; i++)
		r = sum(fd, first + i, values, processors, (uint64_t *)((char *)ret + i * size), size / 8);
	free(values);
	return r;
}

int dataplane_counters(struct dataplane *dataplane, uint32_t first, uint32_t count, struct hf_counters *ret)
{
	return sum_range(dataplane->maps[MAP_COUNTERS].fd, first, count, sizeof *ret, ret);
}

int dataplane_reasons(struct dataplane *dataplane, struct hf_reason_counter ret[HF_REASON_LIMIT])
{
	return sum_range(dataplane->maps[MAP_REASONS].fd, 0, HF_REASON_LIMIT, sizeof *ret, ret);
}

int dataplane_counters_clear(struct dataplane *dataplane, uint32_t first, uint32_t count)
{
	int processors = libbpf_num_possible_cpus(), r = 0;
	struct hf_counters *zeros;

	if (processors < 0)
		return processors;
	zeros = calloc(processors, sizeof *zeros);
	if (!zeros)
		return -ENOMEM;
	for (uint32_t key = first; !r && key - first < count; key++) {
		if (bpf_map_update_elem(dataplane->maps[MAP_COUNTERS].fd, &key, zeros, BPF_ANY))
			r = -errno;
	}
	free(zeros);
	return r;
}

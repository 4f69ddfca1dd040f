// SPDX-License-Identifier: Apache-2.0
/* Counters: each processor has its own, and reading sums them. */
#include "flows.h"
#include "state.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(struct hf_counters) % 8 == 0 && sizeof(struct hf_reason_counter) % 8 == 0,
	       "the kernel pads the values of each processor to eight bytes");

/* Every counter is a row of 64-bit words: adds up those of all processors. */
static void add_up(const uint64_t *values, int processors, uint64_t *ret, size_t words)
{
	memset(ret, 0, words * sizeof *ret);
	for (int i = 0; i < processors; i++) {
		for (size_t j = 0; j < words; j++)
			ret[j] += values[i * words + j];
	}
}

enum { AT_ONCE = 256 /* records to a system call */ };

/* Records after the one of number `before`: that is how the kernel tells where a batch of an array begins. */
static int sum_batch(int fd, uint32_t before, uint32_t count, uint64_t *values, int processors, char *ret,
		     size_t size)
{
	uint32_t keys[AT_ONCE], last, got = count;
	size_t words = size / 8;

	/* At the map's end there are fewer than asked for, which is -ENOENT and no error. */
	if (bpf_map_lookup_batch(fd, &before, &last, keys, values, &got, NULL) &&
	    (errno != ENOENT || got < count))
		return -errno;
	for (uint32_t i = 0; i < count; i++)
		add_up(values + i * words * processors, processors, (uint64_t *)(ret + i * size), words);
	return 0;
}

static int sum_range(int fd, uint32_t first, uint32_t count, size_t size, void *ret)
{
	int processors = libbpf_num_possible_cpus(), r = 0;
	uint64_t *values;

	if (processors < 0)
		return processors;
	values = calloc((size_t)AT_ONCE * processors, size);
	if (!values)
		return -ENOMEM;
	/* The first record of all has none before it. */
	if (!first && count) {
		r = bpf_map_lookup_elem(fd, &first, values) ? -errno : 0;
		add_up(values, processors, ret, size / 8);
	}
	for (uint32_t i = !first; !r && i < count; i += AT_ONCE)
		r = sum_batch(fd, first + i - 1, count - i < AT_ONCE ? count - i : AT_ONCE, values,
			      processors, (char *)ret + i * size, size);
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

int flow_events(struct dataplane *dataplane, uint64_t ret[HF_FLOW_EVENTS])
{
	uint32_t counted = dataplane->maps[MAP_FLOW_EVENTS].entries;

	memset(ret, 0, HF_FLOW_EVENTS * sizeof *ret);
	return sum_range(dataplane->maps[MAP_FLOW_EVENTS].fd, 0,
			 counted < HF_FLOW_EVENTS ? counted : HF_FLOW_EVENTS, sizeof *ret, ret);
}

/* from: the first of the records that are copied; NULL: all of them become 0. */
static int counters_write(struct dataplane *dataplane, const uint32_t *from, uint32_t to, uint32_t count)
{
	int processors = libbpf_num_possible_cpus(), fd = dataplane->maps[MAP_COUNTERS].fd, r = 0;
	struct hf_counters *values;

	if (processors < 0)
		return processors;
	values = calloc(processors, sizeof *values);
	if (!values)
		return -ENOMEM;
	for (uint32_t i = 0; !r && i < count; i++) {
		uint32_t source = from ? *from + i : 0, target = to + i;

		if ((from && bpf_map_lookup_elem(fd, &source, values)) ||
		    bpf_map_update_elem(fd, &target, values, BPF_ANY))
			r = -errno;
	}
	free(values);
	return r;
}

int dataplane_counters_copy(struct dataplane *dataplane, uint32_t from, uint32_t to, uint32_t count)
{
	return counters_write(dataplane, &from, to, count);
}

int dataplane_counters_clear(struct dataplane *dataplane, uint32_t first, uint32_t count)
{
	return counters_write(dataplane, NULL, first, count);
}

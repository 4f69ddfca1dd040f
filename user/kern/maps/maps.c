// SPDX-License-Identifier: Apache-2.0
/* The maps' descriptors and memory, and what they say about which of it is in use. */
#include "state.h"
#include "kern/base/object.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <holdfast/directory.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

const struct map_kind map_kinds[MAP_COUNT] = {
#define X(number, name, type, shared) {#name, sizeof(type), shared},
	DATAPLANE_MAPS(X)
#undef X
};

void maps_init(struct dataplane *dataplane)
{
	for (int i = 0; i < MAP_COUNT; i++)
		dataplane->maps[i].fd = -1;
}

/* The size that an array's memory has (the kernel rounds entries up to eight bytes, the whole to pages). */
static size_t memory_length(uint32_t entries, uint32_t size)
{
	size_t page = sysconf(_SC_PAGESIZE);

	return ((size_t)entries * ((size + 7) & ~7U) + page - 1) / page * page;
}

static int map_one(struct dataplane *dataplane, int number, struct refusal *refusal)
{
	const struct map_kind *kind = &map_kinds[number];
	struct map *map = &dataplane->maps[number];
	struct bpf_map_info info;
	void *memory;

	if (object_info(map->fd, &info, sizeof info))
		return refuse(refusal, -errno, "map %s cannot be read: %s", kind->name, strerror(errno));
	if (info.value_size != kind->size || kind->shared != !!(info.map_flags & BPF_F_MMAPABLE)) {
		refuse(refusal, 0, "map %s has entries of %u bytes, not %u", kind->name, info.value_size,
		       kind->size);
		return -EPROTO;
	}
	map->entries = info.max_entries;
	if (!kind->shared)
		return 0;
	map->length = memory_length(map->entries, info.value_size);
	memory = mmap(NULL, map->length, dataplane->writable ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED,
		      map->fd, 0);
	if (memory == MAP_FAILED)
		return refuse(refusal, -errno, "map %s cannot be mapped: %s", kind->name, strerror(errno));
	map->memory = memory;
	return 0;
}

int maps_memory_map(struct dataplane *dataplane, struct refusal *refusal)
{
	for (int i = 0; i < MAP_COUNT; i++) {
		int r = map_one(dataplane, i, refusal);

		if (r)
			return r;
	}
#define X(number, name, type, shared) (shared) ? dataplane->maps[MAP_##number].memory : NULL,
	void *const memory[] = {DATAPLANE_MAPS(X)};
#undef X
	dataplane->control = memory[MAP_CONTROL];
	dataplane->services = memory[MAP_SERVICES];
	dataplane->pools = memory[MAP_POOLS];
	dataplane->tables = memory[MAP_TABLES];
	dataplane->slots = memory[MAP_SLOTS];
	dataplane->since = memory[MAP_SINCE];
	dataplane->hops = memory[MAP_HOPS];
	dataplane->backends = memory[MAP_BACKENDS];
	dataplane->flows = memory[MAP_FLOWS];
	return 0;
}

void maps_close(struct dataplane *dataplane)
{
	for (int i = 0; i < MAP_COUNT; i++) {
		struct map *map = &dataplane->maps[i];

		if (map->memory)
			munmap(map->memory, map->length);
		if (map->fd >= 0)
			close(map->fd);
		*map = (struct map){.fd = -1};
	}
}

static int claim_table(struct dataplane *dataplane, uint32_t number)
{
	const struct hf_table *table = &dataplane->tables[number];
	int r = ranges_claim(dataplane->table_ranges, number, 1);

	if (r)
		return r;
	r = ranges_claim(dataplane->slot_ranges, table->first, table->size);
	if (!r && table->old_size)
		r = ranges_claim(dataplane->slot_ranges, table->old_first, table->old_size);
	return r;
}

static int claim_all(struct dataplane *dataplane)
{
	uint64_t directory = dataplane->control->services;
	uint32_t first = hf_directory_first(directory);
	uint32_t log2 = hf_directory_log2(directory);
	int r = 0;

	if (directory)
		r = log2 < 32 ? ranges_claim(dataplane->service_ranges, first, 1U << log2) : -ERANGE;
	for (uint32_t i = 0; !r && i < dataplane->maps[MAP_POOLS].entries; i++) {
		uint32_t table = pool_table(dataplane, i);

		if (table)
			r = table < dataplane->maps[MAP_TABLES].entries ? claim_table(dataplane, table)
									: -ERANGE;
	}
	return r;
}

int ranges_derive(struct dataplane *dataplane, struct refusal *refusal)
{
	int r = ranges_open(dataplane->maps[MAP_SLOTS].entries, &dataplane->slot_ranges);

	if (!r)
		r = ranges_open(dataplane->maps[MAP_TABLES].entries, &dataplane->table_ranges);
	if (!r)
		r = ranges_open(dataplane->maps[MAP_SERVICES].entries, &dataplane->service_ranges);
	if (!r)
		r = ranges_claim(dataplane->table_ranges, 0, 1); /* none */
	if (!r)
		r = claim_all(dataplane);
	if (!r)
		r = hops_store_open(dataplane->hops, dataplane->maps[MAP_HOPS].entries,
				    &dataplane->hops_store);
	if (!r)
		r = hops_derive(dataplane);
	if (r == -EEXIST || r == -ERANGE) {
		refuse(refusal, 0, "the pinned tables of instance %s contradict each other",
		       dataplane->instance);
		refusal_right(refusal, "remove " PINS "/%s and start again", dataplane->instance);
		return -EPROTO;
	}
	return r;
}

int hops_derive(struct dataplane *dataplane)
{
	int r = hops_sweep_begin(dataplane->hops_store);

	for (uint32_t i = 0; !r && i < dataplane->maps[MAP_POOLS].entries; i++) {
		const struct hf_table *table = table_in_force(dataplane, i);

		if (!table)
			continue;
		r = hops_sweep_mark(dataplane->hops_store, &dataplane->slots[table->first], table->size);
		if (!r && table->old_size)
			r = hops_sweep_mark(dataplane->hops_store, &dataplane->slots[table->old_first],
					    table->old_size);
	}
	if (!r)
		hops_sweep_end(dataplane->hops_store);
	return r;
}

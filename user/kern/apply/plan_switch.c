// SPDX-License-Identifier: Apache-2.0
/* What a packet sees of a plan: one store a pool, one for the directory; what they named is retired. */
#include "apply_parts.h"

#include <holdfast/directory.h>
#include <string.h>

int reserve_directory(struct dataplane *dataplane, const struct plan *plan, uint32_t *ret_first,
		      struct refusal *refusal)
{
	uint32_t size;
	int r;

	if (!plan->services || !plan->directory->entries)
		return 0;
	size = 1U << plan->directory->log2;
	/* From a multiple of its size on, so that the one in use lies in one half of the array alone. */
	r = ranges_take(dataplane->service_ranges, size, size, ret_first);
	if (r)
		refuse(refusal, 0,
		       "no room for a directory of %u services beside the one in use: %u entries in all",
		       size, dataplane->maps[MAP_SERVICES].entries);
	return r;
}

/* The old table of a pool that migrates from it stays in use by the new one. */
static void table_retire(struct dataplane *dataplane, uint32_t number, const struct hf_table *next)
{
	const struct hf_table *table = &dataplane->tables[number];
	uint32_t kept = next && next->old_size ? next->old_first : UINT32_MAX;

	if (!number)
		return;
	ranges_retire(dataplane->table_ranges, number);
	if (table->first != kept)
		ranges_retire(dataplane->slot_ranges, table->first);
	if (table->old_size && table->old_first != kept)
		ranges_retire(dataplane->slot_ranges, table->old_first);
}

void pool_switch(struct dataplane *dataplane, uint32_t pool, uint32_t table, uint32_t generation)
{
	uint32_t before = pool_table(dataplane, pool);

	__atomic_store_n(&dataplane->pools[pool], table ? (uint64_t)generation << 32 | table : 0,
			 __ATOMIC_RELEASE);
	/* What a packet puts off in these very nanoseconds, its flow's next packet puts off again. */
	if (before && table)
		since_follow(dataplane, &dataplane->tables[before], &dataplane->tables[table]);
	table_retire(dataplane, before, table ? &dataplane->tables[table] : NULL);
}

static void directory_switch(struct dataplane *dataplane, const struct directory *directory, uint32_t first,
			     uint32_t generation)
{
	uint64_t before = dataplane->control->services, word = 0;

	if (directory->entries) {
		memcpy(&dataplane->services[first], directory->entries,
		       sizeof *directory->entries << directory->log2);
		word = hf_directory_word(first, directory->seed, directory->log2, directory->lengths,
					 generation);
	}
	__atomic_store_n(&dataplane->control->services, word, __ATOMIC_RELEASE);
	if (before)
		ranges_retire(dataplane->service_ranges, hf_directory_first(before));
}

void services_switch(struct dataplane *dataplane, const struct plan *plan, uint32_t directory,
		     uint32_t generation)
{
	if (plan->services)
		directory_switch(dataplane, plan->directory, directory, generation);
	for (size_t i = 0; i < plan->pool_count; i++) {
		if (plan->pools[i].change == PLAN_REMOVE)
			pool_switch(dataplane, plan->pools[i].number, 0, generation);
	}
}

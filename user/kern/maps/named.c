// SPDX-License-Identifier: Apache-2.0
/* Which backends the tables name, by number. */
#include <holdfast/slot.h>

#include "state.h"

static void note_hops(const struct dataplane *dataplane, uint32_t index, bool named[HF_MAX_BACKENDS])
{
	const struct hf_hops *hops = &dataplane->hops[index];

	if (!index || index >= dataplane->maps[MAP_HOPS].entries)
		return;
	for (unsigned int i = 0; i < hops->count && i < HF_MAX_HOPS; i++)
		named[hops->backend[i]] = true;
}

static void note_words(const struct dataplane *dataplane, uint32_t first, uint32_t size,
		       bool named[HF_MAX_BACKENDS])
{
	for (uint32_t i = 0; i < size; i++) {
		uint64_t word = dataplane->slots[first + i];

		named[hf_slot_owner(word)] = true;
		named[hf_slot_base(word)] = true;
		note_hops(dataplane, hf_slot_hops(word), named);
	}
}

void dataplane_named(const struct dataplane *dataplane, bool named[HF_MAX_BACKENDS])
{
	for (uint32_t i = 0; i < dataplane->maps[MAP_POOLS].entries; i++) {
		const struct hf_table *table = table_in_force(dataplane, i);

		if (!table)
			continue;
		note_words(dataplane, table->first, table->size, named);
		if (table->old_size)
			note_words(dataplane, table->old_first, table->old_size, named);
	}
}

bool dataplane_old_base(const struct dataplane *dataplane, uint32_t pool, uint16_t backend)
{
	const struct hf_table *table = table_in_force(dataplane, pool);

	for (uint32_t i = 0; table && i < table->old_size; i++) {
		if (hf_slot_base(dataplane->slots[table->old_first + i]) == backend)
			return true;
	}
	return false;
}

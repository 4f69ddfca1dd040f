// SPDX-License-Identifier: Apache-2.0
/* What the maps hold, read back as plain values. */
#include "state.h"

#include <errno.h>
#include <holdfast/directory.h>
#include <holdfast/slot.h>
#include <stdlib.h>
#include <string.h>

static void *copy_of(const void *from, size_t size)
{
	void *copy = malloc(size ?: 1);

	return copy ? memcpy(copy, from, size) : NULL;
}

static int directory_read(const struct dataplane *dataplane, struct directory *ret)
{
	uint64_t word = dataplane->control->services;
	uint32_t first = hf_directory_first(word);

	if (!word)
		return 0;
	ret->log2 = hf_directory_log2(word);
	ret->seed = hf_directory_seed(word);
	ret->lengths = hf_directory_lengths(word);
	ret->entries = copy_of(&dataplane->services[first], sizeof *ret->entries << ret->log2);
	return ret->entries ? 0 : -ENOMEM;
}

static bool has_hops(const uint64_t *words, uint32_t size)
{
	for (uint32_t i = 0; i < size; i++) {
		if (hf_slot_hops(words[i]))
			return true;
	}
	return false;
}

static int hops_read(const struct dataplane *dataplane, uint64_t *words, struct pool_image *ret)
{
	struct hf_hops *hops;

	if (!has_hops(words, ret->table.size))
		return 0;
	hops = calloc(ret->table.size, sizeof *hops);
	if (!hops)
		return -ENOMEM;
	for (uint32_t i = 0; i < ret->table.size; i++) {
		hops[i] = dataplane->hops[hf_slot_hops(words[i])];
		words[i] = hf_slot_with_hops(words[i], 0);
	}
	ret->hops = hops;
	return 0;
}

static int since_read(const struct dataplane *dataplane, uint32_t first, struct pool_image *ret)
{
	uint32_t *since;

	for (uint32_t i = 0; i < ret->table.size; i++)
		ret->moving += hf_slot_is_moving(ret->words[i]);
	if (!ret->moving)
		return 0;
	since = calloc(ret->table.size, sizeof *since);
	if (!since)
		return -ENOMEM;
	for (uint32_t i = 0; i < ret->table.size; i++) {
		if (hf_slot_is_moving(ret->words[i]))
			since[i] = *hf_slot_since(dataplane->since, first + i);
	}
	ret->since = since;
	return 0;
}

static int pool_read(const struct dataplane *dataplane, uint32_t number, struct pool_image *ret)
{
	const struct hf_table *table = table_in_force(dataplane, number);
	uint64_t *words;

	*ret = (struct pool_image){.number = number, .table = *table};
	ret->table.first = ret->table.old_first = 0;
	words = copy_of(&dataplane->slots[table->first], (size_t)table->size * sizeof *words);
	ret->words = words;
	if (!words)
		return -ENOMEM;
	return since_read(dataplane, table->first, ret) ?: hops_read(dataplane, words, ret);
}

static int pools_read(const struct dataplane *dataplane, struct image *image)
{
	uint32_t limit = dataplane->maps[MAP_POOLS].entries, count = 0;
	int r = 0;

	for (uint32_t i = 0; i < limit; i++)
		count += pool_table(dataplane, i) != 0;
	image->pools = calloc(count ?: 1, sizeof *image->pools);
	if (!image->pools)
		return -ENOMEM;
	for (uint32_t i = 0; !r && i < limit; i++) {
		if (pool_table(dataplane, i))
			r = pool_read(dataplane, i, &image->pools[image->pool_count++]);
	}
	return r;
}

static bool backend_loaded(const struct dataplane *dataplane, uint32_t number)
{
	return dataplane->backends[number].family && !bit_is_set(dataplane->retired_backends, number);
}

static struct address address_of(uint8_t family, const __be32 words[4])
{
	struct address address = {.family = family};

	memcpy(address.bytes, words, family == HF_IPV4 ? 4 : 16);
	return address;
}

static int backends_read(const struct dataplane *dataplane, struct image *image)
{
	uint32_t count = 0;

	for (uint32_t i = 1; i < HF_MAX_BACKENDS; i++)
		count += backend_loaded(dataplane, i);
	image->backends = calloc(count ?: 1, sizeof *image->backends);
	if (!image->backends)
		return -ENOMEM;
	for (uint32_t i = 1; i < HF_MAX_BACKENDS; i++) {
		const struct hf_backend *entry = &dataplane->backends[i];

		if (!backend_loaded(dataplane, i))
			continue;
		image->backends[image->backend_count++] = (struct backend_image){
			.number = i,
			.address = address_of(entry->family, entry->dst),
			.entry = *entry,
		};
	}
	return 0;
}

int dataplane_read(struct dataplane *dataplane, struct image **ret)
{
	struct image *image = calloc(1, sizeof *image);
	int r;

	if (!image)
		return -ENOMEM;
	r = directory_read(dataplane, &image->directory);
	if (!r)
		r = pools_read(dataplane, image);
	if (!r)
		r = backends_read(dataplane, image);
	if (r)
		image_free(image);
	else
		*ret = image;
	return r;
}

uint32_t dataplane_counter_limit(const struct dataplane *dataplane)
{
	return dataplane->maps[MAP_COUNTERS].entries;
}

uint32_t dataplane_slot_limit(const struct dataplane *dataplane)
{
	return dataplane->maps[MAP_SLOTS].entries;
}

int dataplane_pool(struct dataplane *dataplane, uint32_t pool, struct hf_table *ret_table,
		   const uint64_t **ret_words)
{
	const struct hf_table *table = table_in_force(dataplane, pool);

	if (!table)
		return -ENOENT;
	*ret_table = *table;
	*ret_words = &dataplane->slots[ret_table->first];
	return 0;
}

const uint32_t *dataplane_pool_since(const struct dataplane *dataplane, uint32_t pool)
{
	const struct hf_table *table = table_in_force(dataplane, pool);

	return &dataplane->since->at[0] + table->first;
}

int dataplane_backend(struct dataplane *dataplane, uint16_t number, struct hf_backend *ret)
{
	if (!number || !dataplane->backends[number].family)
		return -ENOENT;
	*ret = dataplane->backends[number];
	return 0;
}

/* Which backends the tables name, by number --------------------------------------------- */

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

// SPDX-License-Identifier: Apache-2.0
/* A pool's next table, written into memory that no packet reads yet. */
#include "apply_parts.h"

#include <errno.h>
#include <holdfast/slot.h>
#include <string.h>
#include <time.h>

/* What a pool's next table keeps as its old one: the table that is live now, or the one that this is
 * migrating from already. */
enum room_keeps keeps_of(const struct dataplane *dataplane, const struct pool_image *image)
{
	const struct hf_table *live = &dataplane->tables[pool_table(dataplane, image->number)];
	const struct hf_table *table = &image->table;

	if (!table->old_size || !pool_table(dataplane, image->number))
		return ROOM_KEEPS_NOTHING;
	if (live->old_size == table->old_size && live->old_seed == table->old_seed &&
	    live->old_hash == table->old_hash)
		return ROOM_KEEPS_OLD;
	return ROOM_KEEPS_LIVE;
}

/* Whether the same flows fall into the slots of both. */
static bool same_slots(const struct hf_table *a, const struct hf_table *b)
{
	return a->size == b->size && a->seed == b->seed && a->hash == b->hash;
}

/* Whether two slots move, and look for their old flows at one base. */
static bool same_base(uint64_t a, uint64_t b)
{
	return hf_slot_is_moving(a & b) && hf_slot_base(a) == hf_slot_base(b);
}

/*
 * The data plane puts off since when a slot of the live table moves, where it meets a flow that it cannot
 * remember: the slot that takes its place must know it, too.
 */
void since_follow(struct dataplane *dataplane, const struct hf_table *live, const struct hf_table *table)
{
	if (!same_slots(live, table))
		return;
	for (uint32_t i = 0; i < table->size; i++) {
		uint32_t *at = hf_slot_since(dataplane->since, table->first + i);
		uint32_t put_off =
			__atomic_load_n(hf_slot_since(dataplane->since, live->first + i), __ATOMIC_RELAXED);

		if (same_base(dataplane->slots[live->first + i], dataplane->slots[table->first + i]) &&
		    (int32_t)(put_off - *at) > 0)
			__atomic_store_n(at, put_off, __ATOMIC_RELAXED);
	}
}

/* Words that were lent by the live table are where that is now. */
static const uint64_t *words_of(const struct dataplane *dataplane, const struct pool_image *image)
{
	const uint64_t *end = dataplane->slots + dataplane->maps[MAP_SLOTS].entries;

	if (image->words < dataplane->slots || image->words >= end)
		return image->words;
	return &dataplane->slots[dataplane->tables[pool_table(dataplane, image->number)].first];
}

/* So is since when they move. */
static const uint32_t *times_of(const struct dataplane *dataplane, const struct pool_image *image)
{
	const uint32_t *all = dataplane->since->at;

	if (!image->since || image->since < all || image->since >= all + dataplane->maps[MAP_SLOTS].entries)
		return image->since;
	return all + dataplane->tables[pool_table(dataplane, image->number)].first;
}

/* When each moving slot began to move. Where the image does not say, a slot that goes on moving the way it
 * moved keeps its time, and others begin now. */
static void since_write(struct dataplane *dataplane, const struct hf_table *table,
			const struct pool_image *image)
{
	const struct hf_table *live = &dataplane->tables[pool_table(dataplane, table->pool)];
	bool same = same_slots(live, table);
	const uint64_t *words = words_of(dataplane, image);
	const uint32_t *times = times_of(dataplane, image);
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	for (uint32_t i = 0; i < table->size; i++) {
		uint32_t old = live->first + i, at = now.tv_sec;

		if (!hf_slot_is_moving(words[i]))
			continue;
		if (times)
			at = times[i];
		else if (same && hf_slot_is_moving(dataplane->slots[old]) &&
			 hf_slot_backends(dataplane->slots[old]) == hf_slot_backends(words[i]))
			at = *hf_slot_since(dataplane->since, old);
		*hf_slot_since(dataplane->since, table->first + i) = at;
	}
}

/* The pool may have carried hops until now, and words that were lent by its live table still name them. */
static void plain_words_write(struct dataplane *dataplane, const struct pool_image *image,
			      const struct hf_table *live, uint64_t *slots)
{
	const uint64_t *words = words_of(dataplane, image);

	for (uint32_t i = 0; i < image->table.size; i++)
		slots[i] = hf_slot_with_hops(words[i], 0);
	for (uint32_t i = 0; i < live->size && !dataplane->hops_retired; i++)
		dataplane->hops_retired = hf_slot_hops(dataplane->slots[live->first + i]);
}

/* Words get the index of their hops; what the live table's slot names is most often named again. */
static int words_write(struct dataplane *dataplane, const struct pool_image *image, uint32_t first)
{
	const struct hf_table *live = &dataplane->tables[pool_table(dataplane, image->number)];
	const uint64_t *words = words_of(dataplane, image);
	uint64_t *slots = &dataplane->slots[first];
	int r = 0;

	if (!image->hops) {
		plain_words_write(dataplane, image, live, slots);
		return 0;
	}
	dataplane->hops_retired = true; /* some of the records of the live table, most likely */
	for (uint32_t i = 0; !r && i < image->table.size; i++) {
		uint32_t index = i < live->size ? hf_slot_hops(dataplane->slots[live->first + i]) : 0;

		if (!index || memcmp(&dataplane->hops[index], &image->hops[i], sizeof *image->hops))
			r = image->hops[i].count ? hops_intern(dataplane->hops_store, &image->hops[i], &index)
						 : (int)(index = 0);
		/* Words that were lent by the live table name that table's hops. */
		slots[i] = hf_slot_with_hops(words[i], index);
	}
	return r;
}

/* Writes into reserved memory, which no packet reads yet. */
int table_write(struct dataplane *dataplane, const struct pool_image *image, struct reservation at)
{
	const struct hf_table *live = &dataplane->tables[pool_table(dataplane, image->number)];
	struct hf_table table = image->table;
	int r = words_write(dataplane, image, at.first);

	if (r)
		return r;
	table.first = at.first;
	table.pool = image->number;
	if (table.old_size)
		table.old_first =
			keeps_of(dataplane, image) == ROOM_KEEPS_OLD ? live->old_first : live->first;
	since_write(dataplane, &table, image);
	dataplane->tables[at.table] = table;
	return 0;
}

int refuse_pool_number(const struct dataplane *dataplane, uint32_t number, struct refusal *refusal)
{
	return refuse(refusal, -ENOSPC, "pool number %u is beyond the limit of %u pools", number,
		      dataplane->maps[MAP_POOLS].entries);
}

int refuse_hops(const struct dataplane *dataplane, const struct pool_image *image, int error,
		struct refusal *refusal)
{
	refuse(refusal, 0, "no room for the hops of %u slots: %u of %u records are in use", image->table.size,
	       hops_count(dataplane->hops_store), dataplane->maps[MAP_HOPS].entries);
	refusal_where(refusal, "pool %s", image->name);
	refusal_right_raise(refusal, "a smaller table", "--max-hops",
			    2 * (uint64_t)dataplane->maps[MAP_HOPS].entries);
	return error;
}

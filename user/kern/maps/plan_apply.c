// SPDX-License-Identifier: Apache-2.0
/*
 * A plan becomes the maps' contents. Everything that may fail comes first (space is reserved, nothing that a
 * packet reads is touched); then new memory is written, each pool and the directory are switched by one
 * store, and what they named before is retired.
 */
#include "plan_apply.h"

#include <errno.h>
#include <holdfast/directory.h>
#include <holdfast/slot.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

uint32_t pool_table(const struct dataplane *dataplane, uint32_t pool)
{
	return pool < dataplane->maps[MAP_POOLS].entries ? (uint32_t)dataplane->pools[pool] : 0;
}

static void release_one(struct dataplane *dataplane, const struct reservation *reservation)
{
	ranges_release(dataplane->table_ranges, reservation->table);
	ranges_release(dataplane->slot_ranges, reservation->first);
}

/* Where the old flows of a migrating pool find their base: in the table that is live now, or in the one that
 * this is migrating from already. */
static uint32_t old_first(const struct dataplane *dataplane, const struct hf_table *table)
{
	const struct hf_table *live = &dataplane->tables[pool_table(dataplane, table->pool)];

	if (live->old_size == table->old_size && live->old_seed == table->old_seed &&
	    live->old_hash == table->old_hash)
		return live->old_first;
	return live->first;
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
	if (live->size != table->size || live->seed != table->seed || live->hash != table->hash)
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
	bool same = live->size == table->size && live->seed == table->seed && live->hash == table->hash;
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
	struct hf_table table = image->table;
	int r = words_write(dataplane, image, at.first);

	if (r)
		return r;
	table.first = at.first;
	table.pool = image->number;
	if (table.old_size)
		table.old_first = old_first(dataplane, &table);
	since_write(dataplane, &table, image);
	dataplane->tables[at.table] = table;
	return 0;
}

static int reserve_pool(struct dataplane *dataplane, const struct plan_pool *pool, struct reservation *ret,
			struct refusal *refusal)
{
	struct reservation reservation;
	int r;

	if (pool->number >= dataplane->maps[MAP_POOLS].entries)
		return refuse(refusal, -ENOSPC, "pool number %u is beyond the limit of %u pools",
			      pool->number, dataplane->maps[MAP_POOLS].entries);
	r = ranges_take(dataplane->table_ranges, 1, 1, &reservation.table);
	if (r) {
		refuse(refusal, 0, "no room for one more table: %u are in use or waiting to be freed",
		       dataplane->maps[MAP_TABLES].entries);
		refusal_right(refusal, "the same command again in a second, or fewer pools");
		return r;
	}
	r = ranges_take(dataplane->slot_ranges, pool->image->table.size, TABLE_ALIGN, &reservation.first);
	if (r) {
		ranges_release(dataplane->table_ranges, reservation.table);
		refuse(refusal, 0, "no room for %u slots: %llu of %u are in use", pool->image->table.size,
		       (unsigned long long)ranges_used(dataplane->slot_ranges),
		       dataplane->maps[MAP_SLOTS].entries);
		refusal_where(refusal, "pool %s", pool->image->name);
		refusal_right_raise(refusal, "smaller tables, fewer pools", "--max-slots",
				    2 * (uint64_t)dataplane->maps[MAP_SLOTS].entries);
		return r;
	}
	r = table_write(dataplane, pool->image, reservation);
	if (r) {
		release_one(dataplane, &reservation);
		refuse(refusal, 0, "no room for the hops of %u slots: %u of %u records are in use",
		       pool->image->table.size, hops_count(dataplane->hops_store),
		       dataplane->maps[MAP_HOPS].entries);
		refusal_where(refusal, "pool %s", pool->image->name);
		refusal_right_raise(refusal, "a smaller table", "--max-hops",
				    2 * (uint64_t)dataplane->maps[MAP_HOPS].entries);
		return r;
	}
	*ret = reservation;
	return 0;
}

static int reserve_pools(struct dataplane *dataplane, const struct plan *plan,
			 struct reservation *reservations, struct refusal *refusal)
{
	int r = 0;

	for (size_t i = 0; !r && i < plan->pool_count; i++) {
		if (plan->pools[i].image)
			r = reserve_pool(dataplane, &plan->pools[i], &reservations[i], refusal);
	}
	return r;
}

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

static void release(struct dataplane *dataplane, const struct plan *plan,
		    const struct reservation *reservations)
{
	for (size_t i = 0; i < plan->pool_count; i++) {
		if (reservations[i].table)
			release_one(dataplane, &reservations[i]);
	}
}

static int reserve(struct dataplane *dataplane, const struct plan *plan, struct reservation *reservations,
		   uint32_t *ret_directory, struct refusal *refusal)
{
	int r = reserve_pools(dataplane, plan, reservations, refusal);

	if (!r)
		r = reserve_directory(dataplane, plan, ret_directory, refusal);
	if (r) {
		release(dataplane, plan, reservations);
		memset(reservations, 0, (plan->pool_count + 1) * sizeof *reservations);
	}
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

static void pool_switch(struct dataplane *dataplane, uint32_t pool, uint32_t table, uint32_t generation)
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

static void execute(struct dataplane *dataplane, const struct plan *plan,
		    const struct reservation *reservations, uint32_t directory, uint32_t generation)
{
	backends_write(dataplane, plan);
	for (size_t i = 0; i < plan->pool_count; i++) {
		if (!plan->pools[i].image)
			continue;
		pool_switch(dataplane, plan->pools[i].number, reservations[i].table, generation);
	}
	services_switch(dataplane, plan, directory, generation);
	backends_retire(dataplane, plan);
	dataplane->changes++;
}

/* All at once, in place of nothing that is in use. -EAGAIN: it would fit, but nothing after it. */
static int apply_beside(struct dataplane *dataplane, const struct plan *plan, uint32_t generation,
			struct refusal *refusal)
{
	struct reservation *reservations = calloc(plan->pool_count + 1, sizeof *reservations);
	uint32_t directory = 0;
	int r;

	if (!reservations)
		return -ENOMEM;
	r = reserve(dataplane, plan, reservations, &directory, refusal);
	if (r == -ENOSPC &&
	    dataplane_reclaimable(dataplane)) { /* what is retired may be all that is missing */
		r = dataplane_reclaim(dataplane);
		if (!r)
			r = reserve(dataplane, plan, reservations, &directory, refusal);
	}
	if (!r && !tables_leave_room(dataplane, plan)) {
		release(dataplane, plan, reservations);
		if (plan->services && plan->directory->entries)
			ranges_release(dataplane->service_ranges, directory);
		r = -EAGAIN;
	}
	if (!r)
		execute(dataplane, plan, reservations, directory, generation);
	free(reservations);
	return r;
}

int dataplane_apply(struct dataplane *dataplane, const struct plan *plan, uint32_t generation,
		    struct refusal *refusal)
{
	struct refusal beside = {};
	int r;

	if (!dataplane->writable)
		return -EROFS;
	r = apply_beside(dataplane, plan, generation, &beside);
	if (r == -EAGAIN || r == -ENOSPC)
		return apply_tight(dataplane, plan, generation, refusal);
	if (r && refusal)
		*refusal = beside;
	return r;
}

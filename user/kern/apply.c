// SPDX-License-Identifier: Apache-2.0
/*
 * A plan becomes the maps' contents. Everything that may fail comes first (space is reserved, nothing that a
 * packet reads is touched); then new memory is written, each pool and the directory are switched by one
 * store, and what they named before is retired.
 */
#include "state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SLOT_ALIGN = 8 /* a cache line: pools share none */ };

struct reservation {
	uint32_t table; /* 0: nothing reserved */
	uint32_t first;
};

static uint32_t pool_table(const struct dataplane *dataplane, uint32_t pool)
{
	return pool < dataplane->maps[MAP_POOLS].entries ? (uint32_t)dataplane->pools[pool] : 0;
}

static uint32_t directory_first(uint64_t word)
{
	return word & ((1U << HF_DIRECTORY_FIRST_BITS) - 1);
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
	if (r)
		return refuse(refusal, r, "no room for one more table: %u are in use or waiting to be freed",
			      dataplane->maps[MAP_TABLES].entries);
	r = ranges_take(dataplane->slot_ranges, pool->image->table.size, SLOT_ALIGN, &reservation.first);
	if (r) {
		ranges_release(dataplane->table_ranges, reservation.table);
		refuse(refusal, 0, "no room for %u slots: %llu of %u are in use", pool->image->table.size,
		       (unsigned long long)ranges_used(dataplane->slot_ranges),
		       dataplane->maps[MAP_SLOTS].entries);
		refusal_where(refusal, "pool %s", pool->image->name);
		refusal_right(refusal, "smaller tables, fewer pools, or an instance loaded with more slots");
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

static int reserve_directory(struct dataplane *dataplane, const struct plan *plan, uint32_t *ret_first,
			     struct refusal *refusal)
{
	int r;

	if (!plan->services || !plan->directory->entries)
		return 0;
	r = ranges_take(dataplane->service_ranges, 1U << plan->directory->log2, 1, ret_first);
	if (r)
		refuse(refusal, 0,
		       "no room for a directory of %u services beside the one in use: %u entries in all",
		       1U << plan->directory->log2, dataplane->maps[MAP_SERVICES].entries);
	return r;
}

static void release(struct dataplane *dataplane, const struct plan *plan,
		    const struct reservation *reservations)
{
	for (size_t i = 0; i < plan->pool_count; i++) {
		if (!reservations[i].table)
			continue;
		ranges_release(dataplane->table_ranges, reservations[i].table);
		ranges_release(dataplane->slot_ranges, reservations[i].first);
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

/* A slot that goes on moving the way it moved keeps the time when that began. */
static void since_write(struct dataplane *dataplane, const struct hf_table *table, const uint64_t *words)
{
	const uint64_t moving = (uint64_t)HF_SLOT_MOVING << HF_SLOT_FLAGS_SHIFT;
	const struct hf_table *live = &dataplane->tables[pool_table(dataplane, table->pool)];
	bool same = live->size == table->size && live->seed == table->seed && live->hash == table->hash;
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	for (uint32_t i = 0; i < table->size; i++) {
		uint32_t slot = table->first + i, old = live->first + i, at = now.tv_sec;

		if (!(words[i] & moving))
			continue;
		if (same && dataplane->slots[old] & moving &&
		    (uint32_t)dataplane->slots[old] == (uint32_t)words[i])
			at = dataplane->since[old / 2].at[old % 2];
		dataplane->since[slot / 2].at[slot % 2] = at;
	}
}

static void table_write(struct dataplane *dataplane, const struct pool_image *image, struct reservation at)
{
	struct hf_table table = image->table;

	table.first = at.first;
	table.pool = image->number;
	if (table.old_size)
		table.old_first = old_first(dataplane, &table);
	memcpy(&dataplane->slots[at.first], image->words, (size_t)table.size * sizeof *image->words);
	since_write(dataplane, &table, image->words);
	dataplane->tables[at.table] = table;
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
	table_retire(dataplane, before, table ? &dataplane->tables[table] : NULL);
}

static void directory_switch(struct dataplane *dataplane, const struct directory *directory, uint32_t first,
			     uint32_t generation)
{
	uint64_t before = dataplane->control->services, word = 0;

	if (directory->entries) {
		memcpy(&dataplane->services[first], directory->entries,
		       sizeof *directory->entries << directory->log2);
		word = first | (uint64_t)directory->log2 << HF_DIRECTORY_LOG2_SHIFT |
		       (uint64_t)(directory->lengths & 0x1ffff) << HF_DIRECTORY_LENGTHS_SHIFT |
		       (uint64_t)generation << HF_DIRECTORY_GENERATION_SHIFT;
	}
	__atomic_store_n(&dataplane->control->services, word, __ATOMIC_RELEASE);
	if (before)
		ranges_retire(dataplane->service_ranges, directory_first(before));
}

/* A number that is in use keeps the next hop that was found for it, if it still leads to the same address. */
static void backend_write(struct dataplane *dataplane, const struct backend_image *image)
{
	struct hf_backend *backend = &dataplane->backends[image->number];
	struct hf_backend entry = image->entry;

	if (backend->family == entry.family && !memcmp(backend->dst, entry.dst, sizeof entry.dst)) {
		entry.next_hop = backend->next_hop;
		if (image->source_from_route && !entry.src[0] && !entry.src[3]) {
			memcpy(entry.src, backend->src, sizeof entry.src);
			entry.csum = backend->csum;
		}
	}
	dataplane->retired_backends[image->number / 64] &= ~(1ULL << image->number % 64);
	*backend = entry;
}

static void backends_retire(struct dataplane *dataplane, const struct plan *plan)
{
	for (size_t i = 0; i < plan->backend_count; i++) {
		uint16_t number = plan->backends[i].number;

		if (plan->backends[i].image)
			continue;
		dataplane->retired_backends[number / 64] |= 1ULL << number % 64;
		dataplane->backends_retired = true;
	}
}

static void execute(struct dataplane *dataplane, const struct plan *plan,
		    const struct reservation *reservations, uint32_t directory, uint32_t generation)
{
	for (size_t i = 0; i < plan->backend_count; i++) {
		if (plan->backends[i].image)
			backend_write(dataplane, plan->backends[i].image);
	}
	for (size_t i = 0; i < plan->pool_count; i++) {
		if (!plan->pools[i].image)
			continue;
		table_write(dataplane, plan->pools[i].image, reservations[i]);
		pool_switch(dataplane, plan->pools[i].number, reservations[i].table, generation);
	}
	if (plan->services)
		directory_switch(dataplane, plan->directory, directory, generation);
	for (size_t i = 0; i < plan->pool_count; i++) {
		if (plan->pools[i].change == PLAN_REMOVE)
			pool_switch(dataplane, plan->pools[i].number, 0, generation);
	}
	backends_retire(dataplane, plan);
}

int dataplane_apply(struct dataplane *dataplane, const struct plan *plan, uint32_t generation,
		    struct refusal *refusal)
{
	struct reservation *reservations;
	uint32_t directory = 0;
	int r;

	if (!dataplane->writable)
		return -EROFS;
	reservations = calloc(plan->pool_count + 1, sizeof *reservations);
	if (!reservations)
		return -ENOMEM;
	r = reserve(dataplane, plan, reservations, &directory, refusal);
	if (r == -ENOSPC &&
	    dataplane_reclaimable(dataplane)) { /* what is retired may be all that is missing */
		r = dataplane_reclaim(dataplane);
		if (!r)
			r = reserve(dataplane, plan, reservations, &directory, refusal);
	}
	if (!r)
		execute(dataplane, plan, reservations, directory, generation);
	free(reservations);
	return r;
}

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

static uint32_t *since_of(struct dataplane *dataplane, uint32_t slot)
{
	return &dataplane->since[slot / 2].at[slot % 2];
}

/* Whether two slots move, and look for their old flows at one base. */
static bool same_base(uint64_t a, uint64_t b)
{
	const uint64_t moving = (uint64_t)HF_SLOT_MOVING << HF_SLOT_FLAGS_SHIFT;

	return a & b & moving && (uint16_t)(a >> HF_SLOT_BASE_SHIFT) == (uint16_t)(b >> HF_SLOT_BASE_SHIFT);
}

/*
 * The data plane puts off since when a slot of the live table moves, where it meets a flow that it cannot
 * remember: the slot that takes its place must know it, too.
 */
static void since_follow(struct dataplane *dataplane, const struct hf_table *live,
			 const struct hf_table *table)
{
	if (live->size != table->size || live->seed != table->seed || live->hash != table->hash)
		return;
	for (uint32_t i = 0; i < table->size; i++) {
		uint32_t *at = since_of(dataplane, table->first + i);
		uint32_t put_off = __atomic_load_n(since_of(dataplane, live->first + i), __ATOMIC_RELAXED);

		if (same_base(dataplane->slots[live->first + i], dataplane->slots[table->first + i]) &&
		    (int32_t)(put_off - *at) > 0)
			__atomic_store_n(at, put_off, __ATOMIC_RELAXED);
	}
}

/* When each moving slot began to move. Where the image does not say, a slot that goes on moving the way it
 * moved keeps its time, and others begin now. */
static void since_write(struct dataplane *dataplane, const struct hf_table *table,
			const struct pool_image *image)
{
	const uint64_t moving = (uint64_t)HF_SLOT_MOVING << HF_SLOT_FLAGS_SHIFT;
	const struct hf_table *live = &dataplane->tables[pool_table(dataplane, table->pool)];
	bool same = live->size == table->size && live->seed == table->seed && live->hash == table->hash;
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	for (uint32_t i = 0; i < table->size; i++) {
		uint32_t old = live->first + i, at = now.tv_sec;

		if (!(image->words[i] & moving))
			continue;
		if (image->since)
			at = image->since[i];
		else if (same && dataplane->slots[old] & moving &&
			 (uint32_t)dataplane->slots[old] == (uint32_t)image->words[i])
			at = *since_of(dataplane, old);
		*since_of(dataplane, table->first + i) = at;
	}
}

/* The pool may have carried hops until now, and words that were lent by its live table still name them. */
static void plain_words_write(struct dataplane *dataplane, const struct pool_image *image,
			      const struct hf_table *live, uint64_t *slots)
{
	for (uint32_t i = 0; i < image->table.size; i++)
		slots[i] = hops_without(image->words[i]);
	for (uint32_t i = 0; i < live->size && !dataplane->hops_retired; i++)
		dataplane->hops_retired = hops_index(dataplane->slots[live->first + i]);
}

/* Words get the index of their hops; what the live table's slot names is most often named again. */
static int words_write(struct dataplane *dataplane, const struct pool_image *image, uint32_t first)
{
	const struct hf_table *live = &dataplane->tables[pool_table(dataplane, image->number)];
	uint64_t *slots = &dataplane->slots[first];
	int r = 0;

	if (!image->hops) {
		plain_words_write(dataplane, image, live, slots);
		return 0;
	}
	dataplane->hops_retired = true; /* some of the records of the live table, most likely */
	for (uint32_t i = 0; !r && i < image->table.size; i++) {
		uint32_t index = i < live->size ? hops_index(dataplane->slots[live->first + i]) : 0;

		if (!index || memcmp(&dataplane->hops[index], &image->hops[i], sizeof *image->hops))
			r = image->hops[i].count ? hops_intern(dataplane->hops_store, &image->hops[i], &index)
						 : (int)(index = 0);
		/* Words that were lent by the live table name that table's hops. */
		slots[i] = hops_without(image->words[i]) | (uint64_t)index << HF_SLOT_HOPS_SHIFT;
	}
	return r;
}

/* Writes into reserved memory, which no packet reads yet. */
static int table_write(struct dataplane *dataplane, const struct pool_image *image, struct reservation at)
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
	r = table_write(dataplane, pool->image, reservation);
	if (r) {
		release_one(dataplane, &reservation);
		refuse(refusal, 0, "no room for the hops of %u slots: %u of %u records are in use",
		       pool->image->table.size, hops_count(dataplane->hops_store),
		       dataplane->maps[MAP_HOPS].entries);
		refusal_where(refusal, "pool %s", pool->image->name);
		refusal_right(refusal, "a smaller table, or an instance loaded with more hops");
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
		word = first | (uint64_t)directory->seed << HF_DIRECTORY_SEED_SHIFT |
		       (uint64_t)directory->log2 << HF_DIRECTORY_LOG2_SHIFT |
		       (uint64_t)(directory->lengths & 0x1ffff) << HF_DIRECTORY_LENGTHS_SHIFT |
		       (uint64_t)generation << HF_DIRECTORY_GENERATION_SHIFT;
	}
	__atomic_store_n(&dataplane->control->services, word, __ATOMIC_RELEASE);
	if (before)
		ranges_retire(dataplane->service_ranges, directory_first(before));
}

/*
 * Backends change under packets' eyes, by a store a field. A packet reads every field once, so that it sees
 * each as it was or as it will be, and most mixtures do no harm: the checksum of an outer IPv4 header is made
 * of the source that was read. Two do. The hash would fill bits of a source that they do not belong to: a
 * source and a mask of different prefixes. And GUE would go to a port that is gone. Where a change would
 * allow them it is made in two halves, with a grace period between: whoever has read something of before is
 * through when the second half comes.
 *
 * One mixture is left: an outer IPv6 source is two words, and a packet may have one of each, where both
 * differ.
 */
#define STORE_ONCE(field, value) (*(volatile typeof(field) *)&(field) = (value))

static bool same_place(const struct hf_backend *a, const struct hf_backend *b)
{
	return a->family == b->family && !memcmp(a->dst, b->dst, sizeof a->dst);
}

/* No packet reads it: its number is named by no slot, or was given up long ago. The next hop that makes it
 * one to send to comes last all the same. */
static void backend_place(struct hf_backend *backend, const struct hf_backend *entry)
{
	__atomic_store_n(&backend->next_hop, 0, __ATOMIC_RELEASE);
	memcpy((char *)backend + sizeof backend->next_hop, (const char *)entry + sizeof entry->next_hop,
	       sizeof *backend - sizeof backend->next_hop);
	__atomic_store_n(&backend->next_hop, entry->next_hop, __ATOMIC_RELEASE);
}

/* The source that the route told stays while the route tells none. */
static bool keeps_source(const struct backend_image *image)
{
	static const __be32 none[4];

	return image->source_from_route && !memcmp(image->entry.src, none, sizeof none);
}

static void source_write(struct hf_backend *backend, const struct backend_image *image)
{
	if (keeps_source(image))
		return;
	for (size_t i = 0; i < sizeof backend->src / sizeof *backend->src; i++)
		STORE_ONCE(backend->src[i], image->entry.src[i]);
	backend->csum = image->entry.csum; /* read by programs of before */
}

/* A mask that loses bits goes before its source, and one that gets more comes after it. Masks are low bits,
 * so that one always has the bits of the other. */
static bool mask_shrinks(const struct hf_backend *backend, const struct hf_backend *entry)
{
	return backend->src_mask & ~entry->src_mask;
}

/* What the entry gets before the grace period. Returns whether there is more to come, that must wait for it.
 */
static bool backend_begin(struct hf_backend *backend, const struct backend_image *image)
{
	const struct hf_backend *entry = &image->entry;
	bool first_mask = mask_shrinks(backend, entry);

	if (first_mask)
		STORE_ONCE(backend->src_mask, entry->src_mask);
	else
		source_write(backend, image);
	if (entry->gue_port)
		STORE_ONCE(backend->gue_port, entry->gue_port);
	/* A packet that sees the encapsulation sees its port. */
	__atomic_store_n(&backend->encap, entry->encap, __ATOMIC_RELEASE);
	if (entry->mtu)
		__atomic_store_n(&backend->mtu, entry->mtu, __ATOMIC_RELAXED);
	__atomic_store_n(&backend->ordinal, entry->ordinal, __ATOMIC_RELAXED);
	__atomic_store_n(&backend->flags, entry->flags, __ATOMIC_RELEASE);
	return first_mask || backend->src_mask != entry->src_mask || backend->gue_port != entry->gue_port;
}

static void backend_finish(struct hf_backend *backend, const struct backend_image *image)
{
	source_write(backend, image);
	STORE_ONCE(backend->src_mask, image->entry.src_mask);
	STORE_ONCE(backend->gue_port, image->entry.gue_port);
}

/* The next hop that was found for a number stays while it leads to the same place. */
static bool backend_write(struct dataplane *dataplane, const struct backend_image *image)
{
	struct hf_backend *backend = &dataplane->backends[image->number];

	dataplane->retired_backends[image->number / 64] &= ~(1ULL << image->number % 64);
	if (same_place(backend, &image->entry))
		return backend_begin(backend, image);
	backend_place(backend, &image->entry);
	return false;
}

/* Where the kernel gives no grace period the second half follows at once: that is one packet, not a
 * connection. */
static void backends_write(struct dataplane *dataplane, const struct plan *plan)
{
	bool more = false;

	for (size_t i = 0; i < plan->backend_count; i++)
		if (plan->backends[i].image)
			more = backend_write(dataplane, plan->backends[i].image) || more;
	if (!more)
		return;
	packets_wait();
	for (size_t i = 0; i < plan->backend_count; i++) {
		const struct backend_image *image = plan->backends[i].image;

		if (image)
			backend_finish(&dataplane->backends[image->number], image);
	}
}

/* Whose flows leave it before its entry is cleared, which waits for the packets that have read it. */
static void backends_retire(struct dataplane *dataplane, const struct plan *plan)
{
	for (size_t i = 0; i < plan->backend_count; i++) {
		uint16_t number = plan->backends[i].number;

		if (plan->backends[i].image)
			continue;
		__atomic_store_n(&dataplane->backends[number].flags, 0, __ATOMIC_RELEASE);
		dataplane->retired_backends[number / 64] |= 1ULL << number % 64;
		dataplane->backends_retired = true;
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
	if (plan->services)
		directory_switch(dataplane, plan->directory, directory, generation);
	for (size_t i = 0; i < plan->pool_count; i++) {
		if (plan->pools[i].change == PLAN_REMOVE)
			pool_switch(dataplane, plan->pools[i].number, 0, generation);
	}
	backends_retire(dataplane, plan);
	dataplane->changes++;
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

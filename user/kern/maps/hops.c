// SPDX-License-Identifier: Apache-2.0
#include "hops.h"

#include <errno.h>
#include <holdfast/slot.h>
#include <stdlib.h>
#include <string.h>
#include "core/value/bits.h"

enum { FIRST_LOG2 = 10 };

struct hops_store {
	struct hf_hops *memory;
	uint32_t entries, count;
	uint32_t next;     /* where the search for a free entry goes on */
	uint64_t *used;    /* a bit an entry */
	uint32_t *buckets; /* open addressing: indexes of memory, 0 empty; at most half of them in use */
	uint32_t log2;
	bool swept; /* what is in use is known */
};

int hops_store_open(struct hf_hops *memory, uint32_t entries, struct hops_store **ret)
{
	struct hops_store *store = calloc(1, sizeof *store);
	int r;

	if (!store)
		return -ENOMEM;
	store->memory = memory;
	store->entries = entries < 1 << 24 ? entries : 1 << 24; /* what an index has bits for */
	store->used = calloc(store->entries / 64 + 1, sizeof *store->used);
	r = store->used ? hops_sweep_begin(store) : -ENOMEM;
	if (r)
		hops_store_close(store);
	else
		*ret = store;
	return r;
}

void hops_store_close(struct hops_store *store)
{
	if (!store)
		return;
	free(store->used);
	free(store->buckets);
	free(store);
}

static bool is_used(const struct hops_store *store, uint32_t index)
{
	return bit_is_set(store->used, index);
}

/* The bucket that has an equal record, or the empty one where it would go. */
static uint32_t *bucket_of(const struct hops_store *store, const struct hf_hops *hops)
{
	uint32_t mask = (1U << store->log2) - 1;
	uint64_t words[2], mix;

	memcpy(words, hops, sizeof words);
	mix = (words[0] ^ words[1] * 0x9e3779b97f4a7c15ULL) * 0xd6e8feb86659fd93ULL;
	for (uint32_t at = mix >> 32;; at++) {
		uint32_t *bucket = &store->buckets[at & mask];

		if (!*bucket || !memcmp(&store->memory[*bucket], hops, sizeof *hops))
			return bucket;
	}
}

static int buckets_make(struct hops_store *store, uint32_t log2)
{
	uint32_t *buckets = calloc(1U << log2, sizeof *buckets);

	if (!buckets)
		return -ENOMEM;
	free(store->buckets);
	store->buckets = buckets;
	store->log2 = log2;
	return 0;
}

/* Room for one more. */
static int buckets_grow(struct hops_store *store)
{
	int r;

	if (store->count + 1 <= 1U << (store->log2 - 1))
		return 0;
	r = buckets_make(store, store->log2 + 1);
	for (uint32_t i = 1; !r && i < store->entries; i++) {
		if (is_used(store, i))
			*bucket_of(store, &store->memory[i]) = i;
	}
	return r;
}

static uint32_t find_free(struct hops_store *store)
{
	for (uint32_t i = 1; i < store->entries; i++) {
		if (store->next == 0 || store->next >= store->entries)
			store->next = 1;
		if (!is_used(store, store->next))
			return store->next++;
		store->next++;
	}
	return 0;
}

static void record_enter(struct hops_store *store, uint32_t *bucket, uint32_t index)
{
	*bucket = index;
	bit_set(store->used, index);
	store->count++;
}

int hops_intern(struct hops_store *store, const struct hf_hops *hops, uint32_t *ret_index)
{
	uint32_t *bucket, index;
	int r = store->swept ? buckets_grow(store) : -ENOMEM;

	if (r)
		return r;
	bucket = bucket_of(store, hops);
	if (*bucket) {
		*ret_index = *bucket;
		return 0;
	}
	index = store->count + 1 < store->entries ? find_free(store) : 0;
	if (!index)
		return -ENOSPC;
	store->memory[index] = *hops;
	record_enter(store, bucket, index);
	*ret_index = index;
	return 0;
}

int hops_sweep_begin(struct hops_store *store)
{
	store->swept = false;
	memset(store->used, 0, (store->entries / 64 + 1) * sizeof *store->used);
	store->count = 0;
	store->next = 1;
	return buckets_make(store, FIRST_LOG2);
}

int hops_sweep_mark(struct hops_store *store, const uint64_t *words, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t index = hf_slot_hops(words[i]), *bucket;
		int r;

		if (!index || index >= store->entries || is_used(store, index))
			continue;
		r = buckets_grow(store);
		if (r)
			return r;
		bucket = bucket_of(store, &store->memory[index]);
		if (*bucket) { /* an equal record: both stay, one is found */
			bit_set(store->used, index);
			continue;
		}
		record_enter(store, bucket, index);
	}
	return 0;
}

void hops_sweep_end(struct hops_store *store)
{
	store->swept = true;
}

uint32_t hops_count(const struct hops_store *store)
{
	return store->count;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The schemes that do arithmetic on a count of buckets: jump and modulo. Buckets are members in name order,
 * each as often as its weight divided by what all weights have in common.
 */
#include <errno.h>
#include <stdlib.h>

#include "core/placement/table/score.h"
#include "scheme.h"

struct buckets {
	uint32_t count;
	uint16_t members[];
};

enum { BUCKETS_MAX = 1 << 24 };

static uint32_t weights_common(const struct placement *placement)
{
	uint32_t common = 0;

	for (size_t i = 0; i < placement->count; i++)
		for (uint32_t weight = placement->members[i].weight; weight;) {
			uint32_t rest = common % weight;

			common = weight;
			weight = rest;
		}
	return common;
}

static int buckets_prepare(struct placement *placement, const struct placement *previous,
			   struct refusal *refusal)
{
	uint32_t common = weights_common(placement);
	uint64_t count = placement->total_weight / common;
	struct buckets *buckets;

	(void)previous;
	if (count > BUCKETS_MAX) {
		refuse(refusal, -EINVAL, "these weights need %llu buckets", (unsigned long long)count);
		refusal_right(refusal, "weights with a common divisor, such as 100 and 200");
		return -EINVAL;
	}
	placement->state = buckets = malloc(sizeof *buckets + count * sizeof *buckets->members);
	if (!buckets)
		return -ENOMEM;
	buckets->count = 0;
	for (size_t i = 0; i < placement->count; i++)
		for (uint32_t left = placement->members[i].weight / common; left > 0; left--)
			buckets->members[buckets->count++] = (uint16_t)i;
	return 0;
}

static void buckets_release(struct placement *placement)
{
	free(placement->state);
}

static size_t buckets_bytes(const struct placement *placement)
{
	const struct buckets *buckets = placement->state;

	return sizeof *buckets + buckets->count * sizeof *buckets->members;
}

/* Jump ------------------------------------------------------------------------------- */

/*
 * Jump consistent hash (Lamping and Veach, "A Fast, Minimal Memory, Consistent Hash Algorithm", 2014): a key
 * follows its own random jumps through ever larger counts of buckets and stays at the last that there is.
 * Near perfect in balance, without state, minimal as long as members come and go at the end alone: buckets
 * are numbers, so that one which leaves from the middle renames all behind it.
 */
/* The paper's loop, its division in doubles as given there: exact IEEE operations, the same on every machine.
 */
static uint32_t jump_bucket(uint64_t key, uint32_t buckets)
{
	int64_t bucket = -1, next = 0;

	while (next < buckets) {
		bucket = next;
		key = key * 2862933555777941757ULL + 1;
		next = (int64_t)((double)(bucket + 1) * ((double)(1LL << 31) / (double)((key >> 33) + 1)));
	}
	return (uint32_t)bucket;
}

static uint16_t jump_owner(const struct placement *placement, uint64_t hash)
{
	const struct buckets *buckets = placement->state;

	return buckets->members[jump_bucket(hash, buckets->count)];
}

static int jump_fill(struct placement *placement, struct refusal *refusal)
{
	(void)refusal;
	for (uint32_t slot = 0; slot < placement->slots; slot++)
		placement->owners[slot] = jump_owner(placement, score_mix(placement->seed + slot));
	return 0;
}

const struct scheme scheme_jump = {
	.prepare = buckets_prepare,
	.fill = jump_fill,
	.release = buckets_release,
	.owner = jump_owner,
	.bytes = buckets_bytes,
};

/* Modulo ----------------------------------------------------------------------------- */

/*
 * Hash modulo the number of members: perfect balance, no state, and the scheme that nobody should use. From N
 * to N + 1 members a key stays only where its hash has one remainder for both, which is one key in N + 1: N
 * in N + 1 move.
 */
static uint16_t modulo_owner(const struct placement *placement, uint64_t hash)
{
	const struct buckets *buckets = placement->state;

	return buckets->members[hash % buckets->count];
}

/* Slots are numbers already. */
static int modulo_fill(struct placement *placement, struct refusal *refusal)
{
	(void)refusal;
	for (uint32_t slot = 0; slot < placement->slots; slot++)
		placement->owners[slot] = modulo_owner(placement, slot);
	return 0;
}

const struct scheme scheme_modulo = {
	.prepare = buckets_prepare,
	.fill = modulo_fill,
	.release = buckets_release,
	.owner = modulo_owner,
	.bytes = buckets_bytes,
};

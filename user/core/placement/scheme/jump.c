/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jump consistent hash (Lamping and Veach, "A Fast, Minimal Memory, Consistent Hash Algorithm", 2014): a key
 * follows its own random jumps through ever larger counts of buckets and stays at the last that there is.
 * Near perfect in balance, without state, minimal as long as members come and go at the end alone: buckets
 * are numbers, so that one which leaves from the middle renames all behind it.
 */
#include "bucket.h"
#include "core/placement/table/score.h"

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

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Room for slots. A change writes a pool's next table beside the one in force. An instance without room for
 * that could not be changed any more, not even when a backend fails. kern/apply/room.h places tables so that
 * what is accepted here can always be changed.
 */
#include <errno.h>
#include <inttypes.h>

#include "image_pool.h"

/* Slots that an image takes with a second copy of its largest table. settled: when no pool migrates any more.
 */
static uint64_t slots_needed(const struct image *image, bool settled)
{
	uint64_t sum = 0, largest = 0;

	for (size_t i = 0; i < image->pool_count; i++) {
		const struct hf_table *table = &image->pools[i].table;
		const uint64_t sizes[] = {table_rounded(table->size),
					  settled ? 0 : table_rounded(table->old_size)};

		for (int j = 0; j < 2; j++) {
			sum += sizes[j];
			largest = sizes[j] > largest ? sizes[j] : largest;
		}
	}
	return sum + largest;
}

/* Whether after's old table is the one that before has in force. */
static bool keeps_live(const struct hf_table *before, const struct hf_table *after)
{
	return after->old_size == before->size && after->old_seed == before->seed &&
	       after->old_hash == before->hash;
}

static bool keeps_old(const struct hf_table *before, const struct hf_table *after)
{
	return after->old_size && after->old_size == before->old_size &&
	       after->old_seed == before->old_seed && after->old_hash == before->old_hash;
}

/* Whether a pool takes more room than it did, or other room; and how much of what it had lies beside that
 * until it is in force. */
static bool grows(const struct hf_table *before, const struct hf_table *after, uint64_t *ret_beside)
{
	bool live, old;

	if (!before)
		return true;
	old = keeps_old(before, after);
	live = !old && keeps_live(before, after);
	if (after->size == before->size && !live)
		return false;
	*ret_beside += (live ? 0 : table_rounded(before->size)) + (old ? 0 : table_rounded(before->old_size));
	return true;
}

static const struct pool_image *find_grown(const struct image *before, const struct image *after,
					   uint64_t *ret_beside)
{
	const struct pool_image *found = NULL;

	for (size_t i = 0; i < after->pool_count; i++) {
		const struct pool_image *pool = &after->pools[i];
		const struct pool_image *old = image_pool_numbered(before, pool->number);

		if (grows(old ? &old->table : NULL, &pool->table, ret_beside) && !found)
			found = pool;
	}
	return found;
}

int image_check_room(const struct image *before, const struct image *after, uint32_t limit,
		     struct refusal *refusal)
{
	uint64_t needed = slots_needed(after, false);
	const struct pool_image *grown = find_grown(before, after, &needed);

	if (!grown || needed <= limit)
		return 0;
	/* An instance that is too full may get emptier, by way of migrations too. */
	if (slots_needed(before, false) > limit && slots_needed(after, true) <= slots_needed(before, true))
		return 0;
	refuse(refusal, -ENOSPC,
	       "no room for %" PRIu32
	       " slots: with what each later change needs, all tables would take %" PRIu64 " of %" PRIu32,
	       grown->table.size, needed, limit);
	refusal_where(refusal, "pool %s", grown->name);
	refusal_right_raise(refusal, "a smaller table_size, services that share a pool", "--max-slots",
			    needed);
	return -ENOSPC;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rendezvous, or highest random weight (Thaler and Ravishankar, "A Name-Based Mapping Scheme for Rendezvous",
 * 1996): every member draws a score for the key, and the nearest has it. Weighted by the logarithm method
 * (score.h). No state, perfect minimality, exact weights on the mean; the price is a score a member for every
 * lookup.
 */

#include "core/placement/table/score.h"
#include "core/placement/table/walk.h"
#include "scheme.h"

static uint16_t rendezvous_owner(const struct placement *placement, uint64_t hash)
{
	struct score best = {UINT64_MAX, 0};
	uint64_t start = score_mix(hash), sieve = UINT64_MAX;
	uint16_t nearest = PLACEMENT_NONE;

	for (size_t i = 0; i < placement->count; i++) {
		const struct placed_member *member = &placement->members[i];
		uint64_t draw = score_mix(start ^ member->hash);
		struct score score;

		if (!member->weight || !score_passes(draw, sieve, member->weight))
			continue;
		score = score_of(draw, member->weight);
		if (score_nearer(score, best)) {
			best = score;
			nearest = (uint16_t)i;
			sieve = score_sieve(best.distance);
		}
	}
	return nearest;
}

/* The nearest few, kept sorted: so many are found in one pass over all members. */
enum { BATCH = 16 };

struct batch {
	size_t count;
	struct score scores[BATCH];
	uint16_t members[BATCH];
};

static inline void batch_insert(struct batch *batch, size_t wanted, struct score score, uint16_t member)
{
	size_t at = batch->count;

	if (at == wanted && !score_nearer(score, batch->scores[--at]))
		return;
	for (; at > 0 && score_nearer(score, batch->scores[at - 1]); at--) {
		batch->scores[at] = batch->scores[at - 1];
		batch->members[at] = batch->members[at - 1];
	}
	batch->scores[at] = score;
	batch->members[at] = member;
	batch->count += batch->count < wanted;
}

/* The `wanted` nearest members whose turn it is, BATCH at most, that are farther than past. */
static void batch_find(const struct placement *placement, uint64_t start, struct turn turn, struct score past,
		       size_t wanted, struct batch *batch)
{
	uint64_t sieve = UINT64_MAX;

	batch->count = 0;
	for (size_t i = 0; i < placement->count; i++) {
		const struct placed_member *member = &placement->members[i];
		uint64_t draw = score_mix(start ^ member->hash);
		struct score score;

		if (!member->weight || !turn_takes(turn, member) ||
		    !score_passes(draw, sieve, member->weight))
			continue;
		score = score_of(draw, member->weight);
		if (!score_nearer(past, score))
			continue;
		batch_insert(batch, wanted, score, (uint16_t)i);
		if (batch->count == wanted)
			sieve = score_sieve(batch->scores[wanted - 1].distance);
	}
}

/* Appends the members whose turn it is to a list of count, up to max, batch by batch. */
static size_t turn_list(const struct placement *placement, uint64_t start, struct turn turn,
			struct score past, uint16_t *members, size_t count, size_t max)
{
	struct batch batch;

	do {
		size_t wanted = max - count < BATCH ? max - count : BATCH;

		if (!wanted)
			break;
		batch_find(placement, start, turn, past, wanted, &batch);
		for (size_t i = 0; i < batch.count; i++)
			members[count++] = batch.members[i];
		past = batch.scores[batch.count ? batch.count - 1 : 0];
	} while (batch.count == BATCH);
	return count;
}

/* The order of scores; behind the owner, members of other zones come first. */
static size_t rendezvous_prefer(const struct placement *placement, uint64_t hash, uint16_t *ret_members,
				size_t max)
{
	const struct score nearest = {0, UINT64_MAX};
	const struct turn any = {.whose = TURN_ANY_ZONE};
	struct turn turn = turn_first(placement);
	uint64_t start = score_mix(hash);
	struct batch owner;
	size_t count = 1;

	if (turn.whose == TURN_ANY_ZONE || max == 0)
		return turn_list(placement, start, any, nearest, ret_members, 0, max);
	batch_find(placement, start, any, nearest, 1, &owner);
	ret_members[0] = owner.members[0];
	turn.zone = placement->members[ret_members[0]].zone;
	count = turn_list(placement, start, turn, nearest, ret_members, count, max);
	turn.whose = TURN_SAME_ZONE;
	return turn_list(placement, start, turn, owner.scores[0], ret_members, count, max);
}

static void rendezvous_visit(const struct placement *placement, uint64_t hash,
			     const struct placement_visitor *visitor)
{
	struct turn turn = turn_first(placement);
	uint64_t start = score_mix(hash);
	uint16_t owner;

	if (turn.whose == TURN_OTHER_ZONES) {
		owner = rendezvous_owner(placement, hash);
		if (visit_one(visitor, owner))
			return;
		turn.zone = placement->members[owner].zone;
	}
	if (visit_ranked(placement, start, turn, visitor) || turn.whose == TURN_ANY_ZONE)
		return;
	turn.whose = TURN_SAME_ZONE;
	visit_ranked(placement, start, turn, visitor);
}

static size_t rendezvous_bytes(const struct placement *placement)
{
	return placement->count * sizeof *placement->members;
}

const struct scheme scheme_rendezvous = {
	.owner = rendezvous_owner,
	.prefer = rendezvous_prefer,
	.visit = rendezvous_visit,
	.bytes = rendezvous_bytes,
};

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rendezvous, or highest random weight (Thaler and Ravishankar, "A Name-Based Mapping Scheme for Rendezvous",
 * 1996): every member draws a score for the key, and the nearest has it. Weighted by the logarithm method
 * (score.h). No state, perfect minimality, exact weights on the mean; the price is a score a member for every
 * lookup.
 */
#include <stdlib.h>

#include "core/placement/table/score.h"
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

enum stretch { EVERYBODY, OTHER_ZONES, SAME_ZONE };

static inline bool stretch_takes(enum stretch stretch, uint16_t zone, const struct placed_member *member)
{
	return member->weight && (stretch == EVERYBODY || (member->zone == zone) == (stretch == SAME_ZONE));
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

/* The `wanted` nearest members of a stretch, BATCH at most, that are farther than past. */
static void batch_find(const struct placement *placement, uint64_t start, enum stretch stretch, uint16_t zone,
		       struct score past, size_t wanted, struct batch *batch)
{
	uint64_t sieve = UINT64_MAX;

	batch->count = 0;
	for (size_t i = 0; i < placement->count; i++) {
		const struct placed_member *member = &placement->members[i];
		uint64_t draw = score_mix(start ^ member->hash);
		struct score score;

		if (!stretch_takes(stretch, zone, member) || !score_passes(draw, sieve, member->weight))
			continue;
		score = score_of(draw, member->weight);
		if (!score_nearer(past, score))
			continue;
		batch_insert(batch, wanted, score, (uint16_t)i);
		if (batch->count == wanted)
			sieve = score_sieve(batch->scores[wanted - 1].distance);
	}
}

/* Appends a stretch to a list of count, up to max, batch by batch. */
static size_t stretch_list(const struct placement *placement, uint64_t start, enum stretch stretch,
			   uint16_t zone, struct score past, uint16_t *members, size_t count, size_t max)
{
	struct batch batch;

	do {
		size_t wanted = max - count < BATCH ? max - count : BATCH;

		if (!wanted)
			break;
		batch_find(placement, start, stretch, zone, past, wanted, &batch);
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
	uint64_t start = score_mix(hash);
	struct batch owner;
	size_t count = 1;
	uint16_t zone;

	if (placement->zones < 2 || max == 0)
		return stretch_list(placement, start, EVERYBODY, 0, nearest, ret_members, 0, max);
	batch_find(placement, start, EVERYBODY, 0, nearest, 1, &owner);
	ret_members[0] = owner.members[0];
	zone = placement->members[ret_members[0]].zone;
	count = stretch_list(placement, start, OTHER_ZONES, zone, nearest, ret_members, count, max);
	return stretch_list(placement, start, SAME_ZONE, zone, owner.scores[0], ret_members, count, max);
}

static void rendezvous_visit(const struct placement *placement, uint64_t hash,
			     const struct placement_visitor *visitor)
{
	struct turn turn = {.whose = placement->zones < 2 ? TURN_ANY_ZONE : TURN_OTHER_ZONES};
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
	.fill = fill_by_owner,
	.owner = rendezvous_owner,
	.prefer = rendezvous_prefer,
	.visit = rendezvous_visit,
	.bytes = rendezvous_bytes,
};

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rendezvous, or highest random weight (Thaler and Ravishankar, "A Name-Based Mapping Scheme for Rendezvous",
 * 1996): every member draws a score for the key, and the nearest has it. Weighted by the logarithm method
 * (score.h). No state, perfect minimality, exact weights on the mean; the price is a score a member for every
 * lookup.
 */
#include <stdlib.h>

#include "score.h"
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

/*
 * The nearest member of a stretch that is farther than *past, which becomes its score; PLACEMENT_NONE: no
 * more.
 */
static uint16_t rendezvous_next(const struct placement *placement, uint64_t start, enum stretch stretch,
				uint16_t zone, struct score *past)
{
	struct score best = {UINT64_MAX, 0};
	uint64_t sieve = UINT64_MAX;
	uint16_t nearest = PLACEMENT_NONE;

	for (size_t i = 0; i < placement->count; i++) {
		const struct placed_member *member = &placement->members[i];
		uint64_t draw = score_mix(start ^ member->hash);
		struct score score;

		if (!stretch_takes(stretch, zone, member) || !score_passes(draw, sieve, member->weight))
			continue;
		score = score_of(draw, member->weight);
		if (score_nearer(*past, score) && score_nearer(score, best)) {
			best = score;
			nearest = (uint16_t)i;
			sieve = score_sieve(best.distance);
		}
	}
	*past = best;
	return nearest;
}

/* The order of scores; behind the owner, members of other zones come first. */
static size_t rendezvous_prefer(const struct placement *placement, uint64_t hash, uint16_t *ret_members,
				size_t max)
{
	uint64_t start = score_mix(hash);
	struct score owner = {0, UINT64_MAX};
	bool zoned = placement->zones > 1;
	size_t count = 1;
	uint16_t zone;

	if (max == 0)
		return 0;
	ret_members[0] = rendezvous_next(placement, start, EVERYBODY, 0, &owner);
	zone = placement->members[ret_members[0]].zone;
	for (int stretch = zoned ? OTHER_ZONES : EVERYBODY; stretch <= (zoned ? SAME_ZONE : EVERYBODY);
	     stretch++)
		for (struct score past = stretch == OTHER_ZONES ? (struct score){0, UINT64_MAX} : owner;
		     count < max;) {
			uint16_t member =
				rendezvous_next(placement, start, (enum stretch)stretch, zone, &past);

			if (member == PLACEMENT_NONE)
				break;
			ret_members[count++] = member;
		}
	return count;
}

static size_t rendezvous_bytes(const struct placement *placement)
{
	return placement->count * sizeof *placement->members;
}

const struct scheme scheme_rendezvous = {
	.fill = fill_by_owner,
	.owner = rendezvous_owner,
	.prefer = rendezvous_prefer,
	.bytes = rendezvous_bytes,
};

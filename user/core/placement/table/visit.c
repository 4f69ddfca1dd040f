/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Members by their scores, as far as a visitor needs them. This scores only members that are wanted, and
 * keeps a few of them. To rank a thousand members for the sake of seven would take as long as the whole
 * table.
 */
#include <stdlib.h>

#include "core/value/bits.h"
#include "score.h"
#include "walk.h"

enum { KEPT = 8 /* a list of hops, and one more */ };

/* The nearest of those that are wanted, in order. */
struct nearest {
	size_t count;
	struct score scores[KEPT];
	uint16_t members[KEPT];
	uint64_t sieve; /* what is farther is not kept */
};

static inline void nearest_add(struct nearest *nearest, struct score score, uint16_t member)
{
	size_t at = nearest->count;

	if (at == KEPT && !score_nearer(score, nearest->scores[--at]))
		return;
	for (; at > 0 && score_nearer(score, nearest->scores[at - 1]); at--) {
		nearest->scores[at] = nearest->scores[at - 1];
		nearest->members[at] = nearest->members[at - 1];
	}
	nearest->scores[at] = score;
	nearest->members[at] = member;
	nearest->count += nearest->count < KEPT;
	if (nearest->count == KEPT)
		nearest->sieve = score_sieve(nearest->scores[KEPT - 1].distance);
}

static void nearest_find(const struct placement *placement, uint64_t start, struct turn turn,
			 const struct placement_visitor *visitor, struct nearest *nearest)
{
	nearest->count = 0;
	nearest->sieve = UINT64_MAX;
	for (size_t i = 0; i < placement->count; i++) {
		const struct placed_member *member = &placement->members[i];
		uint64_t draw;

		if (!member->weight || !turn_takes(turn, member) ||
		    !visitor->wants(visitor->context, (uint16_t)i))
			continue;
		draw = score_mix(start ^ member->hash);
		if (score_passes(draw, nearest->sieve, member->weight))
			nearest_add(nearest, score_of(draw, member->weight), (uint16_t)i);
	}
}

/* What is wanted changes with what is taken: the next few are found in a pass of their own. */
bool visit_ranked(const struct placement *placement, uint64_t start, struct turn turn,
		  const struct placement_visitor *visitor)
{
	struct nearest nearest;

	do {
		nearest_find(placement, start, turn, visitor, &nearest);
		for (size_t i = 0; i < nearest.count; i++)
			if (visit_one(visitor, nearest.members[i]))
				return true;
	} while (nearest.count);
	return false;
}

uint64_t *placement_mark(const struct placement *placement, const bool *wanted)
{
	uint64_t *marks = calloc(placement->slots / 64 + 1, sizeof *marks);

	for (uint32_t slot = 0; marks && slot < placement->slots; slot++) {
		uint16_t owner = placement->owners[slot];

		if (owner != PLACEMENT_NONE && wanted[owner])
			bit_set(marks, slot);
	}
	return marks;
}

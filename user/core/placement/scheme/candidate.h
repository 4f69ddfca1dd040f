/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Candidates: for each slot the members nearest to it, a cache of what scoring every member against every
 * slot would say. It survives changes: one that concerns few members scores only those.
 */
#pragma once

#include "core/placement/table/score.h"
#include "scheme.h"

enum { CANDIDATES = 12 };

struct candidates {
	uint64_t *reach; /* a slot's list holds every member nearer than this, and no other */
	uint8_t *counts; /* how many those are */
	uint16_t *lists; /* [slots][CANDIDATES], nearest first */
};

/* Makes the placement's state a struct candidates, from those of previous where they will do. */
int candidates_prepare(struct placement *placement, const struct placement *previous,
		       struct refusal *refusal);
void candidates_release(struct placement *placement);
static inline uint64_t candidate_start(const struct placement *placement, uint32_t slot)
{
	return score_mix(placement->seed + (slot + 1ULL) * 0x9e3779b97f4a7c15ULL);
}

static inline uint64_t candidate_distance(const struct placement *placement, uint32_t slot, uint16_t member)
{
	const struct placed_member *of = &placement->members[member];

	return score_of(score_mix(candidate_start(placement, slot) ^ of->hash), of->weight).distance;
}

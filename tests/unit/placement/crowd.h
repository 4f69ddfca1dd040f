/* SPDX-License-Identifier: Apache-2.0 */
/* Members by the thousand, their placements, and what each owns. */
#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "core/placement/placement.h"

struct crowd {
	struct member *members;
	char (*names)[64];
	size_t count;
};

static inline struct crowd crowd_make(size_t count)
{
	struct crowd crowd = {calloc(count + 1, sizeof *crowd.members),
			      calloc(count + 1, sizeof *crowd.names), count};

	assert_non_null(crowd.members);
	assert_non_null(crowd.names);
	for (size_t i = 0; i < count; i++) {
		snprintf(crowd.names[i], sizeof crowd.names[i], "backend-%zu", i);
		crowd.members[i] = (struct member){crowd.names[i], "", 1};
	}
	return crowd;
}

static inline void crowd_free(struct crowd *crowd)
{
	free(crowd->members);
	free(crowd->names);
}

static inline struct placement *build(const struct crowd *crowd, uint32_t slots)
{
	struct member_set set = {.slots = slots, .seed = 7, .members = crowd->members, .count = crowd->count};
	struct placement *placement = NULL;
	struct refusal refusal = {0};

	if (placement_build(&set, &placement, &refusal))
		fail_msg("refused: %s", refusal.what);
	return placement;
}

/* Slots owned, by member number; the caller frees. */
static inline uint32_t *owned(const struct placement *placement)
{
	uint32_t *counts = calloc(placement_members(placement) + 1, sizeof *counts);
	const uint16_t *owners = placement_owners(placement);

	assert_non_null(counts);
	for (uint32_t slot = 0; slot < placement_slots(placement); slot++) {
		assert_true(owners[slot] < placement_members(placement));
		counts[owners[slot]]++;
	}
	return counts;
}

static inline uint32_t owned_by(const struct placement *placement, const char *name)
{
	uint32_t *counts = owned(placement), count = counts[placement_member_number(placement, name)];

	free(counts);
	return count;
}

static inline uint32_t greatest(const uint32_t *counts, size_t count)
{
	uint32_t most = 0;

	for (size_t i = 0; i < count; i++)
		most = counts[i] > most ? counts[i] : most;
	return most;
}

// SPDX-License-Identifier: Apache-2.0
/* The table of the paper, and its balance and disruption. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <holdfast/flowhash.h>

#include "unit/placement/crowd.h"

#ifndef XXH_INLINE_ALL
#define XXH_INLINE_ALL
#endif
#include <xxhash.h>

static void test_balance_of_the_paper(void **state)
{
	static const struct {
		size_t members;
		uint32_t slots;
	} cases[] = {{1000, 65537}, {1000, 655373}, {100, 65537}, {3, 251}, {7, 1048573}};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct crowd crowd = crowd_make(cases[i].members);
		struct placement *placement = build(&crowd, cases[i].slots);
		uint32_t *counts = owned(placement);

		for (size_t member = 0; member < crowd.count; member++)
			assert_in_range(counts[member], cases[i].slots / cases[i].members,
					cases[i].slots / cases[i].members + 1);
		if (cases[i].members == 1000)
			assert_true(greatest(counts, 1000) * 1000.0 / cases[i].slots <= 1.01);
		free(counts);
		placement_free(placement);
		crowd_free(&crowd);
	}
}

/* Slots of owners other than gone which changed owner between two placements. */
static uint32_t moved_needlessly(const struct placement *before, const struct placement *after,
				 const char *gone)
{
	uint32_t moved = 0;

	for (uint32_t slot = 0; slot < placement_slots(before); slot++) {
		const char *old = placement_member_name(before, placement_owners(before)[slot]);
		const char *new = placement_member_name(after, placement_owners(after)[slot]);

		moved += strcmp(old, gone) != 0 && strcmp(old, new) != 0;
	}
	return moved;
}

static void test_disruption_of_the_paper(void **state)
{
	struct crowd crowd = crowd_make(1000);
	struct placement *before = build(&crowd, 65537);

	(void)state;
	for (size_t victim = 0; victim < 1000; victim += 111) {
		struct member kept = crowd.members[victim];
		struct placement *after;

		crowd.members[victim] = crowd.members[--crowd.count];
		after = build(&crowd, 65537);
		assert_in_range(moved_needlessly(before, after, kept.name), 1, 655);
		placement_free(after);
		crowd.members[crowd.count++] = crowd.members[victim];
		crowd.members[victim] = kept;
	}
	placement_free(before);
	crowd_free(&crowd);
}

/*
 * The paper's loop, literally: modulo arithmetic, rounds, members in name order. A member's n-th turn is in
 * the round in which n shares of the heaviest member's pace come due; it has as many turns as slots in the
 * table under test.
 */
static void populate_plainly(const struct crowd *crowd, const uint32_t *quota, uint32_t slots,
			     uint16_t *table)
{
	uint32_t heaviest = 0, next[100] = {0}, taken[100] = {0};
	uint64_t total = 0;

	for (size_t i = 0; i < crowd->count; i++) {
		heaviest = crowd->members[i].weight > heaviest ? crowd->members[i].weight : heaviest;
		total += crowd->members[i].weight;
	}
	memset(table, 0xff, slots * sizeof *table);
	for (uint32_t round = 1, filled = 0; filled < slots; round++)
		for (uint16_t i = 0; i < crowd->count; i++) {
			uint64_t hash = XXH64(crowd->members[i].name, strlen(crowd->members[i].name), 7);
			uint64_t offset = (hash >> 32) * slots >> 32,
				 skip = ((hash & ~0u) * (slots - 1) >> 32) + 1;
			bool last = round > (uint64_t)heaviest * slots / total;

			while (taken[i] < quota[i] &&
			       (last ||
				(taken[i] + 1ULL) * heaviest <= (uint64_t)round * crowd->members[i].weight)) {
				while (table[(offset + next[i] * skip) % slots] != PLACEMENT_NONE)
					next[i]++;
				table[(offset + next[i] * skip) % slots] = i;
				taken[i]++;
				filled++;
			}
		}
}

static void test_the_table_is_the_papers(void **state)
{
	static const uint32_t slots[] = {251, 4099, 65537, 655373};
	uint16_t *table = malloc(655373 * sizeof *table);
	struct crowd crowd = crowd_make(10);

	(void)state;
	assert_non_null(table);
	for (int i = 0; i < 4 * 3; i++) {
		struct placement *placement;
		uint32_t *quota;

		for (size_t member = 0; member < crowd.count; member++)
			crowd.members[member].weight = i % 3 == 2 ? 0xffffffff
						       : i % 3    ? 1 + member * member
								  : 1;
		placement = build(&crowd, slots[i / 3]);
		quota = owned(placement);
		populate_plainly(&crowd, quota, slots[i / 3], table);
		assert_memory_equal(table, placement_owners(placement), slots[i / 3] * sizeof *table);
		free(quota);
		placement_free(placement);
	}
	free(table);
	crowd_free(&crowd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_balance_of_the_paper),
		cmocka_unit_test(test_disruption_of_the_paper),
		cmocka_unit_test(test_the_table_is_the_papers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

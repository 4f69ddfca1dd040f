/* SPDX-License-Identifier: Apache-2.0 */
/* The stable matching: that it is one, that a change finds the same one, and what it spares against maglev.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/placement/scheme/candidate.h"
#include "core/placement/placement.h"

struct crowd {
	struct member *members;
	char (*names)[32];
	size_t count;
};

static struct crowd crowd_make(size_t count)
{
	struct crowd crowd = {calloc(count, sizeof *crowd.members), calloc(count, sizeof *crowd.names),
			      count};

	assert_non_null(crowd.members);
	assert_non_null(crowd.names);
	for (size_t i = 0; i < count; i++) {
		snprintf(crowd.names[i], sizeof crowd.names[i], "backend-%u", (unsigned int)i);
		crowd.members[i] = (struct member){crowd.names[i], "", 100};
	}
	return crowd;
}

static void crowd_free(struct crowd *crowd)
{
	free(crowd->members);
	free(crowd->names);
}

static struct placement *build(enum placement_scheme scheme, const struct crowd *crowd, uint32_t slots,
			       uint32_t tolerance, const struct placement *previous)
{
	struct placement_options options = {.tolerance = tolerance};
	struct member_set set = {.scheme = scheme,
				 .slots = slots,
				 .members = crowd->members,
				 .count = crowd->count,
				 .options = &options};
	struct placement *placement = NULL;
	struct refusal refusal = {0};

	if (placement_rebuild(previous, &set, &placement, &refusal))
		fail_msg("refused: %s", refusal.what);
	return placement;
}

/* No slot and member would both rather have each other: the definition, by brute force. */
static void test_no_pair_blocks(void **state)
{
	struct crowd crowd = crowd_make(40);
	uint64_t farthest[40] = {0};
	struct placement *placement;
	const uint16_t *owners;

	(void)state;
	for (size_t i = 0; i < 40; i++)
		crowd.members[i].weight = (uint32_t)(1 + i % 7);
	placement = build(PLACEMENT_STABLE, &crowd, 2003, 0, NULL);
	owners = placement_owners(placement);
	for (uint32_t slot = 0; slot < 2003; slot++) {
		uint64_t distance = candidate_distance(placement, slot, owners[slot]);

		if (distance > farthest[owners[slot]])
			farthest[owners[slot]] = distance;
	}
	for (uint32_t slot = 0; slot < 2003; slot++)
		for (uint16_t member = 0; member < 40; member++) {
			uint64_t distance = candidate_distance(placement, slot, member);

			assert_false(distance < candidate_distance(placement, slot, owners[slot]) &&
				     distance < farthest[member]);
		}
	placement_free(placement);
	crowd_free(&crowd);
}

/* A history of changes, one on another, against building anew. */
static void test_changes_find_the_same_table(void **state)
{
	static const size_t sizes[] = {12, 14, 200};

	(void)state;
	for (int s = 0; s < 3; s++) {
		struct crowd crowd = crowd_make(sizes[s] + 8);
		struct placement *before;

		crowd.count = sizes[s];
		before = build(PLACEMENT_STABLE, &crowd, 4099, 0, NULL);
		for (unsigned int change = 0; change < 40; change++) {
			struct placement *after, *anew;
			struct member *victim = &crowd.members[change * 7 % crowd.count], kept = *victim;

			if (change % 4 == 0 && crowd.count < sizes[s] + 8) {
				crowd.count++;
			} else if (change % 4 == 1) {
				victim->weight = change % 8 == 1 ? 250 : 60;
			} else if (change % 4 == 2) {
				victim->weight = victim->weight ? 0 : 100;
			} else {
				*victim = crowd.members[--crowd.count];
				crowd.members[crowd.count] = kept;
			}
			after = build(PLACEMENT_STABLE, &crowd, 4099, 0, before);
			anew = build(PLACEMENT_STABLE, &crowd, 4099, 0, NULL);
			assert_memory_equal(placement_owners(after), placement_owners(anew),
					    4099 * sizeof(uint16_t));
			placement_free(anew);
			placement_free(before);
			before = after;
		}
		placement_free(before);
		crowd_free(&crowd);
	}
}

/* What the figures of one scheme are over several changes of one kind. */
struct tally {
	unsigned int greatest; /* slots of one member, over all placements */
	unsigned int needless;
};

enum change { LESS, MORE, HEAVIER, CHANGES };

static void count_change(struct tally *tally, const struct placement *before, const struct placement *after,
			 const char *subject, enum change change)
{
	unsigned int *counts = calloc(placement_members(after), sizeof *counts);
	uint16_t *numbers = malloc(placement_members(before) * sizeof *numbers);
	uint16_t came = placement_member_number(after, subject),
		 left = placement_member_number(before, subject);

	assert_true(counts && numbers);
	for (uint16_t i = 0; i < placement_members(before); i++)
		numbers[i] = placement_member_number(after, placement_member_name(before, i));
	for (uint32_t slot = 0; slot < placement_slots(after); slot++) {
		uint16_t old = placement_owners(before)[slot], new = placement_owners(after)[slot];

		counts[new]++;
		/* The subject of a change of weight is meant to hold more than others. */
		if (new != came && counts[new] > tally->greatest)
			tally->greatest = counts[new];
		if (numbers[old] != new)
			tally->needless += change == LESS ? old != left : new != came;
	}
	free(counts);
	free(numbers);
}

/* Changes one member of the crowd, each time another, and puts it back. */
static struct tally tally_changes(enum placement_scheme scheme, struct crowd *crowd,
				  const struct placement *before, enum change change, uint32_t tolerance,
				  unsigned int rounds)
{
	size_t count = crowd->count;
	struct tally tally = {0};

	for (unsigned int round = 0; round < rounds; round++) {
		struct member *subject = &crowd->members[round * 7 % count], kept = *subject;
		struct placement *after;
		char name[32];

		snprintf(name, sizeof name, "newcomer-%u", round);
		if (change == LESS)
			*subject = crowd->members[--crowd->count];
		else if (change == MORE)
			crowd->members[crowd->count++] = (struct member){name, "", 100};
		else
			subject->weight = 200;
		after = build(scheme, crowd, placement_slots(before), tolerance, before);
		count_change(&tally, before, after, change == MORE ? name : kept.name, change);
		placement_free(after);
		crowd->count = count;
		*subject = kept;
	}
	return tally;
}

static void compare_at(size_t count, uint32_t slots, unsigned int rounds)
{
	struct crowd crowd = crowd_make(count + 1);
	struct placement *maglev, *stable;

	crowd.count = count;
	maglev = build(PLACEMENT_MAGLEV, &crowd, slots, 0, NULL);
	stable = build(PLACEMENT_STABLE, &crowd, slots, 0, NULL);
	for (int change = LESS; change < CHANGES; change++) {
		struct tally its =
			tally_changes(PLACEMENT_MAGLEV, &crowd, maglev, (enum change)change, 0, rounds);
		struct tally ours =
			tally_changes(PLACEMENT_STABLE, &crowd, stable, (enum change)change, 0, rounds);

		if (ours.greatest > its.greatest)
			fail_msg("balance at N=%zu M=%u", count, slots);
		if (count >= 100 && ours.needless >= its.needless)
			fail_msg("needless moves at N=%zu M=%u change %d: %u against %u", count, slots,
				 change, ours.needless, its.needless);
	}
	placement_free(maglev);
	placement_free(stable);
	crowd_free(&crowd);
}

/* 655373 slots with five changes of a kind only: they take the longest and differ the least. */
static void test_stable_spares_moves(void **state)
{
	static const size_t members[] = {10, 100, 1000};

	(void)state;
	for (int i = 0; i < 3; i++) {
		compare_at(members[i], 16381, 20);
		compare_at(members[i], 65537, 20);
		compare_at(members[i], 655373, 5);
	}
}

/* With a hundredth of tolerance a sixth of maglev's needless moves remains, or less. */
static void test_tolerance_spares_more(void **state)
{
	struct crowd crowd = crowd_make(1000);
	struct placement *maglev = build(PLACEMENT_MAGLEV, &crowd, 65537, 0, NULL);
	struct placement *stable = build(PLACEMENT_STABLE, &crowd, 65537, 10, NULL);
	struct tally its = tally_changes(PLACEMENT_MAGLEV, &crowd, maglev, LESS, 0, 20);
	struct tally ours = tally_changes(PLACEMENT_STABLE, &crowd, stable, LESS, 10, 20);

	(void)state;
	assert_true(ours.needless * 6 < its.needless);
	assert_true(ours.greatest <= 67);
	placement_free(maglev);
	placement_free(stable);
	crowd_free(&crowd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_pair_blocks),
		cmocka_unit_test(test_changes_find_the_same_table),
		cmocka_unit_test(test_stable_spares_moves),
		cmocka_unit_test(test_tolerance_spares_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
/* Whom a slot prefers behind its owner. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "unit/placement/crowd.h"

static void test_digest_tells_seed_size_and_weight_apart(void **state)
{
	struct crowd crowd = crowd_make(5);
	struct member_set set = {.slots = 251, .members = crowd.members, .count = 5};
	uint64_t digests[4];

	(void)state;
	for (int i = 0; i < 4; i++) {
		struct placement *placement = NULL;

		set.seed = i == 1;
		set.slots = i == 2 ? 257 : 251;
		crowd.members[0].weight = i == 3 ? 2 : 1;
		assert_int_equal(placement_build(&set, &placement, NULL), 0);
		digests[i] = placement_digest(placement);
		placement_free(placement);
		for (int j = 0; j < i; j++)
			assert_true(digests[i] != digests[j]);
	}
	crowd_free(&crowd);
}

/* When `failed` fails each of its slots goes to its second preference: the greatest load over the mean of the
 * rest. */
static double worst_after(struct placement *placement, uint32_t *counts, uint16_t failed)
{
	const uint16_t *preferences = placement_preferences(placement);
	size_t members = placement_members(placement);
	uint32_t own = counts[failed];
	double worst;

	for (uint32_t slot = 0; slot < placement_slots(placement); slot++)
		if (preferences[slot * 3] == failed)
			counts[preferences[slot * 3 + 1]]++;
	counts[failed] = 0;
	worst = greatest(counts, members) * (members - 1.0) / placement_slots(placement);
	for (uint32_t slot = 0; slot < placement_slots(placement); slot++)
		if (preferences[slot * 3] == failed)
			counts[preferences[slot * 3 + 1]]--;
	counts[failed] = own;
	return worst;
}

static void test_a_failed_members_load_spreads(void **state)
{
	static const struct {
		size_t members, stride;
		double worst;
	} cases[] = {{100, 1, 1.03}, {1000, 9, 1.10}};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct crowd crowd = crowd_make(cases[i].members);
		struct placement *placement = build(&crowd, 65537);
		uint32_t *counts = owned(placement);

		for (size_t failed = 0; failed < cases[i].members; failed += cases[i].stride)
			assert_true(worst_after(placement, counts, (uint16_t)failed) <= cases[i].worst);
		free(counts);
		placement_free(placement);
		crowd_free(&crowd);
	}
}

static void test_preferences_are_distinct_and_begin_the_walk(void **state)
{
	struct crowd crowd = crowd_make(20);
	struct placement *placement;
	const uint16_t *preferences;

	(void)state;
	for (size_t i = 0; i < 20; i++)
		crowd.members[i].weight = (uint32_t)i;
	placement = build(&crowd, 4099);
	preferences = placement_preferences(placement);
	for (uint32_t slot = 0; slot < 4099; slot++) {
		uint16_t walked[20];
		uint32_t seen = 0;

		assert_int_equal(placement_walk(placement, slot, walked, 20), 19);
		assert_int_equal(walked[0], placement_owners(placement)[slot]);
		assert_memory_equal(walked, preferences + slot * 3, 3 * sizeof *walked);
		for (int i = 0; i < 19; i++)
			seen |= 1u << walked[i];
		assert_int_equal(seen, 0xfffff & ~1u << placement_member_number(placement, "backend-0"));
	}
	assert_int_equal(placement_walk(placement, 4099, (uint16_t[1]){0}, 1), 0);
	placement_free(placement);
	crowd_free(&crowd);
}

/* Zone "lone" has a thousandth of the weight: the walk seldom meets it, and it must come second all the same.
 */
static void test_the_tail_prefers_other_zones(void **state)
{
	struct crowd crowd = crowd_make(12);
	struct placement *placement;

	(void)state;
	for (size_t i = 0; i < 12; i++)
		crowd.members[i] =
			(struct member){crowd.names[i], i < 11 ? "crowded" : "lone", i < 11 ? 100 : 1};
	placement = build(&crowd, 65537);
	for (uint32_t slot = 0; slot < 65537; slot += 31) {
		uint16_t walked[12], lone = placement_member_number(placement, "backend-11");

		assert_int_equal(placement_walk(placement, slot, walked, 12), 12);
		assert_true(walked[0] == lone || walked[1] == lone);
		assert_memory_equal(walked, placement_preferences(placement) + slot * 3, 6);
	}
	placement_free(placement);
	crowd_free(&crowd);
}

/* A list is the beginning of every longer one, also where the walk is cut and the rest is ranked; nobody is
 * left out. */
static void test_longer_walks_begin_alike(void **state)
{
	static const size_t lengths[] = {1, 2, 7, 100, 180, 253, 257, 299};
	struct crowd crowd = crowd_make(300);
	struct placement *placement;

	(void)state;
	for (size_t i = 0; i < 300; i++)
		crowd.members[i] = (struct member){crowd.names[i], i % 7 ? "big" : "small", 1 + i % 9};
	placement = build(&crowd, 4099);
	for (uint32_t slot = 0; slot < 4099; slot += 401) {
		uint16_t whole[300], part[300];
		bool seen[300] = {false};

		assert_int_equal(placement_walk(placement, slot, whole, 300), 300);
		for (int i = 0; i < 300; i++) {
			assert_false(seen[whole[i]]);
			seen[whole[i]] = true;
		}
		for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
			assert_int_equal(placement_walk(placement, slot, part, lengths[i]), lengths[i]);
			assert_memory_equal(part, whole, lengths[i] * sizeof *part);
		}
	}
	placement_free(placement);
	crowd_free(&crowd);
}

/* Stored lists are filled by a shorter way than the walk: they must say the same, however members are spread
 * over zones. */
static void test_stored_preferences_are_the_walks(void **state)
{
	static const char *const zones[] = {"a", "b", "c"};

	(void)state;
	for (size_t kinds = 1; kinds <= 3; kinds++)
		for (size_t count = 1; count <= 40; count += 3) {
			struct crowd crowd = crowd_make(count);
			struct placement *placement;

			for (size_t i = 0; i < count; i++)
				crowd.members[i] =
					(struct member){crowd.names[i], zones[i * i % kinds], 1 + i % 4};
			placement = build(&crowd, 1009);
			for (uint32_t slot = 0; slot < 1009; slot++) {
				uint16_t walked[3] = {PLACEMENT_NONE, PLACEMENT_NONE, PLACEMENT_NONE};

				placement_walk(placement, slot, walked, 3);
				assert_memory_equal(walked, placement_preferences(placement) + slot * 3, 6);
			}
			placement_free(placement);
			crowd_free(&crowd);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_digest_tells_seed_size_and_weight_apart),
		cmocka_unit_test(test_a_failed_members_load_spreads),
		cmocka_unit_test(test_preferences_are_distinct_and_begin_the_walk),
		cmocka_unit_test(test_the_tail_prefers_other_zones),
		cmocka_unit_test(test_longer_walks_begin_alike),
		cmocka_unit_test(test_stored_preferences_are_the_walks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Placement as the data plane sees it: validation, numbering, order independence, maglev's table and the
 * walk. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#ifndef XXH_INLINE_ALL
#define XXH_INLINE_ALL
#endif
#include <xxhash.h>

#include "core/placement/placement.h"

struct crowd {
	struct member *members;
	char (*names)[64];
	size_t count;
};

static struct crowd crowd_make(size_t count)
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

static void crowd_free(struct crowd *crowd)
{
	free(crowd->members);
	free(crowd->names);
}

static struct placement *build(const struct crowd *crowd, uint32_t slots)
{
	struct member_set set = {.slots = slots, .seed = 7, .members = crowd->members, .count = crowd->count};
	struct placement *placement = NULL;
	struct refusal refusal = {0};

	if (placement_build(&set, &placement, &refusal))
		fail_msg("refused: %s", refusal.what);
	return placement;
}

static void build_refused(const struct member *members, size_t count, uint32_t slots, const char *what,
			  const char *right)
{
	struct member_set set = {.slots = slots, .members = members, .count = count};
	struct placement *untouched = (struct placement *)&set, *placement = untouched;
	struct refusal refusal = {0};

	assert_int_equal(placement_build(&set, &placement, &refusal), -22);
	assert_ptr_equal(placement, untouched);
	if (!strstr(refusal.what, what))
		fail_msg("'%s' does not say '%s'", refusal.what, what);
	if (!strstr(refusal.right, right))
		fail_msg("'%s' does not say '%s'", refusal.right, right);
}

/* Slots owned, by member number; the caller frees. */
static uint32_t *owned(const struct placement *placement)
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

static uint32_t owned_by(const struct placement *placement, const char *name)
{
	uint32_t *counts = owned(placement), count = counts[placement_member_number(placement, name)];

	free(counts);
	return count;
}

static uint32_t greatest(const uint32_t *counts, size_t count)
{
	uint32_t most = 0;

	for (size_t i = 0; i < count; i++)
		most = counts[i] > most ? counts[i] : most;
	return most;
}

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

static void test_order_does_not_matter(void **state)
{
	struct crowd crowd = crowd_make(97);
	struct placement *first, *second;

	(void)state;
	for (size_t i = 0; i < crowd.count; i++) {
		crowd.members[i].weight = 1 + i % 5;
		crowd.members[i].zone = i % 3 ? "east" : "west";
	}
	first = build(&crowd, 4099);
	for (size_t i = 0; i < crowd.count; i++) { /* any permutation: 41 and 97 have no common divisor */
		struct member kept = crowd.members[i];

		crowd.members[i] = crowd.members[i * 41 % 97];
		crowd.members[i * 41 % 97] = kept;
	}
	second = build(&crowd, 4099);
	assert_memory_equal(placement_owners(first), placement_owners(second), 4099 * sizeof(uint16_t));
	assert_memory_equal(placement_preferences(first), placement_preferences(second),
			    4099 * 3 * sizeof(uint16_t));
	assert_true(placement_digest(first) == placement_digest(second));
	placement_free(first);
	placement_free(second);
	crowd_free(&crowd);
}

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

static void test_numbers_follow_names(void **state)
{
	struct member members[] = {{"c", "", 1}, {"a", "", 1}, {"b", "", 0}, {"aa", "", 1}};
	struct crowd crowd = {.members = members, .count = 4};
	struct placement *placement = build(&crowd, 251);
	static const char *const order[] = {"a", "aa", "b", "c"};

	(void)state;
	assert_int_equal(placement_members(placement), 4);
	for (uint16_t i = 0; i < 4; i++) {
		assert_string_equal(placement_member_name(placement, i), order[i]);
		assert_int_equal(placement_member_number(placement, order[i]), i);
	}
	assert_int_equal(placement_member_number(placement, "ab"), PLACEMENT_NONE);
	assert_null(placement_member_name(placement, 4));
	assert_null(placement_member_name(placement, PLACEMENT_NONE));
	placement_free(placement);
}

static void test_weights_are_true_within_one_slot(void **state)
{
	struct member two[] = {{"light", "", 1}, {"heavy", "", 10}};
	struct member three[] = {{"a", "", 64}, {"b", "", 64}, {"c", "", 16}};
	struct crowd crowd = {.members = two, .count = 2};
	struct placement *placement = build(&crowd, 65537);

	(void)state;
	assert_in_range(owned_by(placement, "light"), 65537 / 11, 65537 / 11 + 1);
	assert_in_range(owned_by(placement, "heavy"), 655370 / 11, 655370 / 11 + 1);
	placement_free(placement);
	crowd = (struct crowd){.members = three, .count = 3};
	placement = build(&crowd, 65537);
	assert_in_range(owned_by(placement, "a"), 65537 * 4 / 9, 65537 * 4 / 9 + 1);
	assert_in_range(owned_by(placement, "b"), 65537 * 4 / 9, 65537 * 4 / 9 + 1);
	assert_in_range(owned_by(placement, "c"), 65537 / 9, 65537 / 9 + 1);
	placement_free(placement);
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

static void test_without_weight_nobody_owns(void **state)
{
	struct member members[] = {{"a", "", 0}, {"b", "", 5}};
	struct crowd crowd = {.members = members, .count = 2};
	struct placement *placement = build(&crowd, 251);
	uint16_t walked[3] = {9, 9, 9};

	(void)state;
	assert_int_equal(owned_by(placement, "a"), 0);
	assert_int_equal(owned_by(placement, "b"), 251);
	assert_int_equal(placement_walk(placement, 100, walked, 3), 1);
	assert_int_equal(placement_preferences(placement)[0], 1);
	assert_int_equal(placement_preferences(placement)[1], PLACEMENT_NONE);
	placement_free(placement);
	members[1].weight = 0;
	for (crowd.count = 0; crowd.count <= 2; crowd.count += 2) {
		placement = build(&crowd, 251);
		for (uint32_t slot = 0; slot < 251; slot++)
			assert_int_equal(placement_owners(placement)[slot], PLACEMENT_NONE);
		assert_int_equal(placement_walk(placement, 100, walked, 3), 0);
		assert_int_equal(placement_preferences(placement)[752], PLACEMENT_NONE);
		placement_free(placement);
	}
}

static void test_refusals_name_what_is_wrong(void **state)
{
	struct member starved[] = {{"big", "", 1000000}, {"tiny", "", 1}};
	struct member twice[] = {{"x", "", 1}, {"y", "", 1}, {"x", "", 2}};
	struct member nameless[] = {{"", "", 1}};
	struct member longest[] = {
		{"0123456789012345678901234567890123456789012345678901234567890123", "", 1}};
	struct crowd crowd = crowd_make(300);

	(void)state;
	build_refused(starved, 2, 251, "tiny", "at least 3985");
	build_refused(twice, 3, 251, "member x is listed twice", "once");
	build_refused(nameless, 1, 251, "0 bytes", "1 to 63 bytes");
	build_refused(longest, 1, 251, "64 bytes", "1 to 63 bytes");
	longest[0].name++;
	build_refused(longest, 1, 65536, "65536 is not prime", "65521 or 65537");
	build_refused(longest, 1, 250, "250 is out of range", "251 to 1048573");
	build_refused(longest, 1, 1048574, "out of range", "251 to 1048573");
	/* backend-0 to backend-299 by name: the 252nd is backend-55. */
	build_refused(crowd.members, 300, 251, "none is left for member backend-55", "at least 300 slots");
	crowd_free(&crowd);
}

static void test_unknown_schemes(void **state)
{
	enum placement_scheme scheme = PLACEMENT_RING;

	(void)state;
	for (int i = 0; i < PLACEMENT_SCHEMES; i++) {
		assert_int_equal(
			placement_scheme_parse(placement_scheme_name((enum placement_scheme)i), &scheme), 0);
		assert_int_equal(scheme, i);
	}
	assert_int_equal(placement_scheme_parse("magleb", &scheme), -22);
	assert_int_equal(scheme, PLACEMENT_SCHEMES - 1);
}

static void test_ends_of_the_range(void **state)
{
	static const uint32_t slots[] = {PLACEMENT_MIN_SLOTS, PLACEMENT_MAX_SLOTS};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct crowd crowd = crowd_make(250);
		struct placement *placement = build(&crowd, slots[i]);
		uint32_t *counts = owned(placement);

		for (size_t member = 0; member < 250; member++)
			assert_in_range(counts[member], slots[i] / 250, slots[i] / 250 + 1);
		free(counts);
		placement_free(placement);
		crowd_free(&crowd);
	}
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
		cmocka_unit_test(test_balance_of_the_paper),
		cmocka_unit_test(test_disruption_of_the_paper),
		cmocka_unit_test(test_order_does_not_matter),
		cmocka_unit_test(test_digest_tells_seed_size_and_weight_apart),
		cmocka_unit_test(test_numbers_follow_names),
		cmocka_unit_test(test_weights_are_true_within_one_slot),
		cmocka_unit_test(test_the_table_is_the_papers),
		cmocka_unit_test(test_without_weight_nobody_owns),
		cmocka_unit_test(test_refusals_name_what_is_wrong),
		cmocka_unit_test(test_unknown_schemes),
		cmocka_unit_test(test_ends_of_the_range),
		cmocka_unit_test(test_a_failed_members_load_spreads),
		cmocka_unit_test(test_preferences_are_distinct_and_begin_the_walk),
		cmocka_unit_test(test_the_tail_prefers_other_zones),
		cmocka_unit_test(test_longer_walks_begin_alike),
		cmocka_unit_test(test_stored_preferences_are_the_walks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

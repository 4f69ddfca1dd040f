// SPDX-License-Identifier: Apache-2.0
/* What a placement promises: equal sets give equal tables, and what is refused is told by name. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "unit/placement/crowd.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order_does_not_matter),
		cmocka_unit_test(test_without_weight_nobody_owns),
		cmocka_unit_test(test_refusals_name_what_is_wrong),
		cmocka_unit_test(test_ends_of_the_range),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "unit/placement/crowd.h"

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

/* A million is too few to enumerate forty: the shares say what moves from four members to five. */
static void test_shares_of_forty_million(void **state)
{
	struct member members[] = {{"a", "", 1}, {"b", "", 1}, {"c", "", 1}, {"d", "", 1}, {"e", "", 1}};
	struct member_set set = {.slots = 655373, .members = members, .count = 4};
	struct placement *before = NULL, *after = NULL;
	unsigned int gained = 0;

	(void)state;
	assert_int_equal(placement_build(&set, &before, NULL), 0);
	set.count = 5;
	assert_int_equal(placement_build(&set, &after, NULL), 0);
	for (uint32_t slot = 0; slot < 655373; slot++)
		gained += placement_owners(after)[slot] == 4;
	assert_int_equal(lround(40.0 * gained / 655373), 8);
	placement_free(before);
	placement_free(after);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_weights_are_true_within_one_slot),
		cmocka_unit_test(test_shares_of_forty_million),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

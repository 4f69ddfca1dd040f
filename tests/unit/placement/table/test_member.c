// SPDX-License-Identifier: Apache-2.0
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "unit/placement/crowd.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers_follow_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

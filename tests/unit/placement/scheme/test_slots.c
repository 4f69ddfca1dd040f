// SPDX-License-Identifier: Apache-2.0
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "unit/placement/figures.h"

static void test_slots_as_redis_has_them(void **state)
{
	static const struct member members[] = {{"a", "", 100}, {"b", "", 100}, {"c", "", 100}};
	static const struct slot_range ranges[] = {{0, 5460, "a"}, {5461, 10922, "b"}, {10923, 16000, "c"}};
	static const struct slot_range overlap[] = {{0, 5460, "a"}, {5460, 10922, "b"}};
	struct placement_options options = {.ranges = ranges, .range_count = 3};
	struct member_set set = {.scheme = PLACEMENT_SLOTS,
				 .slots = 16384,
				 .members = members,
				 .count = 3,
				 .options = &options};
	struct placement *placement = NULL;
	struct refusal refusal;

	(void)state;
	assert_int_equal(placement_build(&set, &placement, &refusal), 0);
	/* The specification's check value of CRC-16/XMODEM, and its examples of hash tags. */
	assert_int_equal(placement_key_slot(placement, "123456789", 9), 0x31c3);
	assert_int_equal(placement_key_slot(placement, "foo", 3), 12182);
	assert_int_equal(placement_key_slot(placement, "{user1000}.following", 20),
			 placement_key_slot(placement, "{user1000}.followers", 20));
	assert_int_equal(placement_key_slot(placement, "foo{{bar}}zap", 13),
			 placement_key_slot(placement, "{bar", 4));
	assert_int_equal(placement_lookup(placement, "foo", 3), 2);
	assert_int_equal(placement_owners(placement)[16001], PLACEMENT_NONE);
	assert_int_equal(placement_walk(placement, 16001, (uint16_t[3]){0}, 3), 0);
	placement_free(placement);
	options.ranges = overlap;
	options.range_count = 2;
	assert_int_equal(placement_build(&set, &placement, &refusal), -22);
	assert_non_null(strstr(refusal.what, "assigned already"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_slots_as_redis_has_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "unit/study/stage.h"

static void test_crowds_as_written(void **state)
{
	struct crowd crowd = crowd_of("a,b*2,c=250@east,cache-8..11*0.5@west,10.0.0.1:11211,v1.2");
	static const struct member expected[] = {
		{"a", "", 100},           {"b", "", 200},
		{"c", "east", 250},       {"cache-8", "west", 50},
		{"cache-9", "west", 50},  {"cache-10", "west", 50},
		{"cache-11", "west", 50}, {"10.0.0.1:11211", "", 100},
		{"v1.2", "", 100},
	};

	(void)state;
	assert_int_equal(crowd.count, 9);
	for (size_t i = 0; i < 9; i++) {
		assert_string_equal(crowd.members[i].name, expected[i].name);
		assert_string_equal(crowd.members[i].zone, expected[i].zone);
		assert_int_equal(crowd.members[i].weight, expected[i].weight);
	}
	assert_int_equal(crowd_change(&crowd, "-b,+d@north,c*2,a=7,v1.2@south", NULL), 0);
	assert_null(crowd_find(&crowd, "b"));
	assert_string_equal(crowd_find(&crowd, "d")->zone, "north");
	assert_int_equal(crowd_find(&crowd, "c")->weight, 500);
	assert_int_equal(crowd_find(&crowd, "a")->weight, 7);
	assert_string_equal(crowd_find(&crowd, "v1.2")->zone, "south");
	crowd_free(&crowd);
}

static void test_crowds_refused(void **state)
{
	static const char *const members[] = {"a,,b", "a*x", "b=-1", "*2", "cache-9..3", "n..5", "a*1e9"};
	static const char *const changes[] = {"-z", "z*2", "a", "a,", "+", "-"};

	(void)state;
	for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
		struct refusal refusal = {.what = ""};
		struct crowd crowd = {0};

		if (crowd_add(&crowd, members[i], &refusal) != -22 || !*refusal.what)
			fail_msg("'%s' was taken", members[i]);
		crowd_free(&crowd);
	}
	for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
		struct refusal refusal = {.what = ""};
		struct crowd crowd = crowd_of("a");

		if (crowd_change(&crowd, changes[i], &refusal) != -22 || !*refusal.what)
			fail_msg("'%s' was taken", changes[i]);
		crowd_free(&crowd);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_crowds_as_written),
		cmocka_unit_test(test_crowds_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

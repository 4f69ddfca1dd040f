// SPDX-License-Identifier: Apache-2.0
/* Shares that are off by much. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "core/placement/placement.h"

enum { MEMBERS = 12, SLOTS = 251 };

static bool far_off(enum placement_scheme scheme, const uint32_t *weights, size_t count, char *text)
{
	static const char *const names[] = {"a", "b", "c"};
	struct member members[3];
	struct member_set set = {.scheme = scheme, .slots = SLOTS, .members = members, .count = count};
	struct placement *placement;
	bool off;

	for (size_t i = 0; i < count; i++)
		members[i] = (struct member){names[i], "", weights[i]};
	assert_int_equal(placement_build(&set, &placement, NULL), 0);
	off = placement_shares_warning(placement, text, 384);
	placement_free(placement);
	return off;
}

static void shares_that_are_far_off_are_told(void **state)
{
	static const uint32_t odd[] = {101, 100, 99}, even[] = {200, 100, 100};
	char text[384];

	(void)state;
	assert_true(far_off(PLACEMENT_MODULO, odd, 3, text));
	assert_non_null(strstr(text, "c is due 83 of 251 slots, and scheme modulo gives it 50 (-40 %)"));
	assert_false(far_off(PLACEMENT_MODULO, even, 3, text));
	for (int scheme = 0; scheme < PLACEMENT_SCHEMES; scheme++)
		if (scheme != PLACEMENT_MODULO)
			assert_false(far_off((enum placement_scheme)scheme, even, 3, text));
	assert_false(far_off(PLACEMENT_MAGLEV, odd, 3, text));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shares_that_are_far_off_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

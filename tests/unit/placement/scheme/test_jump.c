// SPDX-License-Identifier: Apache-2.0
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "unit/placement/figures.h"

static struct placement *jump_of(const char *const *names, size_t count)
{
	struct placement_options options = {.keys_only = true};
	struct member members[10];
	struct member_set set = {.scheme = PLACEMENT_JUMP,
				 .slots = 251,
				 .members = members,
				 .count = count,
				 .options = &options};
	struct placement *placement = NULL;

	for (size_t i = 0; i < count; i++)
		members[i] = (struct member){names[i], "", 100};
	assert_int_equal(placement_build(&set, &placement, NULL), 0);
	return placement;
}

/*
 * The last of ten leaves: its tenth moves. The first leaves: 1 - (sum over i of P(i, i + 1)), nearly all. The
 * fifth: about half. Balance is the multinomial's own.
 */
static void test_jump_can_lose_its_last_member_alone(void **state)
{
	static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"};
	const char *without_middle[9];
	struct placement *ten = jump_of(names, 10), *nine = jump_of(names, 9),
			 *no_first = jump_of(names + 1, 9), *no_middle;
	unsigned int counts[10];
	char text[256];

	(void)state;
	memcpy(without_middle, names, 5 * sizeof *names);
	memcpy(without_middle + 5, names + 6, 4 * sizeof *names);
	no_middle = jump_of(without_middle, 9);
	owned(ten, "k", 100000, counts);
	assert_true(max_over_mean(counts, 10) < 1.04);
	assert_in_range(moved(ten, nine, "k", 0, 100000), 9600, 10400);
	assert_in_range(moved(ten, no_middle, "k", 0, 100000), 40000, 60000);
	assert_in_range(moved(ten, no_first, "k", 0, 100000), 90000, 100000);
	assert_false(placement_move_warning(ten, nine, text, sizeof text));
	assert_true(placement_move_warning(ten, no_middle, text, sizeof text));
	assert_non_null(strstr(text, "only the last"));
	placement_free(ten);
	placement_free(nine);
	placement_free(no_first);
	placement_free(no_middle);
}

/* Buckets of keys 0 to 19 among 100, as the paper's C++ gives them (Guava's tests keep the same list). */
static void test_jump_is_the_papers(void **state)
{
	static const uint16_t golden[] = {0,  55, 62, 8,  45, 59, 86, 97, 82, 59,
					  73, 37, 17, 56, 86, 21, 90, 37, 38, 83};
	struct placement_options options = {.hash = PLACEMENT_IDENTITY};
	struct placement *hundred = build(PLACEMENT_JUMP, "m", 100, options);
	struct placement *eleven = build(PLACEMENT_JUMP, "m", 11, options);

	(void)state;
	for (unsigned int key = 0; key < 20; key++)
		assert_int_equal(lookup_nth(hundred, "", key), golden[key]);
	assert_int_equal(placement_lookup(eleven, "10863919174838991", 17), 6);
	assert_int_equal(placement_lookup(eleven, "2016238256797177309", 19), 3);
	placement_free(hundred);
	placement_free(eleven);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_jump_can_lose_its_last_member_alone),
		cmocka_unit_test(test_jump_is_the_papers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

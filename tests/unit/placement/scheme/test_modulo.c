// SPDX-License-Identifier: Apache-2.0
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "unit/placement/figures.h"

/* N of N + 1 keys move; 100,000 keys leave a standard deviation of at most 0.14 %, four of them are allowed.
 */
static void test_modulo_moves_nearly_all(void **state)
{
	static const size_t from[] = {3, 4, 10, 100};

	(void)state;
	for (int i = 0; i < 4; i++) {
		double share = moved_between(PLACEMENT_MODULO, "m", from[i], from[i] + 1,
					     (struct placement_options){0}, "k", 0, 100000) /
			       1e5;
		double expected = (double)from[i] / ((double)from[i] + 1);

		assert_true(fabs(share - expected) < 4 * sqrt(expected * (1 - expected) / 1e5));
	}
}

static void test_modulo_by_hand(void **state)
{
	(void)state;
	assert_int_equal(moved_between(PLACEMENT_MODULO, "m", 3, 4,
				       (struct placement_options){.hash = PLACEMENT_IDENTITY}, "", 1, 12),
			 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_modulo_moves_nearly_all),
		cmocka_unit_test(test_modulo_by_hand),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

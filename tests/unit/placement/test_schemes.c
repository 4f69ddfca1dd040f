// SPDX-License-Identifier: Apache-2.0
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "unit/placement/figures.h"

static void test_weights_in_every_scheme(void **state)
{
	static const struct member members[] = {{"a", "", 64}, {"b", "", 64}, {"c", "", 16}};
	struct placement_options options = {.virtual_nodes = 4000, .keys_only = true};

	(void)state;
	for (int scheme = 0; scheme < PLACEMENT_SCHEMES; scheme++) {
		struct member_set set = {.scheme = (enum placement_scheme)scheme,
					 .slots = 65537,
					 .members = members,
					 .count = 3,
					 .options = &options};
		/* Rings have weights on the mean only: 4000 tokens, or ketama's few. */
		double slack = scheme == PLACEMENT_KETAMA ? 0.25 : scheme == PLACEMENT_RING ? 0.06 : 0.02;
		struct placement *placement = NULL;
		unsigned int counts[3];

		assert_int_equal(placement_build(&set, &placement, NULL), 0);
		owned(placement, "key", 90000, counts);
		for (int i = 0; i < 3; i++)
			assert_true(fabs(counts[i] / (i < 2 ? 40000.0 : 10000.0) - 1) <
				    slack * (i < 2 ? 1 : 2));
		placement_free(placement);
	}
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_weights_in_every_scheme),
		cmocka_unit_test(test_unknown_schemes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

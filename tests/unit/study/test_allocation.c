// SPDX-License-Identifier: Apache-2.0
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "core/study/allocation.h"
#include "unit/study/stage.h"

/* Eight tokens placed for balance beat eight hashed ones, after every joining. */
static void test_few_tokens_placed_for_balance(void **state)
{
	struct sample sample = {.prefix = "key", .count = 50000};

	(void)state;
	for (int members = 1; members <= 20; members += 3) {
		struct token_position *positions = NULL;
		struct crowd crowd = {0};
		struct placement_options options = {.position_count = 8 * (size_t)members};
		struct stage placed, hashed;
		struct figures good, poor;
		char text[32];

		snprintf(text, sizeof text, "n-0..%d", members - 1);
		crowd = crowd_of(text);
		assert_int_equal(allocate_tokens(crowd.members, crowd.count, 8, &positions), 0);
		options.positions = positions;
		placed = stage_make(text, "", PLACEMENT_RING, options, &sample);
		hashed = stage_make(text, "", PLACEMENT_RING, (struct placement_options){.virtual_nodes = 8},
				    &sample);
		assert_int_equal(compare(&sample, &placed.side, NULL, &good), 0);
		assert_int_equal(compare(&sample, &hashed.side, NULL, &poor), 0);
		assert_true(good.greatest < 1.15);
		assert_true(members == 1 || good.deviation < poor.deviation / 3);
		stage_end(&placed);
		stage_end(&hashed);
		free(positions);
		crowd_free(&crowd);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_few_tokens_placed_for_balance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>

#include "core/study/hot.h"
#include "unit/study/stage.h"

/* A key with 40 % of all on ten servers: 4.0 times the mean at best. Its shards reach those that lookup says.
 */
static void test_hot_key(void **state)
{
	struct crowd crowd = crowd_of("cache-0..9");
	struct placement *placement = place(&crowd, PLACEMENT_RING, (struct placement_options){0});
	struct key_count keys[601];
	char names[601][24];
	bool reached[10] = {false};
	struct heat heat;
	size_t distinct = 0;

	(void)state;
	keys[0] = (struct key_count){"hot", 400};
	for (int i = 1; i <= 600; i++) {
		snprintf(names[i], sizeof names[i], "cold-%d", i);
		keys[i] = (struct key_count){names[i], 1};
	}
	assert_int_equal(heat_measure(placement, keys, 601, 10, 1.25, &heat), 0);
	for (int shard = 0; shard < 10; shard++) {
		char name[16];
		uint16_t owner = placement_lookup(placement, name,
						  (size_t)snprintf(name, sizeof name, "hot#%d", shard));

		distinct += !reached[owner];
		reached[owner] = true;
	}
	assert_int_equal(heat.hottest, 0);
	assert_true(fabs(heat.share - 0.4) < 1e-9 && fabs(heat.best - 4) < 1e-9 && heat.now >= 4);
	assert_int_equal(heat.reached, distinct);
	assert_true(heat.split < heat.best && heat.split >= 1 && heat.bounded == 1.25);
	assert_int_equal(heat_measure(placement, keys, 0, 10, 1.25, &heat), -22);
	placement_free(placement);
	crowd_free(&crowd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hot_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "core/study/replay.h"
#include "unit/study/stage.h"

static double lowest_after(enum placement_scheme scheme, bool warm, double *ret_before)
{
	struct crowd before = crowd_of("cache-0..9"), after = crowd_of("cache-0..10");
	struct replay replay = {.before = place(&before, scheme, (struct placement_options){0}),
				.after = place(&after, scheme, (struct placement_options){0}),
				.keys = 5000,
				.requests = 5000,
				.steps = 30,
				.change_at = 20,
				.skew = 0.8,
				.warm = warm};
	double rates[30], lowest = 1;

	assert_int_equal(replay_run(&replay, rates, NULL), 0);
	assert_true(rates[0] < rates[19]);
	for (int step = 20; step < 30; step++)
		lowest = fmin(lowest, rates[step]);
	*ret_before = rates[19];
	placement_free((struct placement *)replay.before);
	placement_free((struct placement *)replay.after);
	crowd_free(&before);
	crowd_free(&after);
	return lowest;
}

static void test_replay(void **state)
{
	double before, modulo = lowest_after(PLACEMENT_MODULO, false, &before), ring, warm;

	(void)state;
	assert_true(before > 0.98);
	assert_true(modulo < 0.75);
	ring = lowest_after(PLACEMENT_RING, false, &before);
	warm = lowest_after(PLACEMENT_RING, true, &before);
	assert_true(ring > modulo + 0.15 && ring < before - 0.02);
	assert_true(warm > before - 0.01);
}

/* A cache with room for one key, asked for two in turn, never hits; with room for both it misses twice. */
static void test_replay_of_a_small_cache(void **state)
{
	struct crowd crowd = crowd_of("a");
	struct placement *placement = place(&crowd, PLACEMENT_MODULO, (struct placement_options){0});
	struct replay replay = {.before = placement,
				.after = placement,
				.keys = 1000,
				.requests = 4000,
				.steps = 2,
				.change_at = 1,
				.room = 500};
	struct refusal refusal = {.what = ""};
	double rates[2];

	(void)state;
	/* Uniform demand: half of all keys are in, so that half of all requests hit; 4000 leave a deviation
	 * of 0.8 %. */
	assert_int_equal(replay_run(&replay, rates, NULL), 0);
	assert_true(fabs(rates[1] - 0.5) < 0.04);
	replay.keys = 0;
	assert_int_equal(replay_run(&replay, rates, &refusal), -22);
	assert_true(*refusal.what);
	placement_free(placement);
	crowd_free(&crowd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_replay),
		cmocka_unit_test(test_replay_of_a_small_cache),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

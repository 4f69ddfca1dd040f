// SPDX-License-Identifier: Apache-2.0
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "unit/study/stage.h"

/* Modulo from 3 to 4: three quarters move, a quarter must, so that half is needless. */
static void test_moves_and_needless_moves(void **state)
{
	struct figures modulo =
		figures_of("a,b,c", "+d", PLACEMENT_MODULO, (struct placement_options){0}, 100000, 0);
	struct figures best =
		figures_of("a,b,c", "+d", PLACEMENT_RENDEZVOUS, (struct placement_options){0}, 100000, 0);
	struct figures heavy =
		figures_of("a,b,c", "b*2", PLACEMENT_RENDEZVOUS, (struct placement_options){0}, 100000, 0);

	(void)state;
	assert_true(fabs(modulo.moved - 0.75) < 0.006 && fabs(modulo.needless - 0.5) < 0.007);
	assert_true(fabs(modulo.minimum - 0.25) < 1e-9);
	assert_true(fabs(best.moved - 0.25) < 0.006 && best.needless == 0);
	assert_true(fabs(heavy.minimum - 1.0 / 6) < 1e-9 && fabs(heavy.moved - 1.0 / 6) < 0.005 &&
		    heavy.needless == 0);
	assert_true(best.greatest < 1.02 && best.least > 0.98 && best.deviation < 0.01);
}

/* A member of three that is lost: without virtual nodes one neighbour gets all, with a hundred it splits. */
static void test_where_lost_load_goes(void **state)
{
	struct placement_options one = {.virtual_nodes = 1}, many = {.virtual_nodes = 100};
	struct figures dumped = figures_of("a,b,c", "-b", PLACEMENT_RING, one, 30000, 0);
	struct figures split = figures_of("a,b,c", "-b", PLACEMENT_RING, many, 30000, 0);
	struct figures unasked = figures_of("a,b,c", "", PLACEMENT_MAGLEV, many, 30000, 0);

	(void)state;
	assert_string_equal(dumped.lost, "b");
	assert_true(dumped.worst_neighbour == 1);
	assert_true(split.worst_neighbour < 0.68);
	assert_false(unasked.changed);
	assert_true(unasked.worst_neighbour < 0.53);
}

/*
 * Of two copies on four members every key has one on b with probability 1/2: losing b loses a quarter of all
 * copies. Without the skip of equal servers two neighbouring tokens are the same member's now and then.
 */
static void test_replicas(void **state)
{
	struct placement_options options = {.virtual_nodes = 200};
	struct figures lost = figures_of("a,b,c,d", "-b", PLACEMENT_RENDEZVOUS, options, 40000, 2);
	struct figures same = figures_of("a,b,c,d", "", PLACEMENT_RING, options, 40000, 2);

	(void)state;
	assert_true(fabs(lost.copies_lost - 0.25) < 0.01);
	assert_true(fabs(lost.copies_moved - 0.25) < 0.01);
	assert_true(same.copies_moved == 0 && same.copies_lost == 0);
	assert_true(same.duplicates > 0.2 && same.duplicates < 0.3);
}

/*
 * HAProxy's manual, hash-balance-factor: "if <factor> is 150, then no server will be allowed to have a load
 * more than 1.5 times the average", weights respected. Its slots for a server are ceil(factor * (served + 1)
 * * weight / total).
 */
static void test_bounded_caps(void **state)
{
	(void)state;
	for (uint64_t served = 0; served < 3000; served += 7)
		for (uint64_t percent = 101; percent <= 200; percent += 11)
			for (uint64_t weight = 1; weight <= 5; weight++) {
				uint64_t numerator = (served + 1) * percent * weight, whole = 100 * 12;

				assert_int_equal(bounded_cap(served + 1, (double)percent / 100, weight, 12),
						 (numerator + whole - 1) / whole);
			}
	assert_int_equal(bounded_cap(10, 1.2, 1, 4), 3);
	assert_int_equal(bounded_cap(100, 1.25, 1, 5), 25);
	assert_int_equal(bounded_cap(5, 1.25, 0, 5), 0);
	assert_int_equal(bounded_cap(5, 1.25, 1, 0), 0);
}

static void test_bounded_loads_hold(void **state)
{
	struct sample sample = {.prefix = "key", .count = 20000};
	struct placement_options options = {.virtual_nodes = 1};
	struct stage stage = stage_make("a,b,c,d,e", "", PLACEMENT_RING, options, &sample);
	struct figures figures = {0}, loose = {0};

	(void)state;
	assert_int_equal(compare(&sample, &stage.side, NULL, &figures), 0);
	assert_int_equal(compare_bounded(&sample, &stage.side, 1.1, &figures), 0);
	assert_true(figures.cap == 4400);
	/* Whatever is above the cap must go on; a chain of full members may pass more along, never less. */
	assert_true(figures.overflow >= (figures.greatest - 1.1) / 5 - 1e-9);
	assert_int_equal(compare_bounded(&sample, &stage.side, figures.greatest + 0.01, &loose), 0);
	assert_true(loose.overflow == 0);
	stage_end(&stage);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_moves_and_needless_moves),
		cmocka_unit_test(test_where_lost_load_goes),
		cmocka_unit_test(test_replicas),
		cmocka_unit_test(test_bounded_caps),
		cmocka_unit_test(test_bounded_loads_hold),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
#include "sample.h"

#include <errno.h>
#include <kern/maps/ranges.h>

#include "netns.h"

static void test_ranges(void **state)
{
	struct ranges *ranges;
	uint32_t a, b, c;

	(void)state;
	assert_int_equal(ranges_open(32, &ranges), 0);
	assert_int_equal(ranges_take(ranges, 5, 8, &a), 0);
	assert_int_equal(ranges_take(ranges, 5, 8, &b), 0);
	assert_int_equal(a, 0);
	assert_int_equal(b, 8);
	assert_int_equal(ranges_claim(ranges, 12, 2), -EEXIST);
	assert_int_equal(ranges_claim(ranges, 30, 3), -ERANGE);
	assert_int_equal(ranges_take(ranges, 17, 8, &c), -ENOSPC);
	ranges_retire(ranges, a);
	assert_int_equal(ranges_take(ranges, 17, 8, &c), -ENOSPC); /* still being read */
	assert_true(ranges_reclaimable(ranges));
	ranges_reclaim(ranges);
	assert_int_equal(ranges_take(ranges, 8, 8, &c), 0);
	assert_int_equal(c, 0);
	ranges_release(ranges, b);
	assert_int_equal(ranges_used(ranges), 8);
	ranges_close(ranges);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ranges),
	};

	return cmocka_run_group_tests_name("ranges", tests, NULL, NULL);
}

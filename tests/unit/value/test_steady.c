/* SPDX-License-Identifier: Apache-2.0 */
/* The instance's clock, and what is measured by it: no step of the host's clock changes either. */
#include "unit/models.h"

#include "core/config/config.h"
#include "core/config/model_json.h"
#include "core/value/steady.h"

#define BOOT    "5f6d1c0e-3a84-4d39-9a6f-0d1c2b3a4f50"
#define ANOTHER "0c9d8e7f-1111-4222-8333-444455556666"
#define YEAR    ((int64_t)365 * 24 * 3600 * 1000)

enum { HOUR = 3600 * 1000 };

static void it_begins_as_unix_time_and_monotonic_time_moves_it(void **state)
{
	struct steady steady;

	(void)state;
	steady_begin(&steady, NULL, BOOT, 5000, 56 * YEAR);
	assert_int_equal(steady_at(&steady, 5000), 56 * YEAR);
	assert_int_equal(steady_at(&steady, 5000 + HOUR), 56 * YEAR + HOUR);
	steady_begin(&steady, "nonsense", BOOT, 5000, 56 * YEAR);
	assert_int_equal(steady_at(&steady, 5000), 56 * YEAR);
}

static void a_restart_goes_on_whatever_the_hosts_clock_says(void **state)
{
	struct steady steady;
	char noted[STEADY_TEXT];

	(void)state;
	steady_begin(&steady, NULL, BOOT, 5000, 56 * YEAR);
	steady_note(&steady, 6000, noted);
	steady_begin(&steady, noted, BOOT, 5000 + HOUR, 3 * YEAR);
	assert_int_equal(steady_at(&steady, 5000 + HOUR), 56 * YEAR + HOUR);
}

static void a_reboot_goes_on_from_what_was_noted(void **state)
{
	struct steady steady;
	char noted[STEADY_TEXT];

	(void)state;
	steady_begin(&steady, NULL, BOOT, 5000, 56 * YEAR);
	steady_note(&steady, 5000 + HOUR, noted);
	steady_begin(&steady, noted, ANOTHER, 70, 60 * YEAR);
	assert_int_equal(steady_at(&steady, 70), 56 * YEAR + HOUR);
	assert_int_equal(steady_at(&steady, 71), 56 * YEAR + HOUR + 1);
	/* The kernel gives no id. */
	steady_begin(&steady, noted, "", 70, 60 * YEAR);
	assert_int_equal(steady_at(&steady, 70), 56 * YEAR + HOUR);
	steady_note(&steady, 80, noted);
	steady_begin(&steady, noted, "", 10, 60 * YEAR);
	assert_int_equal(steady_at(&steady, 10), 56 * YEAR + HOUR + 10);
}

static void it_never_goes_back(void **state)
{
	struct steady steady;
	char noted[STEADY_TEXT];

	(void)state;
	steady_begin(&steady, NULL, BOOT, 2 * HOUR, 56 * YEAR);
	steady_note(&steady, 2 * HOUR, noted);
	steady_begin(&steady, noted, BOOT, HOUR, 56 * YEAR);
	assert_int_equal(steady_at(&steady, HOUR), 56 * YEAR);
}

/* Whatever a file says: no stamp overflows, and none becomes what stands for none. */
static void stamps_stay_in_their_range(void **state)
{
	(void)state;
	assert_int_equal(stamp_move(INT64_MAX, YEAR), INT64_MAX);
	assert_int_equal(stamp_move(INT64_MAX - YEAR, 2 * YEAR), INT64_MAX);
	assert_int_equal(stamp_move(YEAR, -2 * YEAR), 1);
	assert_int_equal(stamp_move(YEAR, INT64_MIN), 1);
	assert_int_equal(stamp_move(YEAR, 5), YEAR + 5);
	assert_int_equal(stamp_move(0, YEAR), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_begins_as_unix_time_and_monotonic_time_moves_it),
		cmocka_unit_test(a_restart_goes_on_whatever_the_hosts_clock_says),
		cmocka_unit_test(a_reboot_goes_on_from_what_was_noted),
		cmocka_unit_test(it_never_goes_back),
		cmocka_unit_test(stamps_stay_in_their_range),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/models.h"

#include <errno.h>

#include "core/value/duration.h"

static void durations_are_read_and_written(void **state)
{
	static const struct {
		const char *text, *canonical;
		uint32_t seconds;
	} good[] = {{"2h", "2h", 7200}, {"0", "0s", 0},       {"1h30m", "1h30m", 5400},
		    {"0s", "0s", 0},    {"7d", "7d", 604800}, {"1d1h1m1s", "1d1h1m1s", 90061}};
	static const char *const bad[] = {"",     "h",   "1h2h", "1m1h", "-1s",  "1x", "1h 1m", "5000000000s",
					  "1h30", " 1s", "5",    "90",   "00005"};
	char text[DURATION_TEXT];
	uint32_t seconds;

	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
		assert_int_equal(duration_parse(good[i].text, &seconds), 0);
		assert_int_equal(seconds, good[i].seconds);
		assert_string_equal(duration_text(seconds, text), good[i].canonical);
	}
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		if (duration_parse(bad[i], &seconds) != -EINVAL)
			fail_msg("\"%s\" was taken", bad[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(durations_are_read_and_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/models.h"

#include <errno.h>

#include "core/value/seed.h"

static void seeds_are_sixteen_digits(void **state)
{
	static const char *const bad[] = {"",
					  "6f1c9a3e5b7d204",
					  "6f1c9a3e5b7d20488",
					  "0000000000000000",
					  "6f1c9a3e5b7d204g",
					  "0x6f1c9a3e5b7d20"};
	char text[SEED_TEXT];
	uint64_t seed;

	(void)state;
	assert_int_equal(seed_parse("6F1c9a3e5b7d2048", &seed), 0);
	assert_true(seed == 0x6f1c9a3e5b7d2048);
	assert_string_equal(seed_text(seed, text), "6f1c9a3e5b7d2048");
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		if (seed_parse(bad[i], &seed) != -EINVAL)
			fail_msg("\"%s\" was taken", bad[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(seeds_are_sixteen_digits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/models.h"

#include <errno.h>

#include "core/model/schema_table.h"
#include "core/value/duration.h"
#include "core/value/nearest.h"
#include "core/value/seed.h"

static const struct schema *const schemas[] = {&schema_root, &schema_interface, &schema_pool, &schema_service,
					       &schema_backend};
enum { SCHEMAS = sizeof schemas / sizeof schemas[0] };

static void every_default_is_a_value_its_key_takes(void **state)
{
	uint64_t room[64] = {0};

	(void)state;
	for (int i = 0; i < SCHEMAS; i++) {
		for (const struct schema_key *key = schemas[i]->keys; key->name; key++) {
			json_t *value = key->standard ? json_string(key->standard) : NULL;

			assert_true(key->offset + key->size <= sizeof room);
			if (value && schema_read(key, room, value, NULL) != 0)
				fail_msg("%s.%s: %s", schemas[i]->noun, key->name, key->standard);
			json_decref(value);
		}
	}
}

static void every_key_explains_itself(void **state)
{
	char text[256];

	(void)state;
	for (int i = 0; i < SCHEMAS; i++) {
		for (const struct schema_key *key = schemas[i]->keys; key->name; key++) {
			size_t length = strlen(key->help);

			if (key->help[length - 1] != '.' ||
			    strlen(schema_describe(key, text, sizeof text)) == 0)
				fail_msg("%s.%s", schemas[i]->noun, key->name);
		}
	}
}

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

static void near_misses_are_found(void **state)
{
	static const struct {
		const char *word, *meant;
	} cases[] = {{"wieght", "weight"}, {"weigth", "weight"}, {"weigh", "weight"}, {"Weight", "weight"},
		     {"zome", "zone"},     {"colour", NULL},     {"w", NULL},         {"adress", "address"}};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct nearest nearest = nearest_to(cases[i].word);

		for (const struct schema_key *key = schema_backend.keys; key->name; key++)
			nearest_offer(&nearest, key->name);
		if (!cases[i].meant)
			assert_null(nearest.best);
		else
			assert_string_equal(nearest.best, cases[i].meant);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_default_is_a_value_its_key_takes),
		cmocka_unit_test(every_key_explains_itself),
		cmocka_unit_test(durations_are_read_and_written),
		cmocka_unit_test(seeds_are_sixteen_digits),
		cmocka_unit_test(near_misses_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

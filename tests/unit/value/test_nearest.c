/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/models.h"

#include "core/model/schema_table.h"
#include "core/value/nearest.h"

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
		cmocka_unit_test(near_misses_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

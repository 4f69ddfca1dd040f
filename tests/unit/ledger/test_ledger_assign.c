// SPDX-License-Identifier: Apache-2.0
/* Counters and ordinals. */
#include <errno.h>

#include "unit/ledger/numbers.h"

static void counter_ranges_hold_every_ordinal_and_never_meet(void **state)
{
	struct model *model = small_model(3);
	struct ledger *ledger = ledger_new();
	static uint8_t used[HF_DEFAULT_COUNTERS];
	uint32_t first, count, before;

	(void)state;
	for (int i = 1; i <= 20; i++)
		operate(&model, "service.add", "{'proto': 'udp', 'listen': '203.0.113.%d:53', 'pool': 'db'}",
			i);
	must_assign(ledger, model);
	ledger_service(ledger, &model->services[0], &before, &count);
	for (int i = 4; i <= 60; i++)
		operate(&model, "backend.add", "{'pool': 'db', 'name': 'db%d', 'address': '10.0.0.%d'}", i,
			i);
	must_assign(ledger, model);
	for (size_t i = 0; i < model->service_count; i++) {
		assert_int_not_equal(ledger_service(ledger, &model->services[i], &first, &count), 0);
		assert_true(first > 0 && first + count <= HF_DEFAULT_COUNTERS);
		for (size_t j = 0; j < model->pools[0].backend_count; j++)
			assert_true(ledger_ordinal(ledger, ledger_backend(ledger, "db",
									  &model->pools[0].backends[j])) <
				    count);
		for (uint32_t j = first; j < first + count; j++)
			assert_int_equal(used[j]++, 0);
	}
	/* The outgrown range may still be written to: nobody has it before it is released. */
	assert_int_equal(used[before], 0);
	ledger_free(ledger);
	model_free(model);
}

static void ordinals_are_apart_within_a_pool(void **state)
{
	struct model *model = small_model(60);
	struct ledger *ledger = ledger_new();
	bool used[64] = {0};

	(void)state;
	must_assign(ledger, model);
	operate(&model, "backend.remove", "{'pool': 'db', 'name': 'db7', 'now': true}");
	operate(&model, "backend.add", "{'pool': 'db', 'name': 'x', 'address': '10.0.0.77'}");
	must_assign(ledger, model);
	for (size_t i = 0; i < model->pools[0].backend_count; i++) {
		uint16_t ordinal =
			ledger_ordinal(ledger, ledger_backend(ledger, "db", &model->pools[0].backends[i]));

		assert_true(ordinal < 64);
		assert_false(used[ordinal]);
		used[ordinal] = true;
	}
	ledger_free(ledger);
	model_free(model);
}

static void another_pool_counts_from_nothing(void **state)
{
	struct model *model = small_model(3);
	struct ledger *ledger = ledger_new();
	uint32_t before, after;

	(void)state;
	operate(&model, "pool.add", "{'name': 'web'}");
	must_assign(ledger, model);
	ledger_service(ledger, &model->services[0], &before, NULL);
	operate(&model, "service.set", "{'proto': 'tcp', 'listen': '203.0.113.10:5432', 'pool': 'web'}");
	must_assign(ledger, model);
	ledger_service(ledger, &model->services[0], &after, NULL);
	assert_int_not_equal(before, after);
	ledger_free(ledger);
	model_free(model);
}

static void too_few_counters_are_refused_and_nothing_changes(void **state)
{
	struct model *model = small_model(3);
	struct ledger *ledger = ledger_new();
	struct refusal refusal = {0};
	json_t *before = ledger_to_json(ledger), *after;

	(void)state;
	assert_int_equal(ledger_assign(ledger, model, 3, &refusal), -ENOSPC);
	assert_string_equal(
		refusal.what,
		"the 2 counters are not enough: each service takes one for each backend of its pool");
	after = ledger_to_json(ledger);
	assert_true(json_equal(before, after));
	/* Where there is no room to grow, what is needed is enough. */
	assert_int_equal(ledger_assign(ledger, model, 4, &refusal), 0);
	json_decref(before);
	json_decref(after);
	ledger_free(ledger);
	model_free(model);
}

static void released_ranges_are_given_again_when_the_end_is_reached(void **state)
{
	struct model *model = small_model(8);
	struct ledger *ledger = ledger_new();
	struct refusal refusal = {0};

	(void)state;
	for (int i = 0; i < 100; i++) {
		operate(&model, "service.remove", "{'proto': 'tcp', 'listen': '203.0.113.10:%d'}", 5432 + i);
		operate(&model, "service.add", "{'proto': 'tcp', 'listen': '203.0.113.10:%d', 'pool': 'db'}",
			5433 + i);
		if (ledger_assign(ledger, model, 32, &refusal) != 0)
			fail_msg("round %d: %s", i, refusal.what);
		ledger_release_unused(ledger);
	}
	ledger_free(ledger);
	model_free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counter_ranges_hold_every_ordinal_and_never_meet),
		cmocka_unit_test(ordinals_are_apart_within_a_pool),
		cmocka_unit_test(another_pool_counts_from_nothing),
		cmocka_unit_test(too_few_counters_are_refused_and_nothing_changes),
		cmocka_unit_test(released_ranges_are_given_again_when_the_end_is_reached),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "changes.h"

#include <holdfast/slot.h>

#include "core/review/forecast.h"

static void slots_that_leave_an_owner_are_marked(void **state)
{
	struct changed changed = change_of(small_model(3), "backend.drain", "{'pool': 'db', 'name': 'db2'}");
	const struct pool_image *before = image_pool(changed.image_before, "db"),
				*after = image_pool(changed.image_after, "db");
	uint64_t *slots = forecast_moved_slots(before, after);
	uint32_t marked = 0;

	(void)state;
	assert_non_null(slots);
	for (uint32_t slot = 0; slot < before->table.size; slot++) {
		bool moved = hf_slot_owner(before->words[slot]) != hf_slot_owner(after->words[slot]);

		assert_int_equal(slots[slot / 64] >> slot % 64 & 1, moved);
		marked += moved;
	}
	assert_true(marked > 0);
	assert_int_equal(marked, changed.plan->pools[0].moved);
	free(slots);
	change_release(&changed);
}

/* Nobody's flows are on slots without an owner. */
static void slots_that_get_their_first_owner_are_not_marked(void **state)
{
	struct changed changed = change_of(small_model(0), "backend.add",
					   "{'pool': 'db', 'name': 'db1', 'address': '10.0.0.1'}");
	uint64_t *slots = forecast_moved_slots(image_pool(changed.image_before, "db"),
					       image_pool(changed.image_after, "db"));

	(void)state;
	assert_non_null(slots);
	for (size_t i = 0; i < 251 / 64 + 1; i++)
		assert_int_equal(slots[i], 0);
	free(slots);
	change_release(&changed);
}

static void a_plan_touches_all_flows_of_a_pool_that_goes_or_is_rebuilt(void **state)
{
	const struct pool_image before = {0};
	const struct plan_pool add = {.change = PLAN_ADD}, move = {.change = PLAN_CHANGE},
			       rebuild = {.change = PLAN_CHANGE, .rebuilt = true},
			       removal = {.change = PLAN_REMOVE};

	(void)state;
	assert_int_equal(forecast_flows(&before, &add), FORECAST_NO_FLOWS);
	assert_int_equal(forecast_flows(NULL, &move), FORECAST_NO_FLOWS);
	assert_int_equal(forecast_flows(&before, &move), FORECAST_MOVED_FLOWS);
	assert_int_equal(forecast_flows(&before, &rebuild), FORECAST_ALL_FLOWS);
	assert_int_equal(forecast_flows(&before, &removal), FORECAST_ALL_FLOWS);
}

static void the_traffic_is_told_for_each_pool(void **state)
{
	static const char drain[] = "{'pool': 'db', 'name': 'db1'}";
	struct changed changed = change_of(small_model(2), "backend.drain", drain);
	const double share = plan_pool_share(&changed.plan->pools[0]);
	struct pool_traffic traffic = {.opened = {.flows = 200, .seen = true, .unseen = true}};
	json_t *json = forecast_to_json(changed.plan, &traffic), *line, *plain;

	(void)state;
	line = json_array_get(json_object_get(json, "pools"), 0);
	assert_true(share > 0.4 && share < 0.6);
	assert_true(json_real_value(json_object_get(line, "new_per_second")) == 200 * share);
	assert_true(json_is_true(json_object_get(line, "flows_unseen")));
	assert_true(json_is_null(json_object_get(line, "remembered")));
	json_decref(json);

	traffic = (struct pool_traffic){.opened = {.unseen = true}, .counted = true, .remembered = 17};
	json = forecast_to_json(changed.plan, &traffic);
	line = json_array_get(json_object_get(json, "pools"), 0);
	assert_true(json_is_null(json_object_get(line, "new_per_second")));
	assert_true(json_is_true(json_object_get(line, "flows_unseen")));
	assert_int_equal(json_integer_value(json_object_get(line, "remembered")), 17);

	/* Beyond that it is the plan. */
	json_object_del(line, "new_per_second");
	json_object_del(line, "flows_unseen");
	json_object_del(line, "remembered");
	plain = plan_to_json(changed.plan);
	assert_true(json_equal(json, plain));
	json_decref(plain);
	json_decref(json);
	change_release(&changed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slots_that_leave_an_owner_are_marked),
		cmocka_unit_test(slots_that_get_their_first_owner_are_not_marked),
		cmocka_unit_test(a_plan_touches_all_flows_of_a_pool_that_goes_or_is_rebuilt),
		cmocka_unit_test(the_traffic_is_told_for_each_pool),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

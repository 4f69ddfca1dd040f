/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/models.h"
#include "core/config/model_json.h"

#include <errno.h>

static void a_copy_is_apart(void **state)
{
	struct model *model = small_model(2), *copy = model_copy(model);

	(void)state;
	pool_backend(model_pool(copy, "db"), "db1")->weight = 9;
	copy->services[0].idle = 9;
	assert_int_equal(pool_backend(model_pool(model, "db"), "db1")->weight, WEIGHT_DEFAULT);
	assert_int_equal(model->services[0].idle, 0);
	model_free(model);
	model_free(copy);
}

/* What a model owns is its own: each of two can be freed, and neither changes with the other. */
static void a_copy_owns_its_texts_and_lists(void **state)
{
	struct model *model = small_model(2), *copy;

	(void)state;
	operate(&model, "pool.set", "{'name': 'db', 'scheme': 'slots', 'ranges': 'db1=0-9,db2=10-250'}");
	operate(&model, "backend.remove", "{'pool': 'db', 'name': 'db2', 'now': true}");
	copy = model_copy(model);
	assert_int_equal(copy->history_count, model->history_count);
	assert_int_equal(copy->removal_count, 1);
	assert_string_equal(copy->history[0].options.ranges, "db1=0-9,db2=10-250");
	assert_string_equal(copy->history[0].members, "db1 db2");
	copy->pools[0].options.ranges[0] = 'x';
	copy->history[0].options.ranges[0] = 'x';
	copy->history[0].members[0] = 'x';
	assert_string_equal(model->pools[0].options.ranges, "db1=0-250");
	assert_string_equal(model->history[0].options.ranges, "db1=0-9,db2=10-250");
	assert_string_equal(model->history[0].members, "db1 db2");
	model_free(model);
	assert_string_equal(copy->history[0].members, "xb1 db2");
	model_free(copy);
	copy = model_copy(model = model_new(7));
	assert_null(copy->pools);
	assert_null(copy->history);
	model_free(copy);
	model_free(model);
}

static void equal_states_are_equal_texts_in_whatever_order_they_came(void **state)
{
	struct model *a = model_new(7), *b = model_new(7);
	char *a_text, *b_text;
	json_t *json;

	(void)state;
	for (int i = 0; i < 20; i++) {
		int j = (i * 7) % 20;

		operate(&a, "pool.add", "{'name': 'p%d'}", i);
		operate(&b, "pool.add", "{'name': 'p%d'}", j);
	}
	for (int i = 0; i < 50; i++) {
		int j = 49 - i;

		operate(&a, "backend.add", "{'pool': 'p3', 'name': 'b%d', 'address': '10.0.0.%d'}", i, i + 1);
		operate(&b, "backend.add", "{'pool': 'p3', 'name': 'b%d', 'address': '10.0.0.%d'}", j, j + 1);
	}
	for (int i = 0; i < 20; i++) {
		int j = (i * 7) % 20;

		operate(&a, "service.add", "{'proto': 'tcp', 'listen': '203.0.113.%d:80', 'pool': 'p%d'}",
			i + 1, i);
		operate(&b, "service.add", "{'proto': 'tcp', 'listen': '203.0.113.%d:80', 'pool': 'p%d'}",
			j + 1, j);
	}
	json = model_to_json(a);
	a_text = json_dumps(json, JSON_COMPACT);
	json_decref(json);
	json = model_to_json(b);
	b_text = json_dumps(json, JSON_COMPACT);
	json_decref(json);
	assert_string_equal(a_text, b_text);
	free(a_text);
	free(b_text);
	model_free(a);
	model_free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_copy_is_apart),
		cmocka_unit_test(a_copy_owns_its_texts_and_lists),
		cmocka_unit_test(equal_states_are_equal_texts_in_whatever_order_they_came),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

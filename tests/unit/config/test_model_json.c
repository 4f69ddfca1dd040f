/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/models.h"

static void json_brings_back_the_model(void **state)
{
	struct model *model = small_model(3), *back;
	struct refusal refusal = {0};
	json_t *json, *again;

	(void)state;
	operate(&model, "pool.set",
		"{'name': 'db', 'encap': 'gue', 'gue_port': 6080, 'grace': '1m', "
		"'source': '192.0.2.0/24', 'seed': '00000000000000ff', 'hash': 'source'}");
	operate(&model, "backend.set", "{'pool': 'db', 'name': 'db2', 'weight': 7, 'zone': 'east'}");
	operate(&model, "backend.drain", "{'pool': 'db', 'name': 'db2', 'deadline': '10m'}");
	operate(&model, "backend.health", "{'pool': 'db', 'name': 'db3', 'state': 'down'}");
	operate(&model, "interface.attach", "{'name': 'eth0', 'mode': 'native'}");
	operate(&model, "service.set",
		"{'proto': 'tcp', 'listen': '203.0.113.10:5432', 'track': 'always', 'idle': 60}");
	json = model_to_json(model);
	assert_int_equal(model_from_json(json, &back, &refusal), 0);
	again = model_to_json(back);
	assert_true(json_equal(json, again));
	assert_int_equal(pool_backend(model_pool(back, "db"), "db2")->deadline, TEST_NOW + 600 * 1000);
	assert_int_equal(pool_backend(model_pool(back, "db"), "db2")->since, TEST_NOW);
	assert_int_equal(pool_backend(model_pool(back, "db"), "db3")->health, HEALTH_FORCED_DOWN);
	assert_int_equal(model_pool(back, "db")->tcp_grace, 60);
	json_decref(json);
	json_decref(again);
	model_free(model);
	model_free(back);
}

/* What no operation can bring about is refused when it comes from outside. */
static void stored_nonsense_is_refused_with_its_place(void **state)
{
	static const struct {
		const char *json, *what, *where;
	} cases[] = {
		{"[]", "configuration is not a mapping", ""},
		{"{'version': 1}", "seed is missing", ""},
		{"{'version': 2, 'seed': '6f1c9a3e5b7d2048'}", "version 2 is out of range", "version"},
		{"{'version': 1, 'seed': '6f1c9a3e5b7d2048', 'pools': {}}", "pools is not a list", "pools"},
		{"{'version': 1, 'seed': '6f1c9a3e5b7d2048', 'pools': [{'name': 'a'}, {'name': 'b', "
		 "'backends': "
		 "[{'name': 'x', 'address': '10.0.0.1', 'wieght': 1}]}]}",
		 "unknown key wieght", "pools[1].backends[0].wieght"},
		{"{'version': 1, 'seed': '6f1c9a3e5b7d2048', 'pools': [{'name': 'b'}, {'name': 'a'}, "
		 "{'name': 'b'}]}",
		 "pool b is there twice", "pools[2].name"},
		{"{'version': 1, 'seed': '6f1c9a3e5b7d2048', 'pools': [{'name': 'b', 'backends': ["
		 "{'name': 'z', 'address': '10.0.0.1'}, {'name': 'a', 'address': '10.0.0.1'}, {'name': 'z', "
		 "'address': '10.0.0.2'}]}]}",
		 "backend z is there twice", "pools[0].backends[2].name"},
		{"{'version': 1, 'seed': '6f1c9a3e5b7d2048', 'services': [{'listen': 'tcp 203.0.113.1:80', "
		 "'pool': "
		 "'a'}]}",
		 "there is no pool a", "services[0].pool"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct refusal refusal = {0};
		struct model *model = NULL;
		char text[512];
		json_t *json;

		snprintf(text, sizeof text, "%s", cases[i].json);
		for (char *at = text; *at; at++)
			*at = *at == '\'' ? '"' : *at;
		json = json_loads(text, 0, NULL);
		assert_non_null(json);
		assert_true(model_from_json(json, &model, &refusal) < 0);
		assert_string_equal(refusal.what, cases[i].what);
		assert_string_equal(refusal.where, cases[i].where);
		json_decref(json);
	}
}

static void models_with_replaced_backends_are_read_back(void **state)
{
	struct model *model = small_model(2), *read;
	struct refusal refusal = {0};
	json_t *json, *again;

	(void)state;
	operate(&model, "backend.set", "{'pool': 'db', 'name': 'db1', 'address': '10.0.1.1'}");
	operate(&model, "backend.set", "{'pool': 'db', 'name': 'db1', 'address': '2001:db8::1'}");
	json = model_to_json(model);
	assert_int_equal(model_from_json(json, &read, &refusal), 0);
	again = model_to_json(read);
	assert_true(json_equal(json, again));
	assert_true(pool_backend(model_pool(read, "db"), "db1@10.0.0.1")->removing);
	assert_true(pool_backend(model_pool(read, "db"), "db1@10.0.1.1")->removing);
	json_decref(json);
	json_decref(again);
	model_free(read);
	model_free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(json_brings_back_the_model),
		cmocka_unit_test(stored_nonsense_is_refused_with_its_place),
		cmocka_unit_test(models_with_replaced_backends_are_read_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

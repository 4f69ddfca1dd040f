/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/models.h"

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

static void a_vip_is_found_whatever_its_ports_and_protocol(void **state)
{
	static const char *const vips[] = {"10.1.0.3", "10.1.0.1", "2001:db8::5"};
	struct model *model = small_model(1);
	struct address address;

	(void)state;
	for (int i = 0; i < 3; i++)
		operate(&model, "service.add", "{'proto': '%s', 'listen': '%s%s%s:%d', 'pool': 'db'}",
			i % 2 ? "udp" : "tcp", i == 2 ? "[" : "", vips[i], i == 2 ? "]" : "", 9 + i);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(address_parse(vips[i], &address), 0);
		assert_true(model_has_vip(model, &address));
		address.bytes[3] ^= 8;
		assert_false(model_has_vip(model, &address));
	}
	model_free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_states_are_equal_texts_in_whatever_order_they_came),
		cmocka_unit_test(a_vip_is_found_whatever_its_ports_and_protocol),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

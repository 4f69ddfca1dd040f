// SPDX-License-Identifier: Apache-2.0
#include <errno.h>

#include "unit/ledger/numbers.h"

static void json_brings_back_the_ledger(void **state)
{
	struct model *model = small_model(5);
	struct ledger *ledger = ledger_new(), *back;
	json_t *json, *again;

	(void)state;
	operate(&model, "service.add", "{'proto': 'udp', 'listen': '[2001:db8::1]:any', 'pool': 'db'}");
	must_assign(ledger, model);
	operate(&model, "backend.remove", "{'pool': 'db', 'name': 'db2', 'now': true}");
	for (int i = 6; i < 20; i++)
		operate(&model, "backend.add", "{'pool': 'db', 'name': 'db%d', 'address': '10.0.0.%d'}", i,
			i);
	must_assign(ledger, model);
	json = ledger_to_json(ledger);
	assert_int_equal(ledger_from_json(json, &back), 0);
	again = ledger_to_json(back);
	assert_true(json_equal(json, again));
	assert_int_equal(number_of(back, model, "db7"), number_of(ledger, model, "db7"));
	json_object_set_new(json, "backends", json_pack("[[sssiib]]", "db", "x", "10.0.0.1", 70000, 0, 0));
	ledger_free(back);
	assert_int_equal(ledger_from_json(json, &back), -EINVAL);
	json_decref(json);
	json_decref(again);
	ledger_free(ledger);
	model_free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(json_brings_back_the_ledger),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

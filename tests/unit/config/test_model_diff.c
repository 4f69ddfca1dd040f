/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/models.h"

#include "core/config/model_diff.h"

static struct model *differing_model(void)
{
	struct model *model = small_model(1);

	operate(&model, "backend.add",
		"{'pool': 'db', 'name': 'db2', 'address': '10.0.0.12', 'weight': 200}");
	return model;
}

static void differences_are_listed_by_object_and_key(void **state)
{
	struct model *before = differing_model(), *after = model_copy(before);
	json_t *list, *expected;

	(void)state;
	list = model_diff(before, after);
	assert_int_equal(json_array_size(list), 0);
	json_decref(list);
	operate(&after, "backend.set", "{'pool': 'db', 'name': 'db2', 'weight': 50}");
	operate(&after, "backend.add", "{'pool': 'db', 'name': 'db0', 'address': '10.0.0.10'}");
	operate(&after, "service.remove", "{'proto': 'tcp', 'listen': '203.0.113.10:5432'}");
	list = model_diff(before, after);
	expected = json_pack("[{ss ss ss s{s{ss} s{ss}}} {ss ss ss s{s{si si}}} {ss ss ss s{s{ss} s{ss}}}]",
			     "noun", "backend", "name", "db/db0", "change", "add", "keys", "name", "after",
			     "db0", "address", "after", "10.0.0.10", "noun", "backend", "name", "db/db2",
			     "change", "change", "keys", "weight", "before", 200, "after", 50, "noun",
			     "service", "name", "tcp 203.0.113.10:5432", "change", "remove", "keys", "listen",
			     "before", "tcp 203.0.113.10:5432", "pool", "before", "db");
	assert_non_null(expected);
	if (!json_equal(list, expected))
		fail_msg("%s", json_dumps(list, JSON_INDENT(1)));
	json_decref(list);
	json_decref(expected);
	model_free(before);
	model_free(after);
}

static void when_a_state_changed_is_no_difference(void **state)
{
	struct model *before = differing_model(), *after = model_copy(before);
	json_t *list, *expected;

	(void)state;
	operate(&after, "backend.drain", "{'pool': 'db', 'name': 'db2'}");
	assert_true(pool_backend(&after->pools[0], "db2")->since > 0);
	list = model_diff(before, after);
	expected = json_pack("[{ss ss ss s{s{ss ss}}}]", "noun", "backend", "name", "db/db2", "change",
			     "change", "keys", "admin", "before", "active", "after", "draining");
	assert_non_null(expected);
	if (!json_equal(list, expected))
		fail_msg("%s", json_dumps(list, JSON_INDENT(1)));
	json_decref(list);
	json_decref(expected);
	operate(&after, "backend.activate", "{'pool': 'db', 'name': 'db2'}");
	list = model_diff(before, after);
	assert_int_equal(json_array_size(list), 0);
	json_decref(list);
	model_free(before);
	model_free(after);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(differences_are_listed_by_object_and_key),
		cmocka_unit_test(when_a_state_changed_is_no_difference),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

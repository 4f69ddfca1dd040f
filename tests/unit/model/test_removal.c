/* SPDX-License-Identifier: Apache-2.0 */
#include "files.h"

#include "core/config/model_json.h"
#include "core/model/removal.h"

static void a_file_that_names_a_backend_again_ends_its_removal(void **state)
{
	struct model *model = small_model(3);

	(void)state;
	apply(&model, 2, 0);
	assert_called(model, "db3", true);
	apply(&model, 3, 0);
	assert_fresh(must_find(model, "db3"));
	assert_int_equal(pool_of(model)->backend_count, 3);
	model_free(model);
}

static void a_file_does_not_bring_back_what_a_command_removed(void **state)
{
	struct model *model = small_model(3), *read;
	struct refusal refusal = {0};
	json_t *json;

	(void)state;
	for (int gone = 0; gone < 2; gone++) {
		operate(&model, "backend.remove", "{'pool': 'db', 'name': 'db3'}");
		if (gone)
			operate(&model, "backend.remove", "{'pool': 'db', 'name': 'db3', 'now': true}");
		json = model_to_json(model);
		assert_int_equal(model_from_json(json, &read, &refusal), 0); /* a restart */
		json_decref(json);
		model_free(model);
		model = read;
		apply(&model, 3, 0);
		apply(&model, 3, 0);
		assert_int_equal(model->removal_count, 1);
		assert_int_equal(pool_backend(pool_of(model), "db3") == NULL, gone);
		if (!gone)
			assert_called(model, "db3", true);
		apply(&model, 2, 0); /* it agrees */
		assert_int_equal(model->removal_count, 0);
		apply(&model, 3, 0);
		assert_fresh(must_find(model, "db3"));
	}
	/* Another address is another server, which nobody removed. */
	operate(&model, "backend.remove", "{'pool': 'db', 'name': 'db1'}");
	apply(&model, 3, 7);
	assert_fresh(must_find(model, "db1"));
	assert_called(model, "db1@10.0.0.1", true);
	model_free(model);
}

static void remove_at(struct model **model, int number, int64_t now)
{
	char name[NAME_SIZE];
	struct model *after;
	json_t *arguments;

	snprintf(name, sizeof name, "x%d", number);
	arguments = json_pack("{ss ss sb}", "pool", "db", "name", name, "now", 1);
	assert_int_equal(operation_apply(*model, "backend.remove", arguments, now, &after, NULL), 0);
	json_decref(arguments);
	model_free(*model);
	*model = after;
}

/* A pool remembers the latest, however many come and go. */
static void removals_do_not_pile_up(void **state)
{
	struct model *model = small_model(1);

	(void)state;
	for (int i = 0; i < 300; i++) {
		operate(&model, "backend.add", "{'pool': 'db', 'name': 'x%d', 'address': '10.0.1.1'}", i);
		remove_at(&model, i, TEST_NOW + i);
	}
	assert_int_equal(model->removal_count, 256);
	assert_null(model_removal(model, "db", "x43"));
	assert_non_null(model_removal(model, "db", "x44"));
	assert_non_null(model_removal(model, "db", "x299"));
	operate(&model, "service.remove", "{'proto': 'tcp', 'listen': '203.0.113.10:5432'}");
	operate(&model, "pool.remove", "{'name': 'db'}");
	assert_int_equal(model->removal_count, 0);
	model_free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_that_names_a_backend_again_ends_its_removal),
		cmocka_unit_test(a_file_does_not_bring_back_what_a_command_removed),
		cmocka_unit_test(removals_do_not_pile_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

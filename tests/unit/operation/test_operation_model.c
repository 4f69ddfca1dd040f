/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/models.h"

#include "core/config/config.h"
#include "core/config/model_json.h"
#include "core/model/history.h"

#define HOUR ((int64_t)3600 * 1000)
#define YEAR (365 * 24 * HOUR)

/* A configuration is the whole of the desired state, but for what verbs have set. */
static void apply_keeps_admin_states_that_it_does_not_state(void **state)
{
	struct model *model = small_model(3);
	const char *configuration = "{'configuration': {'version': 1, 'seed': '6f1c9a3e5b7d2048', 'pools': "
				    "[{'name': 'db', 'table_size': 251, "
				    "'backends': [{'name': 'db1', 'address': '10.0.0.1'}, {'name': 'db2', "
				    "'address': '10.0.0.2', 'admin': "
				    "'active'}, {'name': 'db4', 'address': '10.0.0.4'}]}]}}";

	(void)state;
	operate(&model, "backend.drain", "{'pool': 'db', 'name': 'db1', 'deadline': '1m'}");
	operate(&model, "backend.disable", "{'pool': 'db', 'name': 'db2'}");
	operate(&model, "backend.health", "{'pool': 'db', 'name': 'db1', 'state': 'up'}");
	operate(&model, "model.apply", "%s", configuration);
	assert_int_equal(model->service_count, 0);
	assert_non_null(pool_backend(model_pool(model, "db"), "db4"));
	assert_int_equal(pool_backend(model_pool(model, "db"), "db1")->admin, ADMIN_DRAINING);
	assert_int_equal(pool_backend(model_pool(model, "db"), "db1")->deadline, TEST_NOW + 60000);
	assert_int_equal(pool_backend(model_pool(model, "db"), "db1")->health, HEALTH_FORCED_UP);
	assert_int_equal(pool_backend(model_pool(model, "db"), "db2")->admin, ADMIN_ACTIVE);
	model_free(model);
}

static void a_model_applied_to_itself_is_itself(void **state)
{
	struct model *model = small_model(3), *after;
	struct refusal refusal = {0};
	json_t *json, *arguments, *again;

	(void)state;
	operate(&model, "backend.drain", "{'pool': 'db', 'name': 'db1', 'deadline': '1m'}");
	json = model_to_json(model);
	arguments = json_pack("{sO}", "configuration", json);
	assert_int_equal(operation_apply(model, "model.apply", arguments, TEST_NOW + 5000, &after, &refusal),
			 0);
	again = model_to_json(after);
	assert_true(json_equal(json, again));
	json_decref(json);
	json_decref(arguments);
	json_decref(again);
	model_free(model);
	model_free(after);
}

/* Exports of other clocks ------------------------------------------------------------- */

/* What an instance whose clock shows `clock` exports, as another reads it. */
static json_t *exported(struct model *model, int64_t clock)
{
	struct refusal refusal = {0};
	json_t *configuration;
	char *text;

	model->clock = clock;
	assert_int_equal(config_export(model, true, &text), 0);
	model->clock = 0;
	assert_int_equal(config_parse(text, strlen(text), &configuration, &refusal), 0);
	free(text);
	return configuration;
}

static void change(struct model **model, int64_t now, const char *word, json_t *arguments)
{
	struct refusal refusal = {0};
	struct model *after;

	assert_int_equal(operation_apply(*model, word, arguments, now, &after, &refusal), 0);
	json_decref(arguments);
	model_free(*model);
	*model = after;
}

static void drain(struct model **model, int64_t now, const char *name)
{
	change(model, now, "backend.drain",
	       json_pack("{ss ss ss}", "pool", "db", "name", name, "deadline", "1h"));
}

static void weigh(struct model **model, int64_t now, int weight)
{
	change(model, now, "backend.set",
	       json_pack("{ss ss si}", "pool", "db", "name", "db1", "weight", weight));
}

static int64_t deadline(const struct model *model, const char *name)
{
	return pool_backend(model_pool(model, "db"), name)->deadline;
}

static void apply(struct model **model, int64_t now, json_t *configuration)
{
	change(model, now, "model.apply", json_pack("{so}", "configuration", configuration));
}

/* The other's clock is ten years behind, or ahead. */
static void a_deadline_takes_along_what_is_left_of_it(void **state)
{
	static const int64_t clocks[] = {46 * YEAR, 66 * YEAR};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct model *here = small_model(3), *there = small_model(3);

		drain(&here, 56 * YEAR, "db2");
		apply(&there, clocks[i], exported(here, 56 * YEAR + HOUR / 4));
		assert_int_equal(deadline(there, "db2"), clocks[i] + HOUR * 3 / 4);
		assert_int_equal(there->clock, 0);
		model_free(here);
		model_free(there);
	}
}

/* What an instance exported, applied on it again, changes nothing, however much later. */
static void its_own_export_changes_nothing(void **state)
{
	struct model *model = small_model(3);
	json_t *before, *after, *configuration;

	(void)state;
	drain(&model, 56 * YEAR, "db2");
	weigh(&model, 56 * YEAR + 1000, 200);
	configuration = exported(model, 56 * YEAR + 2000);
	before = model_to_json(model);
	apply(&model, 56 * YEAR + HOUR, configuration);
	after = model_to_json(model);
	assert_true(json_equal(before, after));
	json_decref(before);
	json_decref(after);
	model_free(model);
}

/* One set that both know tells how far their clocks are apart, however old the file is. */
static void histories_are_laid_side_by_side_at_a_set_that_both_know(void **state)
{
	struct model *here = small_model(3), *there = small_model(3);
	const int64_t ahead = 9 * YEAR;
	json_t *configuration;

	(void)state;
	weigh(&here, 56 * YEAR, 200);
	weigh(&there, 56 * YEAR + ahead, 200);
	weigh(&there, 56 * YEAR + ahead + 1000, 300);
	configuration = exported(there, 56 * YEAR + ahead + 2000);
	weigh(&here, 56 * YEAR + 5000, 250); /* what was before ended after the neighbour's last */
	weigh(&here, 56 * YEAR + 6000, 300);
	apply(&here, 56 * YEAR + HOUR, configuration);
	assert_int_equal(here->history_count, 3);
	assert_string_equal(here->history[0].members, "db1*250 db2 db3");
	assert_string_equal(here->history[1].members, "db1*200 db2 db3");
	assert_string_equal(here->history[2].members, "db1 db2 db3");
	model_free(here);
	model_free(there);
}

/* Histories ---------------------------------------------------------------------------- */

static uint64_t history_digest_of(const struct model *model)
{
	size_t count;
	const struct member_record *records = history_of(model, "db", &count);

	return history_digest(records, count);
}

static void a_balancer_that_missed_changes_loads_its_neighbours_state(void **state)
{
	struct model *here = small_model(3), *there = model_copy(here);
	json_t *configuration, *mine, *theirs;
	struct refusal refusal = {0};
	char *text;

	(void)state;
	weigh(&here, 1000, 50);
	weigh(&there, 1400, 50); /* the same change, a moment later */
	assert_true(history_digest_of(here) == history_digest_of(there));
	weigh(&there, 3000, 60);
	change(&there, 4000, "backend.add",
	       json_pack("{ssssss}", "pool", "db", "name", "db4", "address", "10.0.0.4"));
	assert_true(history_digest_of(here) != history_digest_of(there));
	assert_int_equal(config_export(there, true, &text), 0);
	assert_int_equal(config_parse(text, strlen(text), &configuration, &refusal), 0);
	change(&here, 5000, "model.apply", json_pack("{so}", "configuration", configuration));
	assert_true(history_digest_of(here) == history_digest_of(there));
	mine = model_to_json(here);
	theirs = model_to_json(there);
	assert_true(json_equal(mine, theirs));
	json_decref(mine);
	json_decref(theirs);
	free(text);
	model_free(here);
	model_free(there);
}

/* What it alone knows is not lost by that: its flows may be there. */
static void sets_that_the_neighbour_never_had_are_kept(void **state)
{
	struct model *here = small_model(3), *there = model_copy(here);
	json_t *configuration = model_to_json(there);
	const struct member_record *records;
	size_t count;

	(void)state;
	weigh(&here, 1000, 77);
	weigh(&there, 1000, 88);
	json_decref(configuration);
	configuration = model_to_json(there);
	change(&here, 2000, "model.apply", json_pack("{so}", "configuration", configuration));
	records = history_of(here, "db", &count);
	assert_int_equal(count, 2);
	assert_string_equal(records[0].members, "db1*77 db2 db3");
	assert_string_equal(records[1].members, "db1 db2 db3");
	model_free(here);
	model_free(there);
}

static void a_configuration_without_a_backend_drains_it_first(void **state)
{
	struct model *model = small_model(3);
	struct refusal refusal = {0};
	struct backend *backend;
	json_t *configuration;
	char *text;

	(void)state;
	assert_int_equal(config_export(model, false, &text), 0);
	assert_int_equal(config_parse(text, strlen(text), &configuration, &refusal), 0);
	json_array_remove(
		json_object_get(json_array_get(json_object_get(configuration, "pools"), 0), "backends"), 1);
	change(&model, 2000, "model.apply", json_pack("{sO}", "configuration", configuration));
	backend = pool_backend(&model->pools[0], "db2");
	assert_non_null(backend);
	assert_int_equal(backend->admin, ADMIN_DRAINING);
	assert_true(backend->removing);
	assert_int_equal(backend->since, 2000);
	free(text);
	assert_int_equal(config_export(model, false, &text), 0);
	assert_null(strstr(text, "db2"));
	/* Once more changes nothing. */
	change(&model, 3000, "model.apply", json_pack("{so}", "configuration", configuration));
	assert_int_equal(pool_backend(&model->pools[0], "db2")->since, 2000);
	free(text);
	model_free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(apply_keeps_admin_states_that_it_does_not_state),
		cmocka_unit_test(a_model_applied_to_itself_is_itself),
		cmocka_unit_test(a_deadline_takes_along_what_is_left_of_it),
		cmocka_unit_test(its_own_export_changes_nothing),
		cmocka_unit_test(histories_are_laid_side_by_side_at_a_set_that_both_know),
		cmocka_unit_test(a_balancer_that_missed_changes_loads_its_neighbours_state),
		cmocka_unit_test(sets_that_the_neighbour_never_had_are_kept),
		cmocka_unit_test(a_configuration_without_a_backend_drains_it_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

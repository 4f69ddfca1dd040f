/* SPDX-License-Identifier: Apache-2.0 */
#include "example.h"

#include "core/config/model_json.h"

static struct model *random_model(uint64_t *random)
{
	struct model *model = model_new(draw(random) | 1);
	static const char *const names[] = {"db",   "true",    "1e5",  "10", "0x1f",
					    "null", "a.b-c_d", "12.5", "No", "9"};

	for (int i = 0; i < 4; i++) {
		const char *pool = names[draw(random) % 10];

		if (model_pool(model, pool))
			continue;
		operate(&model, "pool.add", "{'name': '%s', 'table_size': %d, 'encap': '%s', 'grace': %d}",
			pool, draw(random) % 2 ? 251 : 65537, draw(random) % 2 ? "gre" : "ipip",
			(int)(draw(random) % 100));
		for (int j = 0; j < 5; j++)
			operate(&model, "backend.add",
				"{'pool': '%s', 'name': 'n%d%s', 'address': '%s%d', 'weight': %d, 'zone': "
				"'%s'}",
				pool, j, draw(random) % 2 ? "" : ".x",
				draw(random) % 2 ? "10.0.0." : "2001:db8::", j + 1,
				50 + (int)(draw(random) % 3) * 50,
				draw(random) % 2 ? "" : names[draw(random) % 10]);
		operate(&model, "service.add",
			"{'proto': 'udp', 'listen': '[2001:db8:1::%d]:%s', 'pool': '%s', 'idle': %d, "
			"'track': "
			"'%s'}",
			i + 1, draw(random) % 2 ? "any" : "80-90", pool, 90 + (int)(draw(random) % 2) * 90,
			draw(random) % 2 ? "auto" : "always");
	}
	if (draw(random) % 2)
		operate(&model, "interface.attach", "{'name': 'eth0', 'mode': 'generic'}");
	return model;
}

static void set_states(struct model **model, uint64_t *random)
{
	static const char *const verbs[] = {"backend.drain", "backend.disable", "backend.activate"};

	for (size_t i = 0; i < (*model)->pool_count; i++) {
		char pool[NAME_SIZE], backend[NAME_SIZE];

		strcpy(pool, (*model)->pools[i].name);
		strcpy(backend, (*model)->pools[i].backends[draw(random) % 5].name);
		operate(model, verbs[draw(random) % 3], "{'pool': '%s', 'name': '%s'}", pool, backend);
		operate(model, "backend.health", "{'pool': '%s', 'name': '%s', 'state': '%s'}", pool, backend,
			draw(random) % 2 ? "down" : "auto");
	}
}

static void apply_text(struct model **model, const char *text)
{
	struct refusal refusal = {0};
	struct model *after;
	json_t *json, *arguments;

	if (config_parse(text, strlen(text), &json, &refusal) != 0)
		fail_msg("%s (%s; %s)\n%s", refusal.what, refusal.where, refusal.right, text);
	arguments = json_pack("{so}", "configuration", json);
	assert_int_equal(operation_apply(*model, "model.apply", arguments, TEST_NOW + 777, &after, &refusal),
			 0);
	json_decref(arguments);
	model_free(*model);
	*model = after;
}

static void check_export(struct model *model, bool state, struct model *onto)
{
	json_t *before = model_to_json(model), *after;
	char *text, *again;

	assert_int_equal(config_export(model, state, &text), 0);
	apply_text(&onto, text);
	after = model_to_json(onto);
	if (!json_equal(before, after))
		fail_msg("%s", text);
	assert_int_equal(config_export(onto, state, &again), 0);
	assert_string_equal(text, again);
	free(text);
	free(again);
	json_decref(before);
	json_decref(after);
	model_free(onto);
}

/* What is exported and applied to where it came from changes nothing; with its state it can start another. */
static void export_then_apply_changes_nothing(void **state)
{
	uint64_t random = 11;

	(void)state;
	for (int round = 0; round < 200; round++) {
		struct model *model = random_model(&random);

		set_states(&model, &random);
		check_export(model, false, model_copy(model));
		check_export(model, true, model_copy(model));
		check_export(model, true, model_new(1));
		model_free(model);
	}
}

static void an_export_reads_as_a_person_would_write_it(void **state)
{
	struct model *model = must_parse(example);
	char *text;

	(void)state;
	operate(&model, "backend.drain", "{'pool': 'db', 'name': 'db1'}");
	assert_int_equal(config_export(model, false, &text), 0);
	assert_string_equal(text, "version: 1\n"
				  "seed: \"6f1c9a3e5b7d2048\"\n"
				  "interfaces:\n"
				  "  - {name: eth0}\n"
				  "pools:\n"
				  "  - name: db\n"
				  "    backends:\n"
				  "      - {name: db1, address: 10.0.0.11}\n"
				  "      - {name: db2, address: 10.0.0.12, weight: 200}\n"
				  "services:\n"
				  "  - {listen: \"tcp 203.0.113.10:5432\", pool: db}\n");
	free(text);
	model_free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(export_then_apply_changes_nothing),
		cmocka_unit_test(an_export_reads_as_a_person_would_write_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

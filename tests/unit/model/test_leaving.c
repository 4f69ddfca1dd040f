// SPDX-License-Identifier: Apache-2.0
/* Backends that leave: other addresses under their names, ways back, and balancers where they left earlier.
 */
#include <errno.h>

#include "core/config/model_json.h"
#include "core/model/history.h"
#include "core/model/leaving.h"
#include "files.h"

static void another_address_takes_the_name_and_the_old_one_leaves(void **state)
{
	struct model *model = small_model(3);
	char *before = members_text(pool_of(model)), *after;
	json_t *replaced;

	(void)state;
	operate(&model, "backend.set", "{'pool': 'db', 'name': 'db1', 'address': '10.0.1.1', 'weight': 100}");
	assert_called(model, "db1", false);
	assert_called(model, "db1@10.0.0.1", true);
	assert_int_equal(pool_members(pool_of(model)), 3);
	assert_int_equal(pool_of(model)->backend_count, 4);
	assert_int_equal(must_find(model, "db1@10.0.0.1")->admin, ADMIN_DRAINING);
	assert_ptr_equal(must_find(model, "db1@10.0.1.1"), must_find(model, "db1"));
	after = members_text(pool_of(model));
	assert_string_equal(after, before);
	apply(&model, 3, 2); /* a file changes it again */
	assert_called(model, "db1", false);
	assert_called(model, "db1@10.0.0.1", true);
	assert_called(model, "db1@10.0.1.1", true);
	operate(&model, "backend.drain", "{'pool': 'db', 'name': 'db1@10.0.0.1', 'deadline': 60}");
	assert_int_equal(must_find(model, "db1@10.0.0.1")->deadline, TEST_NOW + 60000);
	assert_called(model, "db1@10.0.0.1", true);
	operate(&model, "backend.remove", "{'pool': 'db', 'name': 'db1@10.0.0.1', 'now': true}");
	assert_null(pool_backend(pool_of(model), "db1@10.0.0.1"));
	replaced = replaced_to_json(model, model);
	assert_int_equal(json_array_size(replaced), 0);
	json_decref(replaced);
	free(before);
	free(after);
	model_free(model);
}

static void the_new_address_has_nothing_of_the_old_ones_state(void **state)
{
	static const char *const states[][2] = {
		{"backend.drain", "{'pool': 'db', 'name': 'db1', 'deadline': 60}"},
		{"backend.health", "{'pool': 'db', 'name': 'db1', 'state': 'down'}"},
		{"backend.disable", "{'pool': 'db', 'name': 'db1'}"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
		for (int by_file = 0; by_file < 2; by_file++) {
			struct model *model = small_model(3);

			operate(&model, states[i][0], "%s", states[i][1]);
			if (by_file)
				apply(&model, 3, 1);
			else
				operate(&model, "backend.set",
					"{'pool': 'db', 'name': 'db1', 'address': '10.0.1.1'}");
			assert_fresh(must_find(model, "db1"));
			/* A disabled one has no flows that could end. */
			assert_int_equal(pool_backend(pool_of(model), "db1@10.0.0.1") == NULL, i == 2);
			if (i == 0)
				assert_int_equal(must_find(model, "db1@10.0.0.1")->deadline,
						 TEST_NOW + 60000);
			model_free(model);
		}
	}
}

static void an_address_that_is_set_back_comes_back(void **state)
{
	struct model *model = small_model(3);

	(void)state;
	operate(&model, "backend.set", "{'pool': 'db', 'name': 'db1', 'address': '10.0.1.1'}");
	operate(&model, "backend.set", "{'pool': 'db', 'name': 'db1', 'address': '10.0.0.1'}");
	assert_fresh(must_find(model, "db1@10.0.0.1"));
	assert_called(model, "db1", false);
	assert_called(model, "db1@10.0.1.1", true);
	apply(&model, 3, 1);
	assert_called(model, "db1@10.0.0.1", true);
	assert_fresh(must_find(model, "db1@10.0.1.1"));
	model_free(model);
}

static void adding_brings_back_what_is_leaving(void **state)
{
	struct model *model = small_model(3), *whole = small_model(3);
	char *members = members_text(pool_of(whole)), *text;

	(void)state;
	operate(&model, "backend.remove", "{'pool': 'db', 'name': 'db1'}");
	operate(&model, "backend.add", "{'pool': 'db', 'name': 'db1', 'address': '10.0.0.1'}");
	assert_fresh(must_find(model, "db1"));
	text = members_text(pool_of(model));
	assert_string_equal(text, members);
	operate(&model, "backend.remove", "{'pool': 'db', 'name': 'db1'}");
	operate(&model, "backend.add", "{'pool': 'db', 'name': 'db1', 'address': '10.0.1.1', 'weight': 7}");
	assert_int_equal(must_find(model, "db1")->weight, 7);
	assert_called(model, "db1@10.0.0.1", true);
	/* The name is the older one's again when the new one is gone. */
	operate(&model, "backend.remove", "{'pool': 'db', 'name': 'db1', 'now': true}");
	assert_called(model, "db1", true);
	assert_ptr_equal(must_find(model, "db1"), must_find(model, "db1@10.0.0.1"));
	free(text);
	free(members);
	model_free(whole);
	model_free(model);
}

static void what_may_have_left_elsewhere_is_refused_as_if_it_had(void **state)
{
	static const char right[] =
		"`holdfast backend add db/db1 10.0.0.1` brings it back, `holdfast backend "
		"remove db/db1 --now` ends its drain";
	static const char *const refusals[][2] = {
		{"backend.activate", "{'pool': 'db', 'name': 'db1'}"},
		{"backend.disable", "{'pool': 'db', 'name': 'db1'}"},
		{"backend.set", "{'pool': 'db', 'name': 'db1', 'weight': 7}"},
		{"backend.set", "{'pool': 'db', 'name': 'db1', 'address': '10.0.1.1'}"},
	};
	struct model *model = small_model(3);

	(void)state;
	operate(&model, "backend.remove", "{'pool': 'db', 'name': 'db1'}");
	for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
		refused(&model, -ENOENT, refusals[i][0], refusals[i][1], "backend db1 is leaving", "pool db",
			right);
	operate(&model, "backend.remove", "{'pool': 'db', 'name': 'db1'}");
	operate(&model, "backend.remove", "{'pool': 'db', 'name': 'db1', 'now': true}");
	/* It has left: what asks for that is done. */
	operate(&model, "backend.remove", "{'pool': 'db', 'name': 'db1', 'now': true}");
	operate(&model, "backend.remove", "{'pool': 'db', 'name': 'db1'}");
	operate(&model, "backend.drain", "{'pool': 'db', 'name': 'db1', 'deadline': 5}");
	for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
		struct refusal refusal;

		assert_int_equal(try_operation(&model, &refusal, refusals[i][0], refusals[i][1]), -ENOENT);
	}
	model_free(model);
}

static void one_family_stays_with_gue(void **state)
{
	struct model *model = small_model(1);

	(void)state;
	operate(&model, "pool.set", "{'name': 'db', 'encap': 'gue'}");
	refused(&model, -EINVAL, "backend.set", "{'pool': 'db', 'name': 'db1', 'address': '2001:db8::1'}",
		"the new address is of IPv6, and the old one of IPv4 could not stay beside it until it is "
		"drained: with encap gue a pool's backends are of one family",
		"pool db, backend db1", "an IPv4 address, or another pool for the new address");
	/* Whether one is still leaving decides nothing. */
	operate(&model, "backend.remove", "{'pool': 'db', 'name': 'db1'}");
	operate(&model, "backend.add", "{'pool': 'db', 'name': 'db6', 'address': '2001:db8::6'}");
	assert_int_equal(pool_of(model)->backend_count, 1);
	model_free(model);
}

/* Earlier versions left a leaving backend the slots that it was assigned, until it was gone. */
static void slots_of_leaving_backends_are_taken_over_from_an_old_database(void **state)
{
	struct model *model = small_model(3), *read;
	struct refusal refusal = {0};
	json_t *json, *pool;

	(void)state;
	operate(&model, "pool.set",
		"{'name': 'db', 'scheme': 'slots', 'ranges': 'db1=0-99,db2=100-199,db3=200-250'}");
	operate(&model, "backend.drain", "{'pool': 'db', 'name': 'db2'}");
	json = model_to_json(model);
	pool = json_array_get(json_object_get(json, "pools"), 0);
	json_object_set_new(json_array_get(json_object_get(pool, "backends"), 1), "removing", json_true());
	assert_int_equal(model_from_json(json, &read, &refusal), 0);
	assert_null(strstr(pool_of(read)->options.ranges, "db2"));
	/* So it is when a command removes it. */
	operate(&model, "backend.remove", "{'pool': 'db', 'name': 'db2'}");
	assert_string_equal(pool_of(model)->options.ranges, pool_of(read)->options.ranges);
	json_decref(json);
	model_free(read);
	model_free(model);
}

/* Balancers ---------------------------------------------------------------------- */

/* The first of those that leave is drained, and whoever sees that removes it. */
static bool end_a_drain(struct model **model)
{
	struct pool *pool = pool_of(*model);
	char label[BACKEND_TEXT];

	for (size_t i = 0; i < pool->backend_count; i++) {
		if (!pool->backends[i].removing)
			continue;
		backend_label(&pool->backends[i], label);
		operate(model, "backend.remove", "{'pool': 'db', 'name': '%s', 'now': true}", label);
		return true;
	}
	return false;
}

/* What balancers agree on: whatever stays. */
static json_t *agreed(const struct model *model)
{
	json_t *json = model_to_json(model), *pool = json_array_get(json_object_get(json, "pools"), 0),
	       *backend;
	json_t *backends = json_object_get(pool, "backends");
	size_t i = 0;

	while ((backend = json_array_get(backends, i)))
		if (json_is_true(json_object_get(backend, "removing")))
			json_array_remove(backends, i);
		else
			i++;
	return json;
}

static uint64_t table_digest(struct model *model)
{
	struct ledger *ledger = ledger_new();
	struct image *image = must_image(model, ledger, NULL, "");
	uint64_t digest = image_pool(image, "db")->digest;

	image_free(image);
	ledger_free(ledger);
	return digest;
}

static void random_arguments(uint64_t *random, const char **ret_word, char *text)
{
	static const char *const words[] = {"backend.add",   "backend.add",      "backend.set",
					    "backend.set",   "backend.remove",   "backend.remove",
					    "backend.drain", "backend.activate", "backend.disable"};
	const char *word = words[draw(random) % (sizeof words / sizeof *words)];
	int name = (int)(draw(random) % 4) + 1, high = (int)(draw(random) % 3);
	bool labelled = draw(random) % 6 == 0;

	text += sprintf(text, "{'pool': 'db', 'name': 'db%d", name);
	if (labelled && strcmp(word, "backend.add") != 0)
		text += sprintf(text, "@10.0.%d.%d", high, name);
	text += sprintf(text, "'");
	if (strcmp(word, "backend.add") == 0 || (strcmp(word, "backend.set") == 0 && !labelled))
		text += sprintf(text, ", 'address': '10.0.%d.%d'", high, name);
	if (strcmp(word, "backend.set") == 0)
		text += sprintf(text, ", 'weight': %d", (int)(draw(random) % 3) * 100);
	if (strcmp(word, "backend.remove") == 0 && draw(random) % 4 == 0)
		text += sprintf(text, ", 'now': true");
	strcpy(text, "}");
	*ret_word = word;
}

/* The same operations in the same order, and drains that end at other times: tables and answers are equal. */
static void balancers_agree_whenever_their_drains_end(void **state)
{
	static const char *const schemes[] = {"maglev", "slots", "stable"};
	uint64_t random = 0x5eed;

	(void)state;
	for (int round = 0; round < 300; round++) {
		struct model *early = small_model(2), *late;

		if (round % 3)
			operate(&early, "pool.set", "{'name': 'db', 'scheme': '%s', 'table_size': %d}",
				schemes[round % 3], 251);
		late = model_copy(early);
		for (int step = 0; step < 30; step++) {
			const char *word;
			char text[256];
			struct refusal first = {0}, second = {0};
			json_t *a, *b;
			int error;

			if (draw(&random) % 6 == 0) {
				int high = (int)(draw(&random) % 3), backends = (int)(draw(&random) % 4) + 1;

				if (round % 3 == 1)
					continue; /* owners of assigned slots are not dropped by a file */
				apply(&early, backends, high);
				apply(&late, backends, high);
			} else {
				random_arguments(&random, &word, text);
				error = try_operation(&early, &first, word, text);
				if (try_operation(&late, &second, word, text) != error)
					fail_msg("%s %s: \"%s\" here, \"%s\" there", word, text, first.what,
						 second.what);
			}
			while (end_a_drain(&early))
				;
			if (draw(&random) % 8 == 0)
				end_a_drain(&late);
			a = agreed(early);
			b = agreed(late);
			if (!json_equal(a, b))
				fail_msg("%s\n%s", json_dumps(a, 0), json_dumps(b, 0));
			assert_int_equal(table_digest(early), table_digest(late));
			json_decref(a);
			json_decref(b);
		}
		model_free(early);
		model_free(late);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(another_address_takes_the_name_and_the_old_one_leaves),
		cmocka_unit_test(the_new_address_has_nothing_of_the_old_ones_state),
		cmocka_unit_test(an_address_that_is_set_back_comes_back),
		cmocka_unit_test(adding_brings_back_what_is_leaving),
		cmocka_unit_test(what_may_have_left_elsewhere_is_refused_as_if_it_had),
		cmocka_unit_test(one_family_stays_with_gue),
		cmocka_unit_test(slots_of_leaving_backends_are_taken_over_from_an_old_database),
		cmocka_unit_test(balancers_agree_whenever_their_drains_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/models.h"

#include <errno.h>

#include "core/config/model_json.h"
#include "core/model/history.h"

static void members_are_written_as_they_are_read(void **state)
{
	struct model *model = small_model(3);
	struct member *members;
	char *text;
	size_t count;

	(void)state;
	operate(&model, "backend.set", "{'pool': 'db', 'name': 'db2', 'weight': 200, 'zone': 'east'}");
	operate(&model, "backend.set", "{'pool': 'db', 'name': 'db3', 'weight': 0}");
	text = members_text(&model->pools[0]);
	assert_string_equal(text, "db1 db2*200@east db3*0");
	assert_int_equal(members_parse(text, &members, &count), 0);
	assert_int_equal(count, 3);
	assert_string_equal(members[1].zone, "east");
	assert_int_equal(members[1].weight, 200);
	assert_int_equal(members[2].weight, 0);
	free(members);
	free(text);
	assert_int_equal(members_parse("b a", &members, &count), -EINVAL);
	assert_int_equal(members_parse("a*x", &members, &count), -EINVAL);
	assert_int_equal(members_parse("a  b", &members, &count), -EINVAL);
	assert_int_equal(members_parse("a a", &members, &count), -EINVAL);
	assert_int_equal(members_parse("a!*2 b", &members, &count), -EINVAL);
	assert_int_equal(members_parse("!", &members, &count), -EINVAL);
	model_free(model);
}

static void random_change(struct model **model, uint64_t *random, int round)
{
	static const char *const verbs[] = {"backend.drain", "backend.activate", "backend.set"};
	int verb = (int)(draw(random) % 3);
	struct refusal refusal = {0};
	struct model *after;
	char name[16];
	json_t *arguments;

	snprintf(name, sizeof name, "db%d", (int)(draw(random) % 8) + 1);
	arguments = json_pack("{ss ss}", "pool", "db", "name", name);
	if (verb == 2)
		json_object_set_new(arguments, "weight", json_integer(80 + (int)(draw(random) % 40)));
	assert_int_equal(
		operation_apply(*model, verbs[verb], arguments, TEST_NOW + round + 1, &after, &refusal), 0);
	json_decref(arguments);
	model_free(*model);
	*model = after;
}

/* Random sets, and back from their differences. */
static void differences_resolve_to_what_they_came_from(void **state)
{
	struct model *model = small_model(8), *back;
	struct refusal refusal = {0};
	uint64_t random = 9;
	json_t *json, *again;
	char *text;

	(void)state;
	for (int round = 0; round < 100; round++)
		random_change(&model, &random, round);
	assert_true(model->history_count > 50);
	text = history_members(model, 1);
	assert_int_equal(text[0], '=');
	free(text);
	json = model_to_json(model);
	assert_int_equal(model_from_json(json, &back, &refusal), 0);
	assert_int_equal(back->history_count, model->history_count);
	for (size_t i = 0; i < back->history_count; i++)
		assert_string_equal(back->history[i].members, model->history[i].members);
	again = json_array_get(json_object_get(json, "history"), 0);
	json_object_set_new(again, "members", json_string("= -db1"));
	model_free(back);
	assert_int_equal(model_from_json(json, &back, &refusal), -EINVAL);
	assert_string_equal(refusal.where, "history[0].members");
	json_object_set_new(again, "members", json_string("db2 db1"));
	assert_int_equal(model_from_json(json, &back, &refusal), -EINVAL);
	json_decref(json);
	assert_int_equal(members_resolve("a c*2@z e", "= -d", &text), -EINVAL);
	assert_int_equal(members_resolve("a c*2@z e", "= b -c e*7", &text), 0);
	assert_string_equal(text, "a b e*7");
	free(text);
	model_free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_are_written_as_they_are_read),
		cmocka_unit_test(differences_resolve_to_what_they_came_from),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

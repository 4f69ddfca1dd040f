/* SPDX-License-Identifier: Apache-2.0 */
#include "changes.h"

#include <errno.h>

#include "core/review/warning.h"

/* The texts of a list, a line each. */
static const char *lines(json_t *warnings)
{
	static char text[2048];
	size_t length = 0, i;
	json_t *line;

	text[0] = '\0';
	json_array_foreach (warnings, i, line)
		length += (size_t)snprintf(text + length, sizeof text - length, "%s\n",
					   json_string_value(line));
	return text;
}

static void check_plan(struct model *before, const char *word, const char *arguments, const char *expected)
{
	struct changed changed = change_of(before, word, arguments);
	json_t *warnings = json_array();

	warning_append_plan(changed.after, changed.image_before, changed.plan, warnings);
	assert_string_equal(lines(warnings), expected);
	json_decref(warnings);
	change_release(&changed);
}

static void a_migration_says_how_much_of_the_pool_moves(void **state)
{
	struct model *model = small_model(2);

	(void)state;
	operate(&model, "pool.set", "{'name': 'db', 'scheme': 'modulo'}");
	check_plan(model, "pool.set", "{'name': 'db', 'table_size': 252}",
		   "pool db: a new table size is a migration: most keys get another owner (100.0 % of its "
		   "slots); "
		   "connections that are open stay where they are\n");
	check_plan(small_model(2), "backend.add", "{'pool': 'db', 'name': 'db3', 'address': '10.0.0.3'}", "");
	check_plan(small_model(0), "pool.set", "{'name': 'db', 'scheme': 'jump'}", "");
	check_plan(small_model(1), "pool.add", "{'name': 'web', 'scheme': 'jump'}", "");
}

static void nobody_promises_what_is_not_tracked(void **state)
{
	struct model *model = small_model(1);

	(void)state;
	operate(&model, "service.set", "{'proto': 'tcp', 'listen': '203.0.113.10:5432', 'track': 'never'}");
	operate(&model, "pool.set", "{'name': 'db', 'scheme': 'modulo'}");
	check_plan(model, "backend.add", "{'pool': 'db', 'name': 'db2', 'address': '10.0.0.2'}",
		   "pool db: modulo numbers its members: a change of their count moves nearly every key "
		   "(49.8 % of its slots)\n"
		   "service tcp 203.0.113.10:5432: track is never: open connections on the 125 slots that "
		   "move break; to keep them, first: holdfast service set tcp 203.0.113.10:5432 --track "
		   "auto\n");
}

static void an_uneven_table_names_who_is_farthest_off(void **state)
{
	struct model *model = small_model(2);

	(void)state;
	operate(&model, "pool.set", "{'name': 'db', 'scheme': 'ring', 'virtual_nodes': 1}");
	check_plan(model, "backend.drain", "{'pool': 'db', 'name': 'db1'}",
		   "pool db: by its weight db1 is due 126 of 251 slots, and scheme ring gives it 20 (-84 "
		   "%): a larger table, weights with a common divisor, or scheme maglev\n");
}

/* A note comes with the change that brings it, a mistake that stands is told of in status. */
static void notes_and_what_stands_are_apart(void **state)
{
	struct model *before = small_model(1), *after = model_copy(before);
	json_t *notes = json_array(), *standing = json_array();

	(void)state;
	operate(&after, "service.set", "{'proto': 'tcp', 'listen': '203.0.113.10:5432', 'idle': '30s'}");
	operate(&after, "backend.add", "{'pool': 'db', 'name': 'db2', 'address': '10.0.0.1'}");
	assert_int_equal(warning_append_notes(before, after, notes), 0);
	assert_string_equal(lines(notes), "service tcp 203.0.113.10:5432: a connection that is silent for "
					  "more than 30s counts as "
					  "ended, and breaks when its slot has moved\n");
	assert_int_equal(warning_append_standing(after, standing), 0);
	assert_int_equal(json_array_size(standing), 1);
	assert_non_null(strstr(lines(standing), "pool db, backend db2: backend db1 has the address 10.0.0.1 "
						"already"));
	json_array_clear(notes);
	assert_int_equal(warning_append_notes(after, after, notes), 0);
	assert_int_equal(json_array_size(notes), 0);
	json_decref(notes);
	json_decref(standing);
	model_free(before);
	model_free(after);
}

static void a_refusal_says_where_if_it_knows(void **state)
{
	struct refusal refusal = {0};
	json_t *warnings = json_array();

	(void)state;
	refuse(&refusal, -EPERM, "the table would move");
	warning_append_refusal(&refusal, warnings);
	refusal_where(&refusal, "pool db");
	warning_append_refusal(&refusal, warnings);
	assert_string_equal(lines(warnings), "the table would move\npool db: the table would move\n");
	json_decref(warnings);
}

static void a_removed_backend_stays_out(void **state)
{
	struct model *model = small_model(2);
	json_t *warnings = json_array();

	(void)state;
	warning_append_removals(model, warnings);
	assert_string_equal(lines(warnings), "");
	operate(&model, "backend.remove", "{'pool': 'db', 'name': 'db2', 'now': true}");
	warning_append_removals(model, warnings);
	assert_string_equal(lines(warnings),
			    "backend db/db2 stays out: it is named, but a command removed it; `holdfast "
			    "backend "
			    "add db/db2 10.0.0.2` brings it back\n");
	json_decref(warnings);
	model_free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_migration_says_how_much_of_the_pool_moves),
		cmocka_unit_test(nobody_promises_what_is_not_tracked),
		cmocka_unit_test(an_uneven_table_names_who_is_farthest_off),
		cmocka_unit_test(notes_and_what_stands_are_apart),
		cmocka_unit_test(a_refusal_says_where_if_it_knows),
		cmocka_unit_test(a_removed_backend_stays_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

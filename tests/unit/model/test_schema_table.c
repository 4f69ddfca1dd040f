/* SPDX-License-Identifier: Apache-2.0 */
/* The table of keys: its defaults, its sentences, and docs/api.md, which shows it. */
#include "unit/models.h"

#include <errno.h>
#include <stdio.h>

#include "core/model/schema_table.h"

static const struct schema *const schemas[] = {&schema_root,    &schema_interface, &schema_pool,
					       &schema_backend, &schema_service,   &schema_removal,
					       &schema_history};
enum { SCHEMAS = sizeof schemas / sizeof schemas[0] };

/* Those whose keys are arguments of operations, which docs/api.md lists. */
static const struct schema *const listed[] = {&schema_interface, &schema_pool, &schema_backend,
					      &schema_service};
enum { LISTED = sizeof listed / sizeof listed[0] };

static void every_default_is_a_value_its_key_takes(void **state)
{
	(void)state;
	for (int i = 0; i < SCHEMAS; i++) {
		for (const struct schema_key *key = schemas[i]->keys; key->name; key++) {
			uint64_t room[64] = {0};
			json_t *value = key->standard ? json_string(key->standard) : NULL;

			assert_true(key->offset + key->size <= sizeof room);
			if (value && schema_read(key, room, value, NULL) != 0)
				fail_msg("%s.%s: %s", schemas[i]->noun, key->name, key->standard);
			json_decref(value);
		}
	}
}

static void every_key_explains_itself(void **state)
{
	char text[256];

	(void)state;
	for (int i = 0; i < SCHEMAS; i++) {
		for (const struct schema_key *key = schemas[i]->keys; key->name; key++) {
			size_t length = strlen(key->help);

			if (key->help[length - 1] != '.' ||
			    strlen(schema_describe(key, text, sizeof text)) == 0)
				fail_msg("%s.%s", schemas[i]->noun, key->name);
		}
	}
}

static void every_option_belongs_to_a_scheme_that_exists(void **state)
{
	enum placement_scheme scheme;

	(void)state;
	for (int i = 0; i < SCHEMAS; i++)
		for (const struct schema_key *key = schemas[i]->keys; key->name; key++)
			if (key->scheme && placement_scheme_parse(key->scheme, &scheme) < 0)
				fail_msg("%s.%s: %s", schemas[i]->noun, key->name, key->scheme);
}

/* What can be typed has a word for its value, but choices and flags. */
static void every_option_shows_its_value(void **state)
{
	(void)state;
	for (int i = 0; i < LISTED; i++)
		for (const struct schema_key *key = listed[i]->keys; key->name; key++)
			if (!(key->flags & SCHEMA_STATE) && strcmp(key->name, listed[i]->identity) != 0 &&
			    key->type != SCHEMA_LIST && key->type != SCHEMA_CHOICE &&
			    key->type != SCHEMA_BOOL && !key->value)
				fail_msg("%s.%s", listed[i]->noun, key->name);
}

static void a_member_set_has_the_keys_of_its_pool(void **state)
{
	(void)state;
	for (const struct schema_key *key = schema_pool.keys; key->name; key++) {
		const struct schema_key *other = schema_find(&schema_history, key->name);

		if (!key->scheme)
			continue;
		assert_non_null(other);
		assert_true(other->type == key->type && other->size == key->size && other->low == key->low &&
			    other->high == key->high && other->words == key->words);
		assert_string_equal(other->standard, key->standard);
	}
}

/* The document --------------------------------------------------------------------- */

static char *document(void)
{
	FILE *file = fopen("docs/api.md", "r");
	char *text = NULL;
	size_t size = 0;

	if (!file)
		fail_msg("docs/api.md: run me from the top of the tree");
	if (getdelim(&text, &size, '\0', file) < 0)
		fail();
	fclose(file);
	return text;
}

/* The key's row in the table of docs/api.md. */
static void row_of(const struct schema *schema, const struct schema_key *key, char row[512])
{
	const char *tick = key->standard ? "`" : "",
		   *otherwise = key->flags & SCHEMA_REQUIRED ? "required" : "";
	char takes[256], standard[64];

	snprintf(standard, sizeof standard, "%s%s%s", tick, key->standard ? key->standard : otherwise, tick);
	snprintf(row, 512, "\n| %s | `%s` | %s | %s%s|\n", schema->noun, key->name,
		 schema_describe(key, takes, sizeof takes), standard, *standard ? " " : "");
}

/* How many of the keys the text has no row for; *ret_rows how many it has. */
static int count_missing(const char *text, const struct schema *schema, const struct schema_key *keys,
			 int *ret_rows)
{
	int missing = 0;
	char row[512];

	for (const struct schema_key *key = keys; key->name; key++) {
		if (key->type == SCHEMA_LIST || (key->flags & SCHEMA_STATE))
			continue;
		row_of(schema, key, row);
		++*(strstr(text, row) ? ret_rows : &missing);
	}
	return missing;
}

/* Rows of the table of keys, whatever they say. */
static int count_rows(const char *text)
{
	int rows = 0;

	for (int i = 0; i < LISTED; i++) {
		char begin[64];

		snprintf(begin, sizeof begin, "\n| %s | `", listed[i]->noun);
		for (const char *at = text; (at = strstr(at, begin)); at++)
			rows++;
	}
	return rows;
}

static void the_document_has_every_key_and_no_other(void **state)
{
	char *text = document();
	int rows = 0;

	(void)state;
	for (int i = 0; i < LISTED; i++)
		assert_int_equal(count_missing(text, listed[i], listed[i]->keys, &rows), 0);
	assert_int_equal(count_rows(text), rows);
	free(text);
}

static void a_key_that_the_document_lacks_is_missed(void **state)
{
	static const struct schema_key planted[] = {
		{"planted", SCHEMA_BOOL, 0, .size = sizeof(bool), .standard = "false",
		 .help = "Is not there."},
		{0},
	};
	char *text = document();
	int rows = 0;

	(void)state;
	assert_int_equal(count_missing(text, &schema_pool, planted, &rows), 1);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_default_is_a_value_its_key_takes),
		cmocka_unit_test(every_key_explains_itself),
		cmocka_unit_test(every_option_belongs_to_a_scheme_that_exists),
		cmocka_unit_test(every_option_shows_its_value),
		cmocka_unit_test(a_member_set_has_the_keys_of_its_pool),
		cmocka_unit_test(the_document_has_every_key_and_no_other),
		cmocka_unit_test(a_key_that_the_document_lacks_is_missed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

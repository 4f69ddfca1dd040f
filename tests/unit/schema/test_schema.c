/* SPDX-License-Identifier: Apache-2.0 */
/* The schema as an engine: a struct of this test, and rows for it. */
#include "unit/models.h"

#include <errno.h>
#include <stddef.h>

#include "core/schema/diagnosis.h"
#include "core/schema/schema.h"

struct lamp {
	char name[16];
	uint16_t watts;
	uint8_t colour;
	bool dim;
	uint32_t minutes;
	uint32_t share;
	char *owners;
};

static const char *const colour_words[] = {"white", "red", "green", NULL};

#define AT(member) .offset = offsetof(struct lamp, member), .size = sizeof(((struct lamp *)0)->member)

static const struct schema_key keys[] = {
	{"name", SCHEMA_NAME, SCHEMA_REQUIRED, AT(name), .help = "Its name."},
	{"watts", SCHEMA_NUMBER, 0, AT(watts), .low = 1, .high = 100, .standard = "40", .help = "Power."},
	{"colour", SCHEMA_CHOICE, SCHEMA_QUIET, AT(colour), .words = colour_words, .standard = "white",
	 .help = "Colour."},
	{"dim", SCHEMA_BOOL, SCHEMA_QUIET, AT(dim), .standard = "false", .help = "Half of it."},
	{"minutes", SCHEMA_DURATION, SCHEMA_QUIET, AT(minutes), .low = 60, .high = 7200, .standard = "1h",
	 .help = "How long."},
	{"share", SCHEMA_PERCENT, SCHEMA_QUIET, AT(share), .high = 1000, .standard = "0",
	 .help = "How much."},
	{"owners", SCHEMA_RANGES, SCHEMA_QUIET, AT(owners), .standard = "even", .help = "Whose."},
	{0},
};
static const struct schema schema = {"lamp", "name", keys, sizeof(struct lamp), NULL};

static int read_lamp(const char *text, struct lamp *ret, const char **ret_key, struct refusal *refusal)
{
	json_t *json = json_loads(text, 0, NULL);
	int error;

	assert_non_null(json);
	error = schema_read_object(&schema, ret, json, ret_key, refusal);
	*ret_key = *ret_key ? schema_find(&schema, *ret_key)->name : NULL; /* json's, where it is a key */
	json_decref(json);
	return error;
}

static void an_object_is_read_with_its_defaults(void **state)
{
	const char *key;
	struct lamp lamp;

	(void)state;
	assert_int_equal(read_lamp("{\"name\": \"a\"}", &lamp, &key, NULL), 0);
	assert_string_equal(lamp.name, "a");
	assert_true(lamp.watts == 40 && lamp.colour == 0 && !lamp.dim && lamp.minutes == 3600 &&
		    !lamp.owners);
	assert_int_equal(
		read_lamp("{\"name\": \"a\", \"watts\": \"7\", \"colour\": \"green\", \"dim\": true, "
			  "\"minutes\": \"1m30s\", \"share\": 0.5, \"owners\": \"b=1,a=0\"}",
			  &lamp, &key, NULL),
		0);
	assert_true(lamp.watts == 7 && lamp.colour == 2 && lamp.dim && lamp.minutes == 90 && lamp.share == 5);
	assert_string_equal(lamp.owners, "a=0,b=1");
	schema_release(schema_find(&schema, "owners"), &lamp.owners);
	assert_null(lamp.owners);
}

static void what_is_written_is_read_again(void **state)
{
	struct lamp lamp = {"a", 40, 1, false, 3600, 15, NULL};
	json_t *json = schema_write_object(&schema, &lamp, 0);
	char *text = json_dumps(json, JSON_SORT_KEYS);

	(void)state;
	assert_string_equal(text, "{\"colour\": \"red\", \"name\": \"a\", \"share\": 1.5, \"watts\": 40}");
	free(text);
	json_decref(json);
}

static void a_refusal_names_the_key_and_what_is_right(void **state)
{
	static const struct {
		const char *text, *key, *what, *right;
	} cases[] = {
		{"{}", NULL, "name is missing",
		 "name: 15 characters at most: letters, digits, '-', '_' and '.', the first a letter or "
		 "digit"},
		{"{\"name\": \"a\", \"watts\": 0}", "watts", "watts 0 is out of range",
		 "a number from 1 to 100"},
		{"{\"name\": \"a\", \"watts\": \"x\"}", "watts",
		 "watts cannot be \"x\", which is not a whole number", "a number from 1 to 100"},
		{"{\"name\": \"a\", \"colour\": \"gren\"}", "colour", "colour cannot be \"gren\"",
		 "white, red or green (did you mean green?)"},
		{"{\"name\": \"a\", \"minutes\": \"5\"}", "minutes",
		 "minutes cannot be \"5\", which has no unit", "a time from 1m to 2h, such as 30s or 1h30m"},
		{"{\"name\": \"a\", \"owners\": \"a=0,b=0\"}", "owners",
		 "owners cannot be \"a=0,b=0\", which gives a slot to two owners",
		 "every slot's owner, such as db1=0-8191,db2=8192-16383, or even"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct refusal refusal = {0};
		struct lamp lamp;
		const char *key;

		assert_int_equal(read_lamp(cases[i].text, &lamp, &key, &refusal), -EINVAL);
		assert_true(cases[i].key ? key && !strcmp(key, cases[i].key) : !key);
		assert_string_equal(refusal.what, cases[i].what);
		assert_string_equal(refusal.right, cases[i].right);
	}
}

static void an_unknown_key_is_refused_with_its_near_miss(void **state)
{
	struct refusal refusal = {0};

	(void)state;
	assert_int_equal(schema_unknown(&schema, "wats", &refusal), -EINVAL);
	assert_string_equal(refusal.what, "unknown key wats");
	assert_string_equal(refusal.right, "did you mean watts?");
}

static void a_text_is_checked_without_an_object(void **state)
{
	const struct schema_key *watts = schema_find(&schema, "watts"),
				*owners = schema_find(&schema, "owners");
	struct diagnosis fault;

	(void)state;
	assert_int_equal(schema_check(watts, "100", &fault), 0);
	assert_int_equal(schema_check(watts, "101", &fault), -EINVAL);
	assert_string_equal(fault.why, "is above 100");
	assert_int_equal(schema_check(owners, "a=0-5", &fault), 0);
	assert_int_equal(schema_check(owners, "a", &fault), -EINVAL);
}

static void owned_texts_are_compared_and_copied_by_what_they_say(void **state)
{
	const struct schema_key *owners = schema_find(&schema, "owners"),
				*watts = schema_find(&schema, "watts");
	char text[] = "a=0", same[] = "a=0", other[] = "a=1";
	char *a = text, *b = same, *c = other, *none = NULL, *copy = text;
	uint16_t power = 40;

	(void)state;
	assert_true(schema_equal(owners, &a, &b) && schema_digest(owners, &a) == schema_digest(owners, &b));
	assert_false(schema_equal(owners, &a, &c) || schema_equal(owners, &a, &none));
	assert_true(schema_digest(owners, &a) != schema_digest(owners, &c));
	assert_true(schema_digest(watts, &power) == 40);
	assert_int_equal(schema_own(owners, &copy), 0);
	assert_true(copy != text);
	assert_string_equal(copy, text);
	schema_release(owners, &copy);
	assert_null(copy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_object_is_read_with_its_defaults),
		cmocka_unit_test(what_is_written_is_read_again),
		cmocka_unit_test(a_refusal_names_the_key_and_what_is_right),
		cmocka_unit_test(an_unknown_key_is_refused_with_its_near_miss),
		cmocka_unit_test(a_text_is_checked_without_an_object),
		cmocka_unit_test(owned_texts_are_compared_and_copied_by_what_they_say),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

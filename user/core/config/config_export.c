/* SPDX-License-Identifier: Apache-2.0 */
/* Models as YAML that people keep in git: one line an object without a list of its own. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "core/model/history.h"
#include "core/model/schema_table.h"

struct text {
	FILE *file;
	bool failed;
};

/* What every reader of YAML takes for text without quotes. */
static bool needs_no_quotes(const char *value)
{
	static const char *const words[] = {"true", "false", "yes", "no", "on", "off", "null", "y", "n"};
	bool letters = false;

	if (!isalpha((unsigned char)*value) && !isdigit((unsigned char)*value))
		return false;
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (strcasecmp(words[i], value) == 0)
			return false;
	for (const char *at = value; *at; at++) {
		if (!isalnum((unsigned char)*at) && !strchr("._-/", *at))
			return false;
		letters = letters || *at == '/' ||
			  (isalpha((unsigned char)*at) && tolower((unsigned char)*at) != 'e');
	}
	/* Digits with dots are an address where there are three of them, and a number else; 1e5 is a number
	 * too. */
	if (letters)
		return isalpha((unsigned char)*value) || !strpbrk(value, "xXoO");
	return strchr(value, '.') && strchr(strchr(value, '.') + 1, '.');
}

static void say_value(struct text *text, const json_t *value)
{
	if (json_is_integer(value))
		fprintf(text->file, "%lld", (long long)json_integer_value(value));
	else if (json_is_real(value))
		fprintf(text->file, "%.1f", json_real_value(value));
	else if (json_is_boolean(value))
		fprintf(text->file, "%s", json_is_true(value) ? "true" : "false");
	else if (needs_no_quotes(json_string_value(value)))
		fprintf(text->file, "%s", json_string_value(value));
	else /* values have neither quotes nor backslashes: the schema sees to that */
		fprintf(text->file, "\"%s\"", json_string_value(value));
}

/* One key that is not left out: which separator stands before it is the caller's business. */
static bool is_said(const struct schema_key *key, const void *object, unsigned int without)
{
	if (key->type == SCHEMA_LIST || (key->flags & without))
		return false;
	return (key->flags & (SCHEMA_REQUIRED | SCHEMA_FILE)) || !schema_is_default(key, object);
}

static void say_key(struct text *text, const struct schema_key *key, const void *object)
{
	json_t *value = key->flags & SCHEMA_FILE ? json_integer(key->high) : schema_write(key, object);

	if (!value) {
		text->failed = true;
		return;
	}
	fprintf(text->file, "%s: ", key->name);
	if (key->type == SCHEMA_SEED) /* of one look, whatever its digits */
		fprintf(text->file, "\"%s\"", json_string_value(value));
	else
		say_value(text, value);
	json_decref(value);
}

/* {name: db1, address: 10.0.0.11} */
static void say_line(struct text *text, const struct schema *schema, const void *object, unsigned int without)
{
	const char *separator = "{";

	for (const struct schema_key *key = schema->keys; key->name; key++) {
		if (!is_said(key, object, without))
			continue;
		fprintf(text->file, "%s", separator);
		say_key(text, key, object);
		separator = ", ";
	}
	fprintf(text->file, "}\n");
}

/* A key a line, the first of them where the text stands. */
static void say_block(struct text *text, const struct schema *schema, const void *object,
		      unsigned int without, int indent)
{
	bool first = true;

	for (const struct schema_key *key = schema->keys; key->name; key++) {
		if (!is_said(key, object, without))
			continue;
		fprintf(text->file, "%*s", first ? 0 : indent, "");
		say_key(text, key, object);
		fprintf(text->file, "\n");
		first = false;
	}
}

static void say_record(struct text *text, const struct model *model, size_t at)
{
	struct member_record record = model->history[at];

	record.members = history_members(model, at);
	if (record.members)
		say_line(text, &schema_history, &record, 0);
	else
		text->failed = true;
	free(record.members);
}

static void say_object(struct text *text, const struct schema *schema, const void *object,
		       unsigned int without, int indent);

/* Backends that are only here until they are drained are state. */
static void say_items(struct text *text, const struct schema_key *key, const void *object,
		      unsigned int without, int indent)
{
	struct schema_list list = schema_list_of(key, object);
	const struct backend *backends = key->items == &schema_backend ? list.items : NULL;
	bool first = true;

	for (size_t i = 0; i < list.count; i++) {
		const void *item = (const char *)list.items + i * key->items->size;

		if (backends && backends[i].removing && (without & SCHEMA_STATE))
			continue;
		if (first)
			fprintf(text->file, "%*s%s:\n", indent, "", key->name);
		first = false;
		fprintf(text->file, "%*s  - ", indent, "");
		if (key->items == &schema_history)
			say_record(text, object, i);
		else if (key->items != &schema_pool)
			say_line(text, key->items, item, without);
		else
			say_object(text, key->items, item, without, indent + 4);
	}
}

static void say_object(struct text *text, const struct schema *schema, const void *object,
		       unsigned int without, int indent)
{
	say_block(text, schema, object, without, indent);
	for (const struct schema_key *key = schema->keys; key->name; key++)
		if (key->type == SCHEMA_LIST && !(key->flags & without))
			say_items(text, key, object, without, indent);
}

int config_export(const struct model *model, bool state, char **ret_text)
{
	struct text text = {0};
	char *bytes = NULL;
	size_t size;

	text.file = open_memstream(&bytes, &size);
	if (!text.file)
		return -ENOMEM;
	say_object(&text, &schema_root, model, state ? 0 : SCHEMA_STATE, 0);
	if (fclose(text.file) != 0 || text.failed) {
		free(bytes);
		return -ENOMEM;
	}
	*ret_text = bytes;
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Models as YAML that people keep in git: one line an object without a list of its own. */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "core/model/history.h"
#include "core/model/schema_table.h"

struct text {
	char *bytes;
	size_t length, room;
	bool failed;
};

__attribute__((format(printf, 2, 3))) static void say(struct text *text, const char *format, ...)
{
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (text->length + (size_t)length + 1 > text->room) {
		size_t room = 2 * (text->room + (size_t)length + 1);
		char *grown = realloc(text->bytes, room);

		if (!grown) {
			text->failed = true;
			return;
		}
		text->bytes = grown;
		text->room = room;
	}
	va_start(args, format);
	vsnprintf(text->bytes + text->length, text->room - text->length, format, args);
	va_end(args);
	text->length += (size_t)length;
}

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
		say(text, "%lld", (long long)json_integer_value(value));
	else if (json_is_real(value))
		say(text, "%.1f", json_real_value(value));
	else if (json_is_boolean(value))
		say(text, "%s", json_is_true(value) ? "true" : "false");
	else if (needs_no_quotes(json_string_value(value)))
		say(text, "%s", json_string_value(value));
	else /* values have neither quotes nor backslashes: the schema sees to that */
		say(text, "\"%s\"", json_string_value(value));
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
	say(text, "%s: ", key->name);
	if (key->type == SCHEMA_SEED) /* of one look, whatever its digits */
		say(text, "\"%s\"", json_string_value(value));
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
		say(text, "%s", separator);
		say_key(text, key, object);
		separator = ", ";
	}
	say(text, "}\n");
}

/* A key a line, the first of them where the text stands. */
static void say_block(struct text *text, const struct schema *schema, const void *object,
		      unsigned int without, int indent)
{
	bool first = true;

	for (const struct schema_key *key = schema->keys; key->name; key++) {
		if (!is_said(key, object, without))
			continue;
		say(text, "%*s", first ? 0 : indent, "");
		say_key(text, key, object);
		say(text, "\n");
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
			say(text, "%*s%s:\n", indent, "", key->name);
		first = false;
		say(text, "%*s  - ", indent, "");
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

	say_object(&text, &schema_root, model, state ? 0 : SCHEMA_STATE, 0);
	if (text.failed) {
		free(text.bytes);
		return -ENOMEM;
	}
	*ret_text = text.bytes;
	return 0;
}

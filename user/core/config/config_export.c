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
static bool is_plain(const char *value)
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
	else if (is_plain(json_string_value(value)))
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

static void say_block(struct text *text, const struct schema *schema, const void *object,
		      unsigned int without, const char *first, const char *indent)
{
	for (const struct schema_key *key = schema->keys; key->name; key++) {
		if (!is_said(key, object, without))
			continue;
		say(text, "%s", first);
		say_key(text, key, object);
		say(text, "\n");
		first = indent;
	}
}

static void say_list(struct text *text, const char *name, const struct schema *schema, const void *items,
		     size_t count, unsigned int without)
{
	if (count)
		say(text, "%s:\n", name);
	for (size_t i = 0; i < count; i++) {
		say(text, "  - ");
		say_line(text, schema, (const char *)items + i * schema->size, without);
	}
}

static void say_pool(struct text *text, const struct pool *pool, unsigned int without)
{
	bool first = true;

	say_block(text, &schema_pool, pool, without, "  - ", "    ");
	for (size_t i = 0; i < pool->backend_count; i++) {
		const struct backend *backend = &pool->backends[i];

		if (backend->removing && (without & SCHEMA_STATE))
			continue;
		if (first)
			say(text, "    backends:\n");
		first = false;
		say(text, "      - ");
		say_line(text, &schema_backend, backend, without);
	}
}

static void say_history(struct text *text, const struct model *model)
{
	if (model->history_count)
		say(text, "history:\n");
	for (size_t i = 0; i < model->history_count; i++) {
		struct member_record record = model->history[i];

		record.members = history_members(model, i);
		if (!record.members) {
			text->failed = true;
			return;
		}
		say(text, "  - ");
		say_line(text, &schema_history, &record, 0);
		free(record.members);
	}
}

int config_export(const struct model *model, bool state, char **ret_text)
{
	unsigned int without = state ? 0 : SCHEMA_STATE;
	struct text text = {0};

	say_block(&text, &schema_root, model, without, "", "");
	say_list(&text, "interfaces", &schema_interface, model->interfaces, model->interface_count, without);
	if (model->pool_count)
		say(&text, "pools:\n");
	for (size_t i = 0; i < model->pool_count; i++)
		say_pool(&text, &model->pools[i], without);
	say_list(&text, "services", &schema_service, model->services, model->service_count, without);
	if (state)
		say_list(&text, "removals", &schema_removal, model->removals, model->removal_count, 0);
	if (state)
		say_history(&text, model);
	if (text.failed) {
		free(text.bytes);
		return -ENOMEM;
	}
	*ret_text = text.bytes;
	return 0;
}

// SPDX-License-Identifier: Apache-2.0
#include "field.h"

#include <stdio.h>
#include <string.h>

const char *field_text(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

double field_number(const json_t *object, const char *key)
{
	return json_number_value(json_object_get(object, key));
}

bool field_is_null(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	return !value || json_is_null(value);
}

const char *field_quantity(const json_t *object, const char *key, char text[QUANTITY_TEXT])
{
	return field_is_null(object, key) ? "-" : quantity_text(field_number(object, key), text);
}

const char *field_elapsed(const json_t *object, const char *key, char text[QUANTITY_TEXT])
{
	return elapsed_text(field_number(object, key), text);
}

const char *field_moment(const json_t *object, const char *key, char text[MOMENT_TEXT])
{
	return moment_text(field_number(object, key), text);
}

const char *field_up(const json_t *object, const char *key, char text[QUANTITY_TEXT])
{
	snprintf(text, QUANTITY_TEXT, "%.0f/%.0f", field_number(object, key),
		 field_number(object, "backends"));
	return text;
}

const char *field_count(const json_t *object, const char *key, char text[QUANTITY_TEXT])
{
	return field_is_null(object, key) ? "-" : count_text(field_number(object, key), text);
}

const char *field_new_flows(const json_t *object, const char *key, char text[QUANTITY_TEXT])
{
	char number[QUANTITY_TEXT];
	bool rate = !strcmp(key, "new_per_second");
	const char *shown = rate ? field_quantity(object, key, number) : field_count(object, key, number);
	bool partial = !field_is_null(object, key) && json_is_true(json_object_get(object, "flows_unseen"));

	snprintf(text, QUANTITY_TEXT, "%.30s%s", shown, partial ? "+" : "");
	return text;
}

const char *names_text(const json_t *names, char text[NAMES_TEXT])
{
	size_t i, length = 0;
	json_t *name;

	*text = '\0';
	json_array_foreach (names, i, name) {
		const char *more = json_is_string(name) ? json_string_value(name) : "-";

		if (length < NAMES_TEXT)
			length += (size_t)snprintf(text + length, NAMES_TEXT - length, "%s%s", i ? ", " : "",
						   more);
	}
	return text;
}

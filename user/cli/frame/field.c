// SPDX-License-Identifier: Apache-2.0
#include "field.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *quantity_text(double number, char text[QUANTITY_TEXT])
{
	static const char units[] = {'\0', 'k', 'M', 'G', 'T', 'P', 'E'};
	size_t unit = 0;
	double shown = number;

	/* What would round to 1000 is 1 of the next unit. */
	while (shown >= 999.5 && unit + 1 < sizeof units) {
		shown /= 1000;
		unit++;
	}
	/* A digit behind the point where there is one before it; never one that says nothing. */
	if (shown < 9.95)
		shown = round(shown * 10) / 10;
	snprintf(text, QUANTITY_TEXT, "%.*f%.1s",
		 shown < 9.95 && shown != floor(shown) && (unit || shown < 1), shown, &units[unit]);
	return text;
}

const char *elapsed_text(double seconds, char text[QUANTITY_TEXT])
{
	static const struct {
		double seconds;
		char letter;
	} units[] = {{86400, 'd'}, {3600, 'h'}, {60, 'm'}, {1, 's'}};
	size_t unit = 0;
	double whole, rest;

	seconds = seconds > 0 ? floor(seconds) : 0;
	while (unit < 3 && seconds < units[unit].seconds)
		unit++;
	whole = floor(seconds / units[unit].seconds);
	rest = unit < 3 ? floor((seconds - whole * units[unit].seconds) / units[unit + 1].seconds) : 0;
	/* Minutes need no seconds. */
	if (rest > 0 && unit < 2)
		snprintf(text, QUANTITY_TEXT, "%.0f%c%.0f%c", whole, units[unit].letter, rest,
			 units[unit + 1].letter);
	else
		snprintf(text, QUANTITY_TEXT, "%.0f%c", whole, units[unit].letter);
	return text;
}

const char *percent_text(double share, char text[QUANTITY_TEXT])
{
	double percent = share * 100;

	if (percent == 0 || percent >= 100)
		snprintf(text, QUANTITY_TEXT, "%.0f", percent);
	else if (percent > 99)
		snprintf(text, QUANTITY_TEXT, "%.4g", percent < 99.99 ? percent : 99.99);
	else
		snprintf(text, QUANTITY_TEXT, "%.2g", percent);
	return text;
}

const char *count_text(double number, char text[QUANTITY_TEXT])
{
	snprintf(text, QUANTITY_TEXT, "%.0f", number);
	return text;
}

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

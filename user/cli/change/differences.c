// SPDX-License-Identifier: Apache-2.0
#include "differences.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/frame/field.h"
#include "cli/frame/moment.h"

static void print_key_value(const char *key, const json_t *value)
{
	char moment[MOMENT_TEXT], *text;

	if (!strcmp(key, "deadline")) {
		double at = json_number_value(value) / 1000;

		printf("%s", at > 0 ? moment_text(at, moment) : "none");
		return;
	}
	text = json_is_string(value) ? NULL : json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);

	printf("%s", text ? text : json_is_string(value) ? json_string_value(value) : "?");
	free(text);
}

static void print_difference(const json_t *difference)
{
	const char *change = field_text(difference, "change"), *between = "  ", *key;
	json_t *keys = json_object_get(difference, "keys"), *values;

	printf("%c %s %s",
	       *change == 'a'   ? '+'
	       : *change == 'r' ? '-'
				: '~',
	       field_text(difference, "noun"), field_text(difference, "name"));
	json_object_foreach (keys, key, values) {
		const json_t *before = json_object_get(values, "before"),
			     *after = json_object_get(values, "after");

		/* What names it has been said. */
		if (!strcmp(key, "name") || !strcmp(key, "listen"))
			continue;
		printf("%s%s ", between, key);
		if (before)
			print_key_value(key, before);
		if (before && after)
			printf(" -> ");
		if (after)
			print_key_value(key, after);
		between = ", ";
	}
	putchar('\n');
}

bool differences_print(const json_t *differences)
{
	json_t *difference;
	size_t i;

	json_array_foreach (differences, i, difference)
		print_difference(difference);
	return json_array_size(differences) > 0;
}

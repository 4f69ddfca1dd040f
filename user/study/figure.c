// SPDX-License-Identifier: Apache-2.0
#include "figure.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_text(const char *text)
{
	bool plain = !strpbrk(text, ",\"\n");

	if (!plain)
		putchar('"');
	for (; *text; text++) {
		if (*text == '"')
			putchar('"');
		putchar(*text);
	}
	if (!plain)
		putchar('"');
}

static void print_value(const json_t *value)
{
	if (json_is_string(value))
		print_text(json_string_value(value));
	else if (json_is_integer(value))
		printf("%lld", (long long)json_integer_value(value));
	else if (json_is_real(value))
		printf("%.9g", json_real_value(value));
	else if (json_is_boolean(value))
		printf("%s", json_is_true(value) ? "true" : "false");
}

void figures_print_csv(const json_t *rows)
{
	json_t *first = json_array_get(rows, 0), *row, *value;
	const char *key, *comma = "";
	size_t i;

	json_object_foreach (first, key, value) {
		printf("%s%s", comma, key);
		comma = ",";
	}
	putchar('\n');
	json_array_foreach (rows, i, row) {
		comma = "";
		json_object_foreach (first, key, value) {
			printf("%s", comma);
			print_value(json_object_get(row, key));
			comma = ",";
		}
		putchar('\n');
	}
}

void figures_print_json(json_t *value)
{
	char *text = json_dumps(value, JSON_INDENT(2) | JSON_REAL_PRECISION(9));

	if (text)
		puts(text);
	free(text);
	json_decref(value);
}

// SPDX-License-Identifier: Apache-2.0
#include "show.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "complain.h"
#include "field.h"
#include "table.h"

enum { NAME_WIDTH = 14 };

void show_line(const char *name, const char *value)
{
	int width = NAME_WIDTH;

	if (!*value)
		return;
	/* A further value of the line before has no name of its own. */
	width -= printf("%s%s", name, *name ? ":" : "");
	printf("%*s", width > 1 ? width : 1, "");
	for (; *value; value++)
		putchar(iscntrl((unsigned char)*value) ? '?' : *value);
	putchar('\n');
}

void show_format(const char *name, const char *format, ...)
{
	char value[512];
	va_list args;

	va_start(args, format);
	vsnprintf(value, sizeof value, format, args);
	va_end(args);
	show_line(name, value);
}

const char *text_cell(const json_t *object, const char *key, char text[CELL_TEXT])
{
	(void)text;
	return field_text(object, key);
}

const char *known_cell(const json_t *object, const char *key, char text[CELL_TEXT])
{
	return field_is_null(object, key) ? "-" : text_cell(object, key, text);
}

void show_table(const json_t *objects, const struct column *columns)
{
	char headers[CELL_TEXT] = "", text[CELL_TEXT];
	struct table *table;
	json_t *object;
	size_t i;

	for (const struct column *column = columns; column->header; column++) {
		strcat(headers, column == columns ? "" : " ");
		strcat(headers, column->header);
	}
	table = table_new(headers);
	json_array_foreach (objects, i, object) {
		for (const struct column *column = columns; column->header; column++)
			table_cell(table, "%s", column->cell(object, column->key, text));
	}
	table_print(table);
}

enum exit_status show_view(const struct call *call, json_t *view, void (*print)(const json_t *view))
{
	if (!view)
		return complain_memory();
	if (call->json) {
		json_dumpf(view, stdout, JSON_COMPACT | JSON_REAL_PRECISION(15));
		putchar('\n');
	} else {
		print(view);
	}
	json_decref(view);
	return STATUS_DONE;
}

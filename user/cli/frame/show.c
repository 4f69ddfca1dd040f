// SPDX-License-Identifier: Apache-2.0
#include "show.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "field.h"

enum { NAME_WIDTH = 14, MAX_COLUMNS = 16 };

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

struct table {
	size_t columns;
	bool right[MAX_COLUMNS], leave_empty_out[MAX_COLUMNS];
	size_t width[MAX_COLUMNS];
	char **cells; /* the headers, then row by row */
	size_t count;
};

static void table_add(struct table *table, const char *text)
{
	size_t column = table->count % table->columns;
	char *cell = strdup(text);

	/* Text from elsewhere must not move the cursor. */
	for (char *at = cell; at && *at; at++)
		*at = iscntrl((unsigned char)*at) ? '?' : *at;
	if (cell && strlen(cell) > table->width[column])
		table->width[column] = strlen(cell);
	if (cell && *cell && table->count >= table->columns)
		table->leave_empty_out[column] = false;
	table->cells[table->count++] = cell;
}

static void table_print_row(const struct table *table, char *const *cells)
{
	size_t pending = 0; /* spaces that only a further cell needs: no line ends in spaces */

	for (size_t column = 0; column < table->columns; column++) {
		const char *cell = cells[column] ? cells[column] : "";
		size_t fill = table->width[column] - strlen(cell);

		if (table->leave_empty_out[column])
			continue;
		if (table->right[column])
			pending += fill;
		if (*cell) {
			printf("%*s%s", (int)pending, "", cell);
			pending = 0;
		}
		pending += 2 + (table->right[column] ? 0 : fill);
	}
	putchar('\n');
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
	struct table table = {.columns = 0};
	char text[CELL_TEXT];
	json_t *object;
	size_t i;

	while (columns[table.columns].header)
		table.columns++;
	table.cells = calloc((1 + json_array_size(objects)) * table.columns, sizeof *table.cells);
	if (!table.cells)
		return;
	for (size_t column = 0; column < table.columns; column++) {
		const char *header = columns[column].header;

		for (; *header == '>' || *header == '?'; header++)
			(*header == '>' ? table.right : table.leave_empty_out)[column] = true;
		table_add(&table, header);
	}
	json_array_foreach (objects, i, object) {
		for (size_t column = 0; column < table.columns; column++)
			table_add(&table, columns[column].cell(object, columns[column].key, text));
	}
	for (size_t at = 0; at < table.count; at += table.columns)
		table_print_row(&table, table.cells + at);
	for (size_t at = 0; at < table.count; at++)
		free(table.cells[at]);
	free(table.cells);
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

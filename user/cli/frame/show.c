// SPDX-License-Identifier: Apache-2.0
#include "show.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/value/list.h"
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
	size_t count, room;
};

static void table_add(struct table *table, char *cell)
{
	size_t column = table->count % table->columns;
	char **cells = list_grow(table->cells, table->count, &table->room, sizeof *cells);

	if (!cells) {
		free(cell);
		return;
	}
	table->cells = cells;
	table->cells[table->count++] = cell;
	if (cell && strlen(cell) > table->width[column])
		table->width[column] = strlen(cell);
	if (cell && *cell && table->count > table->columns)
		table->leave_empty_out[column] = false;
}

struct table *table_new(const char *headers)
{
	struct table *table = calloc(1, sizeof *table);
	const char *word = headers;

	if (!table)
		return NULL;
	/* The number of columns first: it says where a cell belongs. */
	for (const char *at = headers; at; at = strchr(at + 1, ' '))
		table->columns++;
	for (size_t column = 0; column < table->columns; column++) {
		size_t length;

		for (; *word == '>' || *word == '?'; word++)
			(*word == '>' ? table->right : table->leave_empty_out)[column] = true;
		length = strcspn(word, " ");
		table_add(table, strndup(word, length));
		word += length + (word[length] == ' ');
	}
	return table;
}

void table_cell(struct table *table, const char *text)
{
	char *cell;

	if (!table)
		return;
	cell = strdup(text);
	/* Text from elsewhere must not move the cursor. */
	for (char *at = cell; at && *at; at++) {
		if (iscntrl((unsigned char)*at))
			*at = '?';
	}
	table_add(table, cell);
}

static void table_print_row(const struct table *table, char *const *cells, size_t filled)
{
	size_t pending = 0; /* spaces that only a further cell needs: no line ends in spaces */

	for (size_t column = 0; column < filled; column++) {
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

void table_print(struct table *table)
{
	if (!table)
		return;
	for (size_t at = 0; at < table->count; at += table->columns) {
		size_t left = table->count - at;

		table_print_row(table, table->cells + at, left < table->columns ? left : table->columns);
	}
	for (size_t i = 0; i < table->count; i++)
		free(table->cells[i]);
	free(table->cells);
	free(table);
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
			table_cell(table, column->cell(object, column->key, text));
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

/* SPDX-License-Identifier: Apache-2.0 */
/* How the API's objects are shown: one in full, many as a table, or a view as the JSON it is. */
#ifndef HOLDFAST_CLI_SHOW_H
#define HOLDFAST_CLI_SHOW_H

#include <jansson.h>

#include "call.h"

/* One thing in full: "name:   value" lines, aligned; empty values are left out. */
void show_line(const char *name, const char *value);
__attribute__((format(printf, 2, 3))) void show_format(const char *name, const char *format, ...);

/* Tables: headers in capitals, aligned columns, two spaces between. */
struct table;

/*
 * Headers with one space between; a '>' before one sets its column to the right, a '?' leaves the column out
 * where all its cells are empty. NULL: no memory.
 */
struct table *table_new(const char *headers);
/* Fills the next cell with a copy of text, row by row. What does not fit in memory shows as an empty cell. */
void table_cell(struct table *table, const char *text);
/* Prints headers and rows and frees the table; NULL is fine. */
void table_print(struct table *table);

enum { CELL_TEXT = 1024 };

struct column {
	const char *header; /* as table_new() takes it, with its marks */
	const char *key;
	/* What the cell says of object's member key, in text or elsewhere. */
	const char *(*cell)(const json_t *object, const char *key, char text[CELL_TEXT]);
};

/* The member, a text, as it is. */
const char *text_cell(const json_t *object, const char *key, char text[CELL_TEXT]);
/* The same; "-" where it is not known. */
const char *known_cell(const json_t *object, const char *key, char text[CELL_TEXT]);
/* A line an object; columns end with header NULL. */
void show_table(const json_t *objects, const struct column *columns);

/*
 * Prints a view, whose reference it drops: with --json as JSON, else by print. NULL: there was no memory for
 * it, which it says.
 */
enum exit_status show_view(const struct call *call, json_t *view, void (*print)(const json_t *view));

#endif

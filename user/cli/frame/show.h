/* SPDX-License-Identifier: Apache-2.0 */
/* How the API's objects are shown: one in full, many as a table, or a view as the JSON it is. */
#pragma once

#include <jansson.h>

#include "call.h"

/* One thing in full: "name:   value" lines, aligned; empty values are left out. */
void show_line(const char *name, const char *value);
__attribute__((format(printf, 2, 3))) void show_format(const char *name, const char *format, ...);

/* Tables: headers in capitals, aligned columns, two spaces between. */
enum { CELL_TEXT = 1024 };

struct column {
	/* A '>' before it sets the column to the right, a '?' leaves it out where all its cells are empty. */
	const char *header;
	const char *key;
	/* What the cell says of object's member key, in text or elsewhere. */
	const char *(*cell)(const json_t *object, const char *key, char text[CELL_TEXT]);
};

/* The member, a text, as it is. */
const char *text_cell(const json_t *object, const char *key, char text[CELL_TEXT]);
/* The same; "-" where it is not known. */
const char *known_cell(const json_t *object, const char *key, char text[CELL_TEXT]);
/* A line an object; columns end with header NULL. What does not fit in memory is left out. */
void show_table(const json_t *objects, const struct column *columns);

/*
 * Prints a view, whose reference it drops: with --json as JSON, else by print. NULL: there was no memory for
 * it, which it says.
 */
enum exit_status show_view(const struct call *call, json_t *view, void (*print)(const json_t *view));

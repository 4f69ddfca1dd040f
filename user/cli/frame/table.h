/* SPDX-License-Identifier: Apache-2.0 */
/* Tables as every list prints them: headers in capitals, aligned columns, two spaces between. */
#ifndef HOLDFAST_CLI_TABLE_H
#define HOLDFAST_CLI_TABLE_H

#include <stddef.h>

struct table;

/*
 * Headers with one space between; a '>' before one sets its column to the right, a '?' leaves the column out
 * where all its cells are empty. NULL: no memory.
 */
struct table *table_new(const char *headers);
/* Fills the next cell, row by row, printf-fashion. What does not fit in memory shows as an empty cell. */
__attribute__((format(printf, 2, 3))) void table_cell(struct table *table, const char *format, ...);
/* Prints headers and rows and frees the table; NULL is fine. */
void table_print(struct table *table);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of figures as JSON objects, printed as CSV too: one order of keys, that of the first row. */
#pragma once

#include <jansson.h>

/* Prints an array of objects with equal keys. */
void figures_print_csv(const json_t *rows);
/* Prints any value, indented, for --json; drops the reference. */
void figures_print_json(json_t *value);

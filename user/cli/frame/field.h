/* SPDX-License-Identifier: Apache-2.0 */
/* Members of the API's objects as text and numbers. What is missing or null is empty, or 0. */
#ifndef HOLDFAST_CLI_FIELD_H
#define HOLDFAST_CLI_FIELD_H

#include <jansson.h>
#include <stdbool.h>

#include "moment.h"
#include "quantity.h"

const char *field_text(const json_t *object, const char *key);
double field_number(const json_t *object, const char *key);
bool field_is_null(const json_t *object, const char *key);
/* A rate or size as quantity_text(), "-" where it is not known. */
const char *field_quantity(const json_t *object, const char *key, char text[QUANTITY_TEXT]);
/* New flows, a rate or a count: "-" where no flow is seen to begin, "12+" where only some are. */
const char *field_new_flows(const json_t *object, const char *key, char text[QUANTITY_TEXT]);
const char *field_count(const json_t *object, const char *key, char text[QUANTITY_TEXT]);

/* Seconds as elapsed_text(), Unix seconds as moment_text(). */
const char *field_elapsed(const json_t *object, const char *key, char text[QUANTITY_TEXT]);
const char *field_moment(const json_t *object, const char *key, char text[MOMENT_TEXT]);
/* "3/4": of the object's backends, those that are up. */
const char *field_up(const json_t *object, const char *key, char text[QUANTITY_TEXT]);

/* "db1, db3, db2": a list of names. Returns text. */
enum { NAMES_TEXT = 512 };
const char *names_text(const json_t *names, char text[NAMES_TEXT]);

#endif

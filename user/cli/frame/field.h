/* SPDX-License-Identifier: Apache-2.0 */
/* Quantities, and members of the API's objects, as a person reads them. What takes a text writes into it and
 * returns it. */
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "moment.h"

enum { QUANTITY_TEXT = 32 };

/* 812, 4.2k, 84k, 410M: three digits at most, thousands by 1000. */
const char *quantity_text(double number, char text[QUANTITY_TEXT]);
/* 12s, 4m, 1h56m, 3d4h: the two greatest units. */
const char *elapsed_text(double seconds, char text[QUANTITY_TEXT]);
/* 25, 2.5, 0.012: a share of 1 as per cent, without the sign; never 0 nor 100 unless it is. */
const char *percent_text(double share, char text[QUANTITY_TEXT]);
/* A whole number, in full. */
const char *count_text(double number, char text[QUANTITY_TEXT]);

/* A member of an object. What is missing or null is empty, or 0. */
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

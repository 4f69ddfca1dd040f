/* SPDX-License-Identifier: Apache-2.0 */
/* Quantities as a person reads them. Each writes into text and returns it. */
#ifndef HOLDFAST_CLI_QUANTITY_H
#define HOLDFAST_CLI_QUANTITY_H

#include <jansson.h>

enum { QUANTITY_TEXT = 32 };

/* 812, 4.2k, 84k, 410M: three digits at most, thousands by 1000. */
const char *quantity_text(double number, char text[QUANTITY_TEXT]);
/* 12s, 4m, 1h56m, 3d4h: the two greatest units. */
const char *elapsed_text(double seconds, char text[QUANTITY_TEXT]);
/* 25, 2.5, 0.012: a share of 1 as per cent, without the sign; never 0 nor 100 unless it is. */
const char *percent_text(double share, char text[QUANTITY_TEXT]);
/* A whole number, in full. */
const char *count_text(double number, char text[QUANTITY_TEXT]);

#endif

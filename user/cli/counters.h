/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HOLDFAST_CLI_COUNTERS_H
#define HOLDFAST_CLI_COUNTERS_H

#include <jansson.h>

/* The tables of `counters`, from the API's object. */
void counters_print(const json_t *counters);
/* Sets the rates of what is in both samples to what it grew by in that many seconds. */
void counters_rate(json_t *after, const json_t *before, double seconds);

#endif

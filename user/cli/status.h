/* SPDX-License-Identifier: Apache-2.0 */
/* What status is made of; the lists of single nouns use the same. */
#ifndef HOLDFAST_CLI_STATUS_H
#define HOLDFAST_CLI_STATUS_H

#include <jansson.h>
#include <stdbool.h>

#include "cli/frame/quantity.h"

void status_print(const json_t *status);
/* An interface is not attached, a service has no backend up, or a problem is listed. */
bool status_degraded(const json_t *status);
void interfaces_print(const json_t *interfaces);
void services_print(const json_t *services);
/* "16384 (25%)" */
const char *moving_text(double moving, double slots, char text[QUANTITY_TEXT]);
/* "in 1h56m", "-" */
const char *settles_text(const json_t *pool, char text[QUANTITY_TEXT]);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HOLDFAST_CLI_BACKEND_H
#define HOLDFAST_CLI_BACKEND_H

#include <jansson.h>

/* The table of `backend list`, from the API's backends. */
void backends_print(const json_t *backends);
/* One line on where a backend's packets go next. */
void next_hop_show(const json_t *hop);

#endif

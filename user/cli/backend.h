/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HOLDFAST_CLI_BACKEND_H
#define HOLDFAST_CLI_BACKEND_H

#include "cli/frame/show.h"

/* "db/db1": of a backend whose name is its member key. */
const char *backend_cell(const json_t *backend, const char *key, char text[CELL_TEXT]);
/* One line on where a backend's packets go next. */
void next_hop_show(const json_t *hop);

#endif

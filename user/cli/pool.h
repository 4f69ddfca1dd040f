/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HOLDFAST_CLI_POOL_H
#define HOLDFAST_CLI_POOL_H

#include <jansson.h>

/* The list "pools" of the status, as a table. */
void pools_print(const json_t *status);

#endif

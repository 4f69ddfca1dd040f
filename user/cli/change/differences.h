/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HOLDFAST_CLI_DIFFERENCES_H
#define HOLDFAST_CLI_DIFFERENCES_H

#include <jansson.h>
#include <stdbool.h>

/* model_diff()'s list, a line an object: "+" came, "-" went, "~" changed. False: it is empty. */
bool differences_print(const json_t *differences);

#endif

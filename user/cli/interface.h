/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HOLDFAST_CLI_INTERFACE_H
#define HOLDFAST_CLI_INTERFACE_H

#include <jansson.h>

/* The view's list "interfaces", as a table. */
void interfaces_print(const json_t *view);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HOLDFAST_CLI_SERVICE_H
#define HOLDFAST_CLI_SERVICE_H

#include <jansson.h>

/* The view's list "services", as a table. */
void services_print(const json_t *view);

#endif

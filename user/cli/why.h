/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HOLDFAST_CLI_WHY_H
#define HOLDFAST_CLI_WHY_H

#include <jansson.h>

/* A flow's walk, as the API's /v1/why tells it, in words. */
void why_print(const json_t *why);

#endif

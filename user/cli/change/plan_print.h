/* SPDX-License-Identifier: Apache-2.0 */
/* Plans and differences as the API tells them, in words: what a change moves and says, or would. */
#pragma once

#include <jansson.h>
#include <stdbool.h>

/* ", 16384 of 65537 slots moved (25 %)", or nothing where none did: behind what was done. */
void plan_print_moved(const json_t *plan);
/* A line for each backend that is at another address now. */
void plan_print_replaced(const json_t *plan);
/* A line for each of these and each pool, and one for backends and services, as what would come. */
void plan_print(const json_t *plan);
/* The greatest share of a pool's slots that the plan moves, 0..1. Pools that come and go do not count. */
double plan_greatest_share(const json_t *plan);
/* model_diff()'s list, a line an object: "+" came, "-" went, "~" changed. False: it is empty. */
bool differences_print(const json_t *differences);

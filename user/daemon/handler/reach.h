/* SPDX-License-Identifier: Apache-2.0 */
/* Which backends packets can reach, and what becomes of those that they cannot. */
#pragma once

#include "daemon/watch/next_hops.h"
#include "daemon/instance.h"

void backend_reach(struct instance *instance, const struct pool *pool, const struct backend *backend,
		   struct reach *ret);
/* "no route", "held: lost 1s ago (no route)"; NULL: nothing is wrong. */
enum { REACH_TEXT = 96 };
const char *reach_text(const struct reach *reach, char text[REACH_TEXT]);
/* Where packets to the backend of that number go: next_hop_view(). */
json_t *reach_view(struct instance *instance, const struct reach *reach, uint16_t number);

/* How many of a pool's backends take new flows, and how many of these can be reached. */
void pool_count(const struct instance *instance, const struct pool *pool, size_t *ret_takers, size_t *ret_up);
/* Packets come for this backend, and they are dropped: it cannot be reached. */
bool backend_drops(struct instance *instance, const struct pool *pool, const struct backend *backend);
/* Appends a line for each pool and cause: whose packets are dropped, and why. */
void append_drops(struct instance *instance, json_t *list);

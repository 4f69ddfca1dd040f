/* SPDX-License-Identifier: Apache-2.0 */
/* Census: what the flow table remembers, counted now and then; how often depends on what a count costs. */
#ifndef HOLDFAST_CENSUS_H
#define HOLDFAST_CENSUS_H

#include "../kern/flows.h"

struct census;

int census_open(struct dataplane *const *dataplane, struct census **ret);
void census_close(struct census *census);
/*
 * The last count, made anew if it is older than `age` milliseconds, and than fifty times as long as the last
 * one took. NULL: it cannot be counted. Borrowed until the next call.
 */
const struct flow_census *census_take(struct census *census, int64_t age);
const struct flow_census *census_last(const struct census *census);
/* Whether the last count began at `when` (monotonic milliseconds) or later. */
bool census_since(const struct census *census, int64_t when);

#endif

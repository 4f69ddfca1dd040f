/* SPDX-License-Identifier: Apache-2.0 */
/* Census: what the flow table remembers, counted now and then; how often depends on what a count costs. */
#ifndef HOLDFAST_CENSUS_H
#define HOLDFAST_CENSUS_H

#include "kern/maps/flows.h"

struct census;

int census_open(struct dataplane *const *dataplane, struct census **ret);
void census_close(struct census *census);
/*
 * The last count, made anew if it is older than `age` milliseconds, and than fifty times as long as the last
 * one took. It is for showing only. To end something, use evidence.h. NULL: it cannot be counted. Borrowed
 * until the next call.
 */
const struct flow_census *census_take(struct census *census, int64_t age);
const struct flow_census *census_last(const struct census *census);
/* The last grace period that was over when the last count began, and when that was (monotonic milliseconds).
 */
struct grace census_grace(const struct census *census);
int64_t census_began(const struct census *census);
/* The maps are others now: forgets the last count. */
void census_forget(struct census *census);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Census: what the flow table remembers, counted now and then; how often depends on what a count costs. */
#ifndef HOLDFAST_CENSUS_H
#define HOLDFAST_CENSUS_H

#include "core/image/image.h"
#include "kern/maps/flows.h"

struct census {
	struct dataplane *const *dataplane; /* of the instance, which may open it anew */
	struct flow_census *last;           /* NULL: none was counted yet */
	int64_t began, counted;             /* monotonic milliseconds when it began and ended */
	int64_t took;
	struct grace grace; /* the last one that was over when it began */
};

/* How old a count may be that is only shown, in milliseconds. */
enum { CENSUS_SHOWN = 1000 };

/*
 * The last count, made anew if it is older than `age` milliseconds, and than fifty times as long as the last
 * one took. It is for showing only. To end something, use evidence.h. NULL: it cannot be counted. Borrowed
 * until the next call.
 */
const struct flow_census *census_take(struct census *census, int64_t age);
/* How many flows of a pool are remembered, for showing; image NULL: none. */
uint32_t census_remembered(struct census *census, const struct pool_image *image);
/* The maps are others now, or go: forgets the last count. */
void census_forget(struct census *census);

#endif

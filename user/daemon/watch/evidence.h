/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Evidence: which count of flows may end something. What ends: a drain, a backend that leaves after it, a
 * moving slot, a number that was retired.
 *
 * A count is evidence only if it began after these, in this order:
 *   1. the last change of the data plane;
 *   2. a grace period that began after that change. It ends the last packet that has read the slots, flags or
 *      tables before;
 *   3. the moment since when the fact can hold, where there is one: a flow that is first heard before its
 *      slot is ripe is remembered at the base, and a count that began before that does not show it. The grace
 *      period of 2. begins after this moment, too.
 * Changes are numbered, and grace periods note the number: no clock decides 1. and 2. The moment of 3. is in
 * whole seconds of a clock that the data plane reads a little late, so evidence_take() adds a second.
 */
#pragma once

#include "core/image/image.h"
#include "kern/maps/flows.h"

/* Census: what the flow table remembers, counted now and then; how often depends on what a count costs. */
struct census {
	struct dataplane *const *dataplane; /* of the instance, which may open it anew */
	struct flow_census *last;           /* NULL: none was counted yet */
	int64_t began, counted;             /* monotonic milliseconds when it began and ended */
	struct grace grace;                 /* the last one that was over when it began */
};

/* How old a count may be that is only shown, in milliseconds. */
enum { CENSUS_SHOWN = 1000 };

/*
 * The last count, made anew if it is older than `age` milliseconds, and than fifty times as long as the last
 * one took. It is for showing only. To end something, use evidence_take(). NULL: it cannot be counted.
 * Borrowed until the next call.
 */
const struct flow_census *census_take(struct census *census, int64_t age);
/* How many flows of a pool are remembered, for showing; image NULL: none. */
uint32_t census_remembered(struct census *census, const struct pool_image *image);
/* The maps are others now, or go: forgets the last count. */
void census_forget(struct census *census);

struct evidence {
	struct census *census;
	/* Seconds of CLOCK_MONOTONIC when a grace period must begin, or later: a moment that has come, and
	 * the next one to come. */
	uint32_t wanted, later;
};

/*
 * A count that shows what was so at `since` (seconds of CLOCK_MONOTONIC; 0: since the last change) and ever
 * after, as far as flows could come to it. Counts, if the last count is older than a second. NULL: there is
 * no such count yet. Then this asks for the grace period that is missing, and nothing may end. Borrowed until
 * the next count.
 */
const struct flow_census *evidence_take(struct evidence *evidence, uint32_t since);
/* The same for since 0 without counting: the last count if it is evidence, or NULL. */
const struct flow_census *evidence_last(const struct evidence *evidence);
/* The moment that the last count shows: the highest `since` that it is evidence for. */
uint32_t evidence_moment(const struct evidence *evidence);
/* Waits for a grace period where a change is waiting for one, or evidence_take() is: what the data plane no
 * longer uses is given back, and the next count may end something. May take tens of milliseconds. */
void evidence_reclaim(struct evidence *evidence);

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Overflow: whether flows find no room in the flow table now. The data plane counts them; what rises from one
 * second to the next is happening.
 */
#pragma once

#include <stdbool.h>

#include "kern/maps/flows.h"

/* All 0 at first. Times are monotonic milliseconds. */
struct overflow {
	bool counted;   /* there is a count to compare with */
	uint64_t unfit; /* HF_FLOW_UNFIT when it was read last */
	uint64_t began; /* ... and before it began to rise; while `is_full` */
	int64_t rose;   /* when it was last seen to rise */
	bool is_full;
};

/* Once a second. Notes an event when connections begin to find no room, and when that is over. */
void overflow_tick(struct overflow *overflow, struct dataplane *dataplane, int64_t now);
/* How many connections found no room since that began; 0: it is not happening. */
uint64_t overflow_unfit(const struct overflow *overflow);

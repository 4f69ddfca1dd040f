/* SPDX-License-Identifier: Apache-2.0 */
/* The instance's clock (core/value/steady.h) at work: it goes on from what the store holds of it. */
#pragma once

#include "core/value/steady.h"
#include "daemon/store/store.h"

struct steady_clock {
	struct steady steady;
	int64_t noted_at; /* monotonic milliseconds when it was noted last */
};

/* Goes on from what was noted last, or begins as Unix time. */
void steady_clock_begin(struct steady_clock *clock, struct store *store);
/* Notes it in the store, now and then. A note that fails is made again in a minute; until then a reboot costs
 * deadlines that much more. */
void steady_clock_note(struct steady_clock *clock, struct store *store);
/* Now, in milliseconds: what models are stamped with. */
int64_t steady_clock_now(const struct steady_clock *clock);
/* A stamp of that clock as Unix time, in milliseconds, for people; 0 stays 0. */
int64_t steady_clock_wall(const struct steady_clock *clock, int64_t stamp);

/* SPDX-License-Identifier: Apache-2.0 */
/* The two clocks: what people read, and what intervals and the data plane are measured by. */
#pragma once

#include <stdint.h>
#include <time.h>

static inline int64_t clock_milliseconds(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Unix milliseconds. */
static inline int64_t clock_unix(void)
{
	return clock_milliseconds(CLOCK_REALTIME);
}

/* Milliseconds that never step. */
static inline int64_t clock_monotonic(void)
{
	return clock_milliseconds(CLOCK_MONOTONIC);
}

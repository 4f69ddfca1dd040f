// SPDX-License-Identifier: Apache-2.0
#include "monotonic.h"

#include <time.h>

double monotonic_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

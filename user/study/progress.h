/* SPDX-License-Identifier: Apache-2.0 */
/* A bar on standard error, for work of more than two seconds that somebody watches. */
#pragma once

#include <stdbool.h>

struct progress {
	double start; /* monotonic_seconds() */
	bool shown;
};

struct progress progress_start(void);
/* done: the share of the work, 0 to 1. */
void progress_show(struct progress *progress, double done, const char *what);
/* Takes the bar away. */
void progress_end(struct progress *progress);

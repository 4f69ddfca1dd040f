// SPDX-License-Identifier: Apache-2.0
#include "progress.h"

#include <stdio.h>
#include <unistd.h>

#include "cli/frame/moment.h"

enum { PATIENCE = 2, WIDTH = 32 }; /* seconds, characters */

struct progress progress_start(void)
{
	return (struct progress){.start = monotonic_seconds()};
}

void progress_show(struct progress *progress, double done, const char *what)
{
	int full = (int)(done * WIDTH);

	if (!isatty(STDERR_FILENO) || monotonic_seconds() - progress->start < PATIENCE)
		return;
	fprintf(stderr, "\r[%.*s%*s] %3.0f %% %-12.12s", full, "################################",
		WIDTH - full, "", 100 * done, what);
	fflush(stderr);
	progress->shown = true;
}

void progress_end(struct progress *progress)
{
	if (progress->shown)
		fprintf(stderr, "\r%*s\r", WIDTH + 24, "");
	progress->shown = false;
}

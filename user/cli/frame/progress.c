// SPDX-License-Identifier: Apache-2.0
#include "progress.h"

#include <stdio.h>
#include <unistd.h>

#include "study/placement_study.h"

enum { PATIENCE = 2000, WIDTH = 32 };

struct progress progress_start(void)
{
	return (struct progress){.start = study_now()};
}

void progress_show(struct progress *progress, double done, const char *what)
{
	int full = (int)(done * WIDTH);

	if (!isatty(STDERR_FILENO) || study_now() - progress->start < PATIENCE)
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

// SPDX-License-Identifier: Apache-2.0
#include "moment.h"

#include <time.h>

const char *moment_text(double seconds, char text[MOMENT_TEXT])
{
	time_t whole = (time_t)seconds;
	struct tm local;

	if (!localtime_r(&whole, &local) || !strftime(text, MOMENT_TEXT, "%Y-%m-%d %H:%M:%S", &local))
		*text = '\0';
	return text;
}

double monotonic_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

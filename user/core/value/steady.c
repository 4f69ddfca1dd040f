/* SPDX-License-Identifier: Apache-2.0 */
#include "steady.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool steady_begin(struct steady *ret, const char *noted, const char *boot, int64_t monotonic, int64_t wall)
{
	struct steady steady = {.offset = wall - monotonic};
	char noted_boot[BOOT_ID] = "";
	int64_t offset, last;
	bool goes_on = false;

	snprintf(steady.boot, sizeof steady.boot, "%s", boot);
	if (noted && sscanf(noted, "%36s %" SCNd64 " %" SCNd64, noted_boot, &offset, &last) == 3) {
		/* It never goes back, also where CLOCK_MONOTONIC is another: in a container that moved. */
		goes_on = strcmp(noted_boot, boot) == 0 && offset + monotonic >= last;
		steady.offset = goes_on ? offset : last - monotonic;
	}
	*ret = steady;
	return goes_on;
}

int64_t steady_at(const struct steady *steady, int64_t monotonic)
{
	return monotonic + steady->offset;
}

void steady_note(const struct steady *steady, int64_t monotonic, char text[STEADY_TEXT])
{
	snprintf(text, STEADY_TEXT, "%s %" PRId64 " %" PRId64, steady->boot[0] ? steady->boot : "-",
		 steady->offset, steady_at(steady, monotonic));
}

int64_t stamp_move(int64_t stamp, int64_t milliseconds)
{
	int64_t moved;

	if (!stamp)
		return 0;
	if (__builtin_add_overflow(stamp, milliseconds, &moved))
		return milliseconds > 0 ? INT64_MAX : 1;
	return moved > 0 ? moved : 1;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The instance's clock: milliseconds that no step of the host's clock changes. It begins as Unix time when
 * the database is made, and from then on only CLOCK_MONOTONIC moves it. Across a reboot it goes on from where
 * it was noted last, so that a deadline keeps at least the time that was left.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
	BOOT_ID = 37,    /* /proc/sys/kernel/random/boot_id with its end */
	STEADY_TEXT = 96 /* what is noted */
};

struct steady {
	char boot[BOOT_ID];
	int64_t offset; /* to CLOCK_MONOTONIC, milliseconds */
};

/*
 * Goes on from what steady_note() wrote (NULL: nothing, or nothing that can be read), in the boot with this
 * id ("": not known), at this moment of CLOCK_MONOTONIC and of Unix time, in milliseconds. Whether the offset
 * is what was noted.
 */
bool steady_begin(struct steady *ret, const char *noted, const char *boot, int64_t monotonic, int64_t wall);
/* The clock at a moment of CLOCK_MONOTONIC. */
int64_t steady_at(const struct steady *steady, int64_t monotonic);
/* What steady_begin() goes on from. */
void steady_note(const struct steady *steady, int64_t monotonic, char text[STEADY_TEXT]);

/* A stamp so many milliseconds later or earlier, from 1 to INT64_MAX; 0, which is none, stays none. */
int64_t stamp_move(int64_t stamp, int64_t milliseconds);

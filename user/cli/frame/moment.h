/* SPDX-License-Identifier: Apache-2.0 */
/* Moments: as a person reads them, and to measure with. */
#pragma once

enum { MOMENT_TEXT = 32 };

/* Unix seconds as local date and time, "2026-11-29 20:40:35". Returns text. */
const char *moment_text(double seconds, char text[MOMENT_TEXT]);
/* Seconds of a clock that never goes back. */
double monotonic_seconds(void);

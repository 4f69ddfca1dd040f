/* SPDX-License-Identifier: Apache-2.0 */
/* Durations as text: "1h30m", "30s". */
#pragma once

#include <stdint.h>

/* "1h30m" to seconds. A number without a unit is refused, but for 0: it may be meant in minutes. 0 or
 * -EINVAL. */
int duration_parse(const char *text, uint32_t *ret);
enum { DURATION_TEXT = 32 };
/* Seconds to "1h30m". Returns text. */
const char *duration_text(uint32_t seconds, char text[DURATION_TEXT]);
enum { AGE_TEXT = 24 };
/* How long ago something was, in short: "12s", "4m", "3h". Returns text. */
const char *age_text(int64_t seconds, char text[AGE_TEXT]);

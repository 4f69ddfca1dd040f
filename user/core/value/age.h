/* SPDX-License-Identifier: Apache-2.0 */
/* How long ago something was, for people. */
#ifndef HOLDFAST_AGE_H
#define HOLDFAST_AGE_H

#include <stdint.h>

/* "12s", "4m", "3h". Returns text. */
enum { AGE_TEXT = 24 };
const char *age_text(int64_t seconds, char text[AGE_TEXT]);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Seeds as text: 16 hexadecimal digits. */
#pragma once

#include <stdint.h>

/* 0, or -EINVAL: other than 16 digits, or no digit but 0. */
int seed_parse(const char *text, uint64_t *ret);
enum { SEED_TEXT = 17 };
const char *seed_text(uint64_t seed, char text[SEED_TEXT]); /* returns text */

/* SPDX-License-Identifier: Apache-2.0 */
/* Names of pools, backends and zones: letters, digits, '-', '_', '.', first a letter or digit. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { NAME_SIZE = 64 }; /* 63 bytes and the end */

/* Whether letter may stand in a name, at its beginning or behind that. */
bool name_letter(char letter, bool first);
/* Whether the first length bytes of text are a name. */
bool name_valid(const char *text, size_t length);

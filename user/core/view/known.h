/* SPDX-License-Identifier: Apache-2.0 */
/* Values that may be absent. */
#ifndef HOLDFAST_KNOWN_H
#define HOLDFAST_KNOWN_H

#include <jansson.h>
#include <stdint.h>

/* Negative: null. */
static inline json_t *known_integer(int64_t value)
{
	return value < 0 ? json_null() : json_integer(value);
}

static inline json_t *known_real(double value)
{
	return value < 0 ? json_null() : json_real(value);
}

#endif

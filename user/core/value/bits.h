/* SPDX-License-Identifier: Apache-2.0 */
/* A set of small numbers, a bit each in an array of 64-bit words. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

static inline bool bit_is_set(const uint64_t *bits, uint32_t number)
{
	return bits[number / 64] >> number % 64 & 1;
}

static inline void bit_set(uint64_t *bits, uint32_t number)
{
	bits[number / 64] |= 1ULL << number % 64;
}

static inline void bit_clear(uint64_t *bits, uint32_t number)
{
	bits[number / 64] &= ~(1ULL << number % 64);
}

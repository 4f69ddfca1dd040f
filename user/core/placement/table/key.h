/* SPDX-License-Identifier: Apache-2.0 */
/* Keys and tokens as numbers, for the schemes. */
#ifndef HOLDFAST_PLACEMENT_KEY_H
#define HOLDFAST_PLACEMENT_KEY_H

#include "core/placement/placement.h"

/* The number of a text; PLACEMENT_IDENTITY counts as PLACEMENT_XXHASH. */
uint64_t text_hash(enum placement_hash hash, uint64_t seed, const void *text, size_t length);
/* The number of a key under the placement's options. */
uint64_t key_hash(const struct placement *placement, const void *key, size_t length);
/* How far numbers run under these options; 0: 2^64. */
uint64_t hash_space(const struct placement_options *options);

#endif

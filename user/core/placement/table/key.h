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
/* The hash in the middle of slot's stretch of the space: what a scheme with an order of its own fills it by.
 */
uint64_t slot_hash(const struct placement *placement, uint32_t slot);
/* The slot whose stretch a hash falls into. */
uint32_t hash_slot(const struct placement *placement, uint64_t hash);

#endif

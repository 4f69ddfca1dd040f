/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Buckets, for the schemes that do arithmetic on a count: members in name order, each as often as its weight
 * divided by what all weights have in common.
 */
#ifndef HOLDFAST_PLACEMENT_BUCKET_H
#define HOLDFAST_PLACEMENT_BUCKET_H

#include "scheme.h"

struct buckets {
	uint32_t count;
	uint16_t members[];
};

enum { BUCKETS_MAX = 1 << 24 };

/* Makes the placement's state a struct buckets. */
int buckets_prepare(struct placement *placement, const struct placement *previous, struct refusal *refusal);
void buckets_release(struct placement *placement);
size_t buckets_bytes(const struct placement *placement);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#include "bucket.h"

#include <errno.h>
#include <stdlib.h>

static uint32_t weights_common(const struct placement *placement)
{
	uint32_t common = 0;

	for (size_t i = 0; i < placement->count; i++)
		for (uint32_t weight = placement->members[i].weight; weight;) {
			uint32_t rest = common % weight;

			common = weight;
			weight = rest;
		}
	return common;
}

int buckets_prepare(struct placement *placement, const struct placement *previous, struct refusal *refusal)
{
	uint32_t common = weights_common(placement);
	uint64_t count = placement->total_weight / common;
	struct buckets *buckets;

	(void)previous;
	if (count > BUCKETS_MAX) {
		refuse(refusal, -EINVAL, "these weights need %llu buckets", (unsigned long long)count);
		refusal_right(refusal, "weights with a common divisor, such as 100 and 200");
		return -EINVAL;
	}
	placement->state = buckets = malloc(sizeof *buckets + count * sizeof *buckets->members);
	if (!buckets)
		return -ENOMEM;
	buckets->count = 0;
	for (size_t i = 0; i < placement->count; i++)
		for (uint32_t left = placement->members[i].weight / common; left > 0; left--)
			buckets->members[buckets->count++] = (uint16_t)i;
	return 0;
}

void buckets_release(struct placement *placement)
{
	free(placement->state);
}

size_t buckets_bytes(const struct placement *placement)
{
	const struct buckets *buckets = placement->state;

	return sizeof *buckets + buckets->count * sizeof *buckets->members;
}

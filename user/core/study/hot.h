/* SPDX-License-Identifier: Apache-2.0 */
/* Hot keys: what of a traffic's imbalance no placement can mend, and what else would. */
#pragma once

#include "core/placement/placement.h"

struct key_count {
	const char *key;
	uint64_t count;
};

struct heat {
	uint64_t total;
	size_t hottest;         /* its number */
	double share;           /* of all that the hottest has */
	double now;             /* load of the busiest member over the mean, as placed */
	double best;            /* no placement of whole keys gets below this */
	double split;           /* as placed, with the hottest split into shards KEY#0, KEY#1, … */
	size_t shards, reached; /* how many, and how many members those reach */
	double bounded; /* with a load factor: requests of one key may go on, so that the factor holds */
};

/* Members count as equals. 0 or -ENOMEM; -EINVAL: no key, or no member to place it on. */
int heat_measure(const struct placement *placement, const struct key_count *keys, size_t count, size_t shards,
		 double factor, struct heat *ret);

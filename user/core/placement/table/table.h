/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of a placement: its members and the table that a scheme fills. For the schemes alone. */
#ifndef HOLDFAST_PLACEMENT_TABLE_H
#define HOLDFAST_PLACEMENT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef XXH_INLINE_ALL
#define XXH_INLINE_ALL
#endif
#include <xxhash.h>

#include "core/placement/placement.h"

struct placed_member {
	const char *name;
	uint64_t hash; /* XXH64 of the name under the placement's seed: the member's only identity in every
			  score */
	uint32_t weight;
	uint32_t quota; /* slots due by weight, where the scheme asked for quotas */
	uint16_t zone;  /* zones numbered as met in name order */
};

struct placement {
	enum placement_scheme scheme;
	uint32_t slots;
	uint64_t seed;
	struct placement_options options; /* its lists are not kept */
	bool ranged;                      /* slots: as the operator assigned them */
	uint64_t space;                   /* key hashes run below it; 0: 2^64 */
	struct placed_member *members;    /* by name */
	size_t count;
	size_t weighted; /* members with weight */
	uint64_t total_weight;
	size_t zones;         /* distinct zones of the members with weight */
	uint32_t *zone_sizes; /* how many of those each zone has */
	uint16_t *owners;     /* NULL: not filled, only keys are looked up */
	uint16_t *preferences;
	char *names;
	void *state;          /* the scheme's own */
	unsigned int sharers; /* besides the first holder */
};

/*
 * Each member's slots in true proportion to its weight, rounded by largest remainder, ties by the hash of the
 * name: every quota is within one slot of the exact share and they add up to the table. Refuses, by name, a
 * positive weight that earns nothing. 0, -EINVAL or -ENOMEM.
 */
int quota_share(struct placement *placement, struct refusal *refusal);

#endif

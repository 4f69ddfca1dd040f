/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inside of a placement, shared by the schemes alone.
 *
 * A scheme is a row: its name, the table sizes it takes, and a function that fills the owners of a placement
 * whose members are sorted, numbered, hashed and checked. A scheme with an order of its own (ring,
 * rendezvous) also answers prefer(); the others share the walk over their own table.
 */
#ifndef HOLDFAST_PLACEMENT_SCHEME_H
#define HOLDFAST_PLACEMENT_SCHEME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef XXH_INLINE_ALL
#define XXH_INLINE_ALL
#endif
#include <xxhash.h>

#include "placement.h"

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
	struct placed_member *members; /* by name */
	size_t count;
	size_t weighted; /* members with weight */
	uint64_t total_weight;
	size_t zones; /* distinct zones of the members with weight */
	uint16_t *owners;
	uint16_t *preferences;
	char *names;
};

struct scheme {
	const char *name;
	/* 0, or a refusal that names the sizes which would do. The range is already checked. */
	int (*check_slots)(uint32_t slots, struct refusal *refusal);
	/* Fills owners; at least one member has weight. 0, -ENOMEM, or -EINVAL with *refusal filled. */
	int (*fill)(struct placement *placement, struct refusal *refusal);
	/* The scheme's own order of preference, as placement_walk(); NULL: the walk over the table. */
	size_t (*prefer)(const struct placement *placement, uint32_t slot, uint16_t *ret_members, size_t max);
};

extern const struct scheme scheme_maglev;

/*
 * Each member's slots in true proportion to its weight, rounded by largest remainder, ties by the hash of the
 * name: every quota is within one slot of the exact share and they add up to the table. Refuses, by name, a
 * positive weight that earns nothing. 0, -EINVAL or -ENOMEM.
 */
int quota_share(struct placement *placement, struct refusal *refusal);

/* The walk over the table: placement_walk() for schemes without an order of their own. */
size_t walk_prefer(const struct placement *placement, uint32_t slot, uint16_t *ret_members, size_t max);
/* The walk for every slot at once. preferences is [slots][PLACEMENT_STORED_PREFERENCES]. */
void walk_fill(const struct placement *placement, uint16_t *preferences);

#endif

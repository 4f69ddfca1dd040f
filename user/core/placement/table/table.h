/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of a placement: its members and the table that a scheme fills. For the schemes alone. */
#pragma once

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

/* Members in name order, numbered, hashed, their zones told apart ------------------- */

/*
 * Pointers to the set's members by name into members, which has room for all; each name checked, none twice.
 * 0, or -EINVAL with *refusal filled.
 */
int members_order(const struct member_set *set, const struct member **members, struct refusal *refusal);
/*
 * Copies the ordered members, as many as placement->count, into the placement: names into one block, hashes
 * under the seed. 0 or -ENOMEM; what was made goes with the placement.
 */
int members_copy(struct placement *placement, const struct member **members);

/* Keys and tokens as numbers ------------------------------------------------------- */

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

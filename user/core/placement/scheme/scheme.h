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

struct scheme {
	/* 0, or a refusal that names the sizes which would do. The range is already checked. NULL: any. */
	int (*check_slots)(uint32_t slots, struct refusal *refusal);
	/* Makes the state that lookups need. previous: one to learn from, or NULL. NULL: none is needed. */
	int (*prepare)(struct placement *placement, const struct placement *previous,
		       struct refusal *refusal);
	/* Fills owners; at least one member has weight. 0, -ENOMEM, or -EINVAL with *refusal filled. */
	int (*fill)(struct placement *placement, struct refusal *refusal);
	void (*release)(struct placement *placement);
	/* A key's number, where it is not the options' hash. */
	uint64_t (*hash)(const struct placement *placement, const void *key, size_t length);
	/* Where a hash lives and what it prefers; NULL: the table says. prefer alone may be NULL: the walk
	 * says. */
	uint16_t (*owner)(const struct placement *placement, uint64_t hash);
	size_t (*prefer)(const struct placement *placement, uint64_t hash, uint16_t *ret_members, size_t max);
	/* The members that prefer() lists, for a visitor. Where there is prefer() there is visit(). */
	void (*visit)(const struct placement *placement, uint64_t hash,
		      const struct placement_visitor *visitor);
	size_t (*bytes)(const struct placement *placement); /* of the state; NULL: the table's */
	bool quotas; /* fill() shares by quota and has refused whoever earns nothing */
	bool holes;  /* a slot may have no owner, and a member no slot */
};

extern const struct scheme scheme_maglev, scheme_stable, scheme_rendezvous, scheme_ring, scheme_ketama,
	scheme_jump, scheme_modulo, scheme_slots;

/* The hash in the middle of slot's stretch of the space: what a scheme with an order of its own fills it by.
 */
uint64_t slot_hash(const struct placement *placement, uint32_t slot);
/* The slot whose stretch a hash falls into. */
uint32_t hash_slot(const struct placement *placement, uint64_t hash);
/* Fills owners by asking the scheme's owner() for every slot's hash. */
int fill_by_owner(struct placement *placement, struct refusal *refusal);

/*
 * Each member's slots in true proportion to its weight, rounded by largest remainder, ties by the hash of the
 * name: every quota is within one slot of the exact share and they add up to the table. Refuses, by name, a
 * positive weight that earns nothing. 0, -EINVAL or -ENOMEM.
 */
int quota_share(struct placement *placement, struct refusal *refusal);

/* The walk over the table from slot, after `first`, its owner or what the scheme says instead. */
size_t walk_prefer(const struct placement *placement, uint32_t slot, uint16_t first, uint16_t *ret_members,
		   size_t max);
/* The members that walk_prefer() lists, for a visitor. */
void walk_visit(const struct placement *placement, uint32_t slot, uint16_t first,
		const struct placement_visitor *visitor);

/* Which members are looked at now: all, those of other zones than one, or those of that zone. */
struct turn {
	enum { TURN_ANY_ZONE, TURN_OTHER_ZONES, TURN_SAME_ZONE } whose;
	uint16_t zone;
};

static inline bool turn_takes(struct turn turn, const struct placed_member *member)
{
	return turn.whose == TURN_ANY_ZONE || (member->zone == turn.zone) == (turn.whose == TURN_SAME_ZONE);
}

/* Offers a member to a visitor that may want it. True: that is enough. */
static inline bool visit_one(const struct placement_visitor *visitor, uint16_t member)
{
	return visitor->wants(visitor->context, member) && visitor->take(visitor->context, member);
}

/* The members with weight whose turn it is, by their scores for start (score.h), nearest first. True: that
 * was enough. */
bool visit_ranked(const struct placement *placement, uint64_t start, struct turn turn,
		  const struct placement_visitor *visitor);
/*
 * The walk for every slot at once. preferences is [slots][PLACEMENT_STORED_PREFERENCES]; holes: slots may
 * have no owner.
 */
void walk_fill(const struct placement *placement, bool holes, uint16_t *preferences);

#endif

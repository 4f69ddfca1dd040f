/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Placement: which backend a slot prefers, as a pure function of the member set.
 *
 * A member set is a list of members (name, weight, zone), a scheme, a table size and a seed. Two equal member
 * sets give equal placements byte for byte, in whatever order their members were listed: members are numbered
 * by name, in strcmp() order, and every score comes from the seeded hash of a name, never from a number.
 */
#ifndef HOLDFAST_PLACEMENT_H
#define HOLDFAST_PLACEMENT_H

#include <stddef.h>
#include <stdint.h>

#include "../refusal.h"

/* Names of schemes, as configuration and command line write them: placement_scheme_name(). */
enum placement_scheme {
	PLACEMENT_MAGLEV,
	PLACEMENT_STABLE,
	PLACEMENT_RENDEZVOUS,
	PLACEMENT_RING,
	PLACEMENT_KETAMA,
	PLACEMENT_JUMP,
	PLACEMENT_MODULO,
	PLACEMENT_SLOTS,
	PLACEMENT_SCHEMES /* how many there are */
};

enum {
	PLACEMENT_MIN_SLOTS = 251,
	PLACEMENT_MAX_SLOTS = 1048573,
	PLACEMENT_DEFAULT_SLOTS = 65537,
	PLACEMENT_MAX_MEMBERS = 65535,
	PLACEMENT_STORED_PREFERENCES = 3,
	PLACEMENT_NONE = 0xffff, /* no member: the pool is empty or nobody has weight */
};

struct member {
	const char *name; /* 1 to 63 bytes, unique in its set */
	const char *zone; /* "" when unknown */
	uint32_t weight;  /* 0: takes no slot; proportional otherwise */
};

struct member_set {
	enum placement_scheme scheme;
	uint32_t slots; /* table size M */
	uint64_t seed;
	const struct member *members; /* any order; borrowed */
	size_t count;
};

struct placement; /* owns copies of all it needs */

/*
 * Builds the placement of set. Refuses, naming the member: an invalid size for the scheme, more members with
 * weight than slots, a positive weight that would earn no slot, duplicate names. An empty set, or one without
 * weight, is a valid placement whose every owner is PLACEMENT_NONE.
 * 0, -EINVAL with *refusal filled, or -ENOMEM.
 */
int placement_build(const struct member_set *set, struct placement **ret, struct refusal *refusal);
void placement_free(struct placement *placement);

uint32_t placement_slots(const struct placement *placement);
size_t placement_members(const struct placement *placement);
/* Member number -> name, in name order. Borrowed from the placement. */
const char *placement_member_name(const struct placement *placement, uint16_t member);
/* The member of that name, or PLACEMENT_NONE. */
uint16_t placement_member_number(const struct placement *placement, const char *name);

/* The whole table: owner of each slot (member numbers), placement_slots() long. Borrowed. */
const uint16_t *placement_owners(const struct placement *placement);
/* Stored preferences: [slots][PLACEMENT_STORED_PREFERENCES], first is the owner, PLACEMENT_NONE fills. Built
 * on first use. Borrowed. NULL: out of memory. */
const uint16_t *placement_preferences(struct placement *placement);
/*
 * The first max distinct members that slot prefers, best first, walked as far as needed: a seeded
 * pseudo-random walk over the placement's own table (ring and rendezvous use their own order); zones reorder
 * the tail. Returns how many were found (fewer than max only when fewer members have weight).
 */
size_t placement_walk(const struct placement *placement, uint32_t slot, uint16_t *ret_members, size_t max);

/* Digest of the table: scheme, size, seed, and each slot's three preferences by name. Equal on hosts with
 * equal member sets. */
uint64_t placement_digest(struct placement *placement);

/* Whether a scheme takes tables of this size. 0, or -EINVAL with *refusal naming sizes that would do. */
int placement_check_slots(enum placement_scheme scheme, uint32_t slots, struct refusal *refusal);

const char *placement_scheme_name(enum placement_scheme scheme);
/* 0 or -EINVAL. */
int placement_scheme_parse(const char *word, enum placement_scheme *ret);

#endif

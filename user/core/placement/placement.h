/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Placement: which backend a slot prefers, as a pure function of the member set.
 *
 * A member set is a list of members (name, weight, zone), a scheme, a table size and a seed. Two equal member
 * sets give equal placements byte for byte, in whatever order their members were listed: members are numbered
 * by name, in strcmp() order, and every score comes from the seeded hash of a name, never from a number.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/value/refusal.h"
#include "core/value/slot_range.h"

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
	PLACEMENT_MAX_SLOTS = SLOTS_MOST,
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

/* How a key, and a token of a ring, becomes a number. */
enum placement_hash {
	PLACEMENT_XXHASH,   /* XXH64 under the seed: 64 bits */
	PLACEMENT_MD5,      /* the whole digest as a number, modulo 2^32 */
	PLACEMENT_MD5_64,   /* its first eight bytes, big-endian */
	PLACEMENT_IDENTITY, /* a key is the decimal number it says; tokens fall back on XXH64 */
	PLACEMENT_HASHES
};

enum ketama_form { KETAMA_LIBMEMCACHED, KETAMA_NGINX };

struct token_position {
	const char *member;
	uint64_t position;
};

/* What only some schemes ask. Zero is every option's default. All is borrowed for the call. */
struct placement_options {
	enum placement_hash hash;
	uint32_t virtual_nodes; /* ring: tokens per 100 of weight; 0: 100 */
	uint64_t ring_size;     /* ring: positions run from 0 to ring_size - 1; 0: as far as the hash */
	bool after;             /* ring: a key on a token belongs to the next one */
	const struct token_position *positions; /* ring: these tokens and no others */
	size_t position_count;
	enum ketama_form ketama;
	uint32_t tolerance;              /* stable: thousandths that a member may hold above its due share */
	const struct slot_range *ranges; /* slots: who has which; none: consecutive ranges by weight */
	size_t range_count;
	bool keys_only; /* for study: keys are looked up, the table is not filled where the scheme can do
			   without */
};

struct member_set {
	enum placement_scheme scheme;
	uint32_t slots; /* table size M */
	uint64_t seed;
	const struct member *members; /* any order; borrowed */
	size_t count;
	const struct placement_options *options; /* NULL: defaults */
};

struct placement; /* owns copies of all it needs */

/*
 * Builds the placement of set. Refuses, naming the member: an invalid size for the scheme, more members with
 * weight than slots, a positive weight that would earn no slot, duplicate names. An empty set, or one without
 * weight, is a valid placement whose every owner is PLACEMENT_NONE.
 * 0, -EINVAL with *refusal filled, or -ENOMEM.
 */
int placement_build(const struct member_set *set, struct placement **ret, struct refusal *refusal);
/*
 * The same placement, built with what a previous one of the same pool knows: `stable` looks anew only at
 * members that came, went or changed weight. previous may be NULL, or anything else; it stays as it was.
 */
int placement_rebuild(const struct placement *previous, const struct member_set *set, struct placement **ret,
		      struct refusal *refusal);
/* Adds a holder to a placement; each holder frees it. Returns it. */
struct placement *placement_share(struct placement *placement);
void placement_free(struct placement *placement);
/* Whether building a set takes tens of milliseconds or more, too long for an event loop. */
bool placement_takes_long(const struct member_set *set);

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
/* Frees what placement_preferences() built, to be built again on its next use. */
void placement_forget_preferences(struct placement *placement);
/*
 * The first max distinct members that slot prefers, best first, walked as far as needed: a seeded
 * pseudo-random walk over the placement's own table (ring and rendezvous use their own order); zones reorder
 * the tail. Returns how many were found (fewer than max only when fewer members have weight).
 */
size_t placement_walk(const struct placement *placement, uint32_t slot, uint16_t *ret_members, size_t max);

/*
 * Looks for members on a slot's walk. wants: whether a member is wanted now; false for a member that was
 * taken. take: gets a member, and returns whether that is enough. marks: placement_mark() of all members that
 * may be wanted, or NULL. Marks make a walk faster, but then take may get a marked member that is no longer
 * wanted, and must ignore it.
 */
struct placement_visitor {
	const uint64_t *marks;
	bool (*wants)(void *context, uint16_t member);
	bool (*take)(void *context, uint16_t member);
	void *context;
};

/*
 * Takes the members that slot prefers, best first, as placement_walk() lists them, but only those that are
 * wanted, and no further than the visitor needs. The cost is that of the way to the last one, not that of a
 * list of all members. wants is never called for a member without weight.
 */
void placement_visit(const struct placement *placement, uint32_t slot,
		     const struct placement_visitor *visitor);
/* A bit a slot: whether its owner is among the members that are wanted. NULL: out of memory. Yours to free.
 */
uint64_t *placement_mark(const struct placement *placement, const bool *wanted);

/* Digest of the table: scheme, size, seed, and each slot's three preferences by name. Equal on hosts with
 * equal member sets. 0: out of memory. */
uint64_t placement_digest(struct placement *placement);

/*
 * Where a key lives, found in the scheme's own way: by binary search on the ring, by scoring, by arithmetic,
 * or through the table. The number of the owner, or PLACEMENT_NONE.
 */
uint16_t placement_lookup(const struct placement *placement, const void *key, size_t length);
/* The first max members that key prefers, as placement_walk() for slots. */
size_t placement_lookup_list(const struct placement *placement, const void *key, size_t length,
			     uint16_t *ret_members, size_t max);
/* A key's number under the placement's hash, and its slot. */
uint64_t placement_key_hash(const struct placement *placement, const void *key, size_t length);
uint32_t placement_key_slot(const struct placement *placement, const void *key, size_t length);

/* Bytes that answering lookups takes, names not counted. */
size_t placement_bytes(const struct placement *placement);

/*
 * What an operator should hear before one placement takes another's place: that scheme, seed or size make it
 * a migration, that jump moves far more than the member that leaves, that modulo moves nearly everything.
 * False: nothing.
 */
bool placement_move_warning(const struct placement *before, const struct placement *after, char *ret_text,
			    size_t size);

/*
 * Warns if a member's slots are far from its share by weight: by more than a tenth under modulo, whose table
 * cuts off buckets, and by more than a third under schemes that draw by lot. Names the member that is
 * farthest off. False: nothing to warn of.
 */
bool placement_shares_warning(const struct placement *placement, char *ret_text, size_t size);

/* The tokens of a ring, by position. False: there is none of that number, or the scheme has no ring. */
bool placement_token(const struct placement *placement, size_t number, uint64_t *ret_position,
		     uint16_t *ret_member);
/* How far positions run: 0 means 2^64. */
uint64_t placement_space(const struct placement *placement);

/* Whether a scheme takes tables of this size. 0, or -EINVAL with *refusal naming sizes that would do. */
int placement_check_slots(enum placement_scheme scheme, uint32_t slots, struct refusal *refusal);

/* By number; they end with NULL. */
extern const char *const placement_scheme_names[], *const placement_hash_names[];
const char *placement_scheme_name(enum placement_scheme scheme);
/* 0 or -EINVAL. */
int placement_scheme_parse(const char *word, enum placement_scheme *ret);
/* "xxhash", "md5", "md5-64", "identity". 0 or -EINVAL. */
int placement_hash_parse(const char *word, enum placement_hash *ret);

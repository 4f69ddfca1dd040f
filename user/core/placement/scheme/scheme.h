/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A scheme is a row: the table sizes it takes, and a function that fills the owners of a placement whose
 * members are sorted, numbered, hashed and checked. A scheme with an order of its own (ring, rendezvous) also
 * answers prefer(); the others share the walk over their own table.
 */
#pragma once

#include "core/placement/table/table.h"

struct scheme {
	/* 0, or a refusal that names the sizes which would do. The range is already checked. NULL: any. */
	int (*check_slots)(uint32_t slots, struct refusal *refusal);
	/* Makes the state that lookups need. previous: one to learn from, or NULL. NULL: none is needed. */
	int (*prepare)(struct placement *placement, const struct placement *previous,
		       struct refusal *refusal);
	/* Fills owners; at least one member has weight. 0, -ENOMEM, or -EINVAL with *refusal filled. NULL:
	 * owner() says whose each slot's hash is. */
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

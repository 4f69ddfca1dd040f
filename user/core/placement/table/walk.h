/* SPDX-License-Identifier: Apache-2.0 */
/* Preference lists: over the table for schemes without an order of their own, or by score. */
#pragma once

#include "table.h"

/* Which members are looked at now: all, those of other zones than one, or those of that zone. */
struct turn {
	enum { TURN_ANY_ZONE, TURN_OTHER_ZONES, TURN_SAME_ZONE } whose;
	uint16_t zone;
};

static inline bool turn_takes(struct turn turn, const struct placed_member *member)
{
	return turn.whose == TURN_ANY_ZONE || (member->zone == turn.zone) == (turn.whose == TURN_SAME_ZONE);
}

/* Whose turn it is behind the owner of a slot; its zone is still to be filled in. */
static inline struct turn turn_first(const struct placement *placement)
{
	return (struct turn){.whose = placement->zones < 2 ? TURN_ANY_ZONE : TURN_OTHER_ZONES};
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

/* The walk over the table from slot, after `first`, its owner or what the scheme says instead. */
size_t walk_prefer(const struct placement *placement, uint32_t slot, uint16_t first, uint16_t *ret_members,
		   size_t max);
/* The members that walk_prefer() lists, for a visitor. */
void walk_visit(const struct placement *placement, uint32_t slot, uint16_t first,
		const struct placement_visitor *visitor);
/*
 * The walk for every slot at once. preferences is [slots][PLACEMENT_STORED_PREFERENCES]; holes: slots may
 * have no owner.
 */
void walk_fill(const struct placement *placement, bool holes, uint16_t *preferences);

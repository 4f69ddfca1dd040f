/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The walk: a slot's preference list as the owners met on a pseudo-random walk over the pool's own table.
 *
 * Balance and weights are inherited from the table, whatever filled it: when a member fails, each of its
 * slots draws its successor by lot from the whole table. The walk of a slot depends on seed and slot alone,
 * so a change of the member set leaves the tail of a preference list alone wherever the slots it visits keep
 * their owners.
 *
 * Where members live in several zones, those of the owner's zone go to the end of the list, in the order met.
 */
#include <stdlib.h>

#include "score.h"
#include "walk.h"

/* A walk is cut here; members it has not met follow by weighted rendezvous, so that every list is complete.
 */
enum { WALK_STEPS = 256 /* a multiple of STRIDE */ };

/* How many steps may search for the last member that is left: there is no choice any more. */
enum { LAST_STEPS = 16 };

/* A generator's state after k steps is where the k-th step of slot's walk looks (Knuth's MMIX constants). */
static inline uint64_t walk_start(const struct placement *placement, uint32_t slot)
{
	return score_mix(placement->seed + (slot + 1ULL) * 0x9e3779b97f4a7c15ULL);
}

#define WALK_FACTOR 6364136223846793005ULL
#define WALK_TERM   1442695040888963407ULL

static inline uint64_t walk_next(uint64_t state)
{
	return state * WALK_FACTOR + WALK_TERM;
}

static inline uint32_t walk_slot(const struct placement *placement, uint64_t state)
{
	return (uint32_t)(((state >> 32) * placement->slots) >> 32);
}

static inline uint16_t walk_step(const struct placement *placement, uint64_t *state)
{
	*state = walk_next(*state);
	return placement->owners[walk_slot(placement, *state)];
}

static inline bool walk_listed(const uint16_t *members, size_t count, uint16_t member)
{
	for (size_t i = 0; i < count; i++)
		if (members[i] == member)
			return true;
	return false;
}

/* A stretch of the list: the members whose turn it is. */
struct stretch {
	struct turn turn;
	size_t end; /* as many are listed when it is through */
};

struct ranked {
	struct score score;
	uint16_t member;
};

static int ranked_order(const void *a, const void *b)
{
	const struct ranked *left = a, *right = b;

	if (score_nearer(left->score, right->score))
		return -1;
	return score_nearer(right->score, left->score);
}

/* The unlisted members of a stretch, into ranked where it is given. Returns the nearest; member
 * PLACEMENT_NONE: none. */
static struct ranked stretch_rank(const struct placement *placement, uint32_t slot,
				  const struct stretch *stretch, const uint16_t *listed, size_t count,
				  struct ranked *ranked)
{
	uint64_t start = walk_start(placement, slot);
	struct ranked nearest = {{UINT64_MAX, 0}, PLACEMENT_NONE};

	for (size_t i = 0; i < placement->count; i++) {
		const struct placed_member *member = &placement->members[i];
		struct ranked found = {.member = (uint16_t)i};

		if (!member->weight || !turn_takes(stretch->turn, member) ||
		    walk_listed(listed, count, (uint16_t)i))
			continue;
		found.score = score_of(score_mix(start ^ member->hash), member->weight);
		if (score_nearer(found.score, nearest.score))
			nearest = found;
		if (ranked)
			*ranked++ = found;
	}
	return nearest;
}

/* Lists by rank whom the walk did not meet. Sorted all at once where there is memory, else one by one. */
static size_t stretch_finish(const struct placement *placement, uint32_t slot, const struct stretch *stretch,
			     uint16_t *members, size_t count, size_t max)
{
	size_t left = stretch->end - count;
	struct ranked *ranked = max - count > 1 && left > 1 ? malloc(left * sizeof *ranked) : NULL;

	if (ranked) {
		stretch_rank(placement, slot, stretch, members, count, ranked);
		qsort(ranked, left, sizeof *ranked, ranked_order);
		for (size_t i = 0; i < left && count < max; i++)
			members[count++] = ranked[i].member;
		free(ranked);
	}
	while (count < max && count < stretch->end) {
		members[count] = stretch_rank(placement, slot, stretch, members, count, NULL).member;
		count++;
	}
	return count;
}

/* Appends the members of one stretch to a list of `count`, up to max in all. Returns how many are listed. */
static size_t walk_stretch(const struct placement *placement, uint32_t slot, const struct stretch *stretch,
			   uint16_t *members, size_t count, size_t max)
{
	uint64_t state = walk_start(placement, slot);

	for (int step = 0; step < WALK_STEPS && count < max && count < stretch->end; step++) {
		uint16_t met = walk_step(placement, &state);

		if (step >= LAST_STEPS && stretch->end - count == 1)
			break;
		if (met != PLACEMENT_NONE && turn_takes(stretch->turn, &placement->members[met]) &&
		    !walk_listed(members, count, met))
			members[count++] = met;
	}
	if (count < max && count < stretch->end)
		count = stretch_finish(placement, slot, stretch, members, count, max);
	return count;
}

/* How many members with weight are of other zones than that of member. */
static inline size_t members_elsewhere(const struct placement *placement, uint16_t member)
{
	return placement->weighted - placement->zone_sizes[placement->members[member].zone];
}

size_t walk_prefer(const struct placement *placement, uint32_t slot, uint16_t first, uint16_t *ret_members,
		   size_t max)
{
	struct stretch stretch = {.turn = turn_first(placement), .end = placement->weighted};
	size_t count = 1;

	if (max == 0 || first == PLACEMENT_NONE)
		return 0;
	ret_members[0] = first;
	stretch.turn.zone = placement->members[first].zone;
	if (stretch.turn.whose == TURN_ANY_ZONE)
		return walk_stretch(placement, slot, &stretch, ret_members, count, max);
	stretch.end = 1 + members_elsewhere(placement, first);
	count = walk_stretch(placement, slot, &stretch, ret_members, count, max);
	stretch.turn.whose = TURN_SAME_ZONE;
	stretch.end = placement->weighted;
	return walk_stretch(placement, slot, &stretch, ret_members, count, max);
}

/*
 * Most steps of a walk lead to members that are not wanted, each step waits for the one before it, and the
 * processor cannot predict which member comes. So this makes a stride of steps at once, LANES of them side by
 * side, and afterwards looks at those that matter. LEAP_FACTOR and LEAP_TERM are LANES steps in one.
 */
enum { LANES = 4, STRIDE = 16 };
#define LEAP_FACTOR (WALK_FACTOR * WALK_FACTOR * WALK_FACTOR * WALK_FACTOR)
#define LEAP_TERM   (WALK_TERM * (1 + WALK_FACTOR) * (1 + WALK_FACTOR * WALK_FACTOR))

/* Makes the next steps. Returns a bit for each that leads to a member who may be wanted. */
static inline uint32_t walk_stride(const struct placement *placement, const uint64_t *marks,
				   uint64_t states[LANES], uint32_t ret_slots[STRIDE])
{
	uint32_t found = 0;

	for (unsigned int step = 0; step < STRIDE; step += LANES)
		for (unsigned int i = 0; i < LANES; i++) {
			uint32_t at = walk_slot(placement, states[i]);

			ret_slots[step + i] = at;
			found |= (uint32_t)(marks ? marks[at / 64] >> at % 64 & 1 : 1) << (step + i);
			states[i] = states[i] * LEAP_FACTOR + LEAP_TERM;
		}
	return found;
}

static bool visit_turn(const struct placement *placement, uint32_t slot, struct turn turn,
		       const struct placement_visitor *visitor)
{
	uint64_t start = walk_start(placement, slot), states[LANES] = {walk_next(start)};
	uint32_t slots[STRIDE];

	for (int i = 1; i < LANES; i++)
		states[i] = walk_next(states[i - 1]);
	for (int step = 0; step < WALK_STEPS; step += STRIDE) {
		uint32_t found = walk_stride(placement, visitor->marks, states, slots);

		for (; found; found &= found - 1) {
			uint16_t met = placement->owners[slots[__builtin_ctz(found)]];

			if (met == PLACEMENT_NONE || !turn_takes(turn, &placement->members[met]))
				continue;
			if (visitor->marks ? visitor->take(visitor->context, met) : visit_one(visitor, met))
				return true;
		}
	}
	return visit_ranked(placement, start, turn, visitor);
}

void walk_visit(const struct placement *placement, uint32_t slot, uint16_t first,
		const struct placement_visitor *visitor)
{
	struct turn turn = turn_first(placement);

	if (first == PLACEMENT_NONE || visit_one(visitor, first))
		return;
	turn.zone = placement->members[first].zone;
	if (visit_turn(placement, slot, turn, visitor) || turn.whose == TURN_ANY_ZONE)
		return;
	turn.whose = TURN_SAME_ZONE;
	visit_turn(placement, slot, turn, visitor);
}

/* Whether the walk of a slot takes who is met behind its owner before it turns to the owner's own zone. */
static inline bool walk_takes(const struct placement *placement, uint16_t owner, uint16_t met, bool zoned)
{
	if (!zoned)
		return met != owner;
	return placement->members[met].zone != placement->members[owner].zone;
}

/*
 * walk_prefer() of three in a table without holes, kept tight: it decides what a change costs. False where
 * the walk is cut, or the third is of the owner's zone.
 */
static inline bool walk_three(const struct placement *placement, uint32_t slot, bool zoned, uint16_t *members)
{
	uint64_t state = walk_start(placement, slot);
	uint16_t owner = placement->owners[slot], second, third;
	int steps = placement->weighted == 3 && !zoned ? LAST_STEPS : WALK_STEPS;

	if (zoned && members_elsewhere(placement, owner) < 2)
		return false;
	do {
		if (steps-- == 0)
			return false;
		second = walk_step(placement, &state);
	} while (!walk_takes(placement, owner, second, zoned));
	do {
		if (steps-- == 0)
			return false;
		third = walk_step(placement, &state);
	} while (third == second || !walk_takes(placement, owner, third, zoned));
	members[0] = owner;
	members[1] = second;
	members[2] = third;
	return true;
}

void walk_fill(const struct placement *placement, bool holes, uint16_t *preferences)
{
	bool plain = !holes && placement->weighted >= PLACEMENT_STORED_PREFERENCES;

	for (uint32_t slot = 0; slot < placement->slots; slot++) {
		uint16_t *members = preferences + (size_t)slot * PLACEMENT_STORED_PREFERENCES;
		size_t count;

		if (plain && (placement->zones < 2 ? walk_three(placement, slot, false, members)
						   : walk_three(placement, slot, true, members)))
			continue;
		count = walk_prefer(placement, slot, placement->owners[slot], members,
				    PLACEMENT_STORED_PREFERENCES);
		while (count < PLACEMENT_STORED_PREFERENCES)
			members[count++] = PLACEMENT_NONE;
	}
}

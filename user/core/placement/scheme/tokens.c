/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tokens on a circle. Where two fall on one position the member first in name order owns it; the other is
 * still met on the walk. Preferences go clockwise past the members and the zones already met (DeCandia et
 * al., "Dynamo", SOSP 2007, 4.3); when every zone is met, past the members only.
 */
#include "tokens.h"

#include <errno.h>
#include <stdlib.h>

#include "core/placement/table/walk.h"

struct ring *ring_new(size_t count)
{
	struct ring *ring = malloc(sizeof *ring + count * sizeof *ring->tokens);

	if (ring)
		*ring = (struct ring){.count = count};
	return ring;
}

static int token_order(const void *a, const void *b)
{
	const struct token *left = a, *right = b;

	if (left->position != right->position)
		return left->position < right->position ? -1 : 1;
	return (left->member > right->member) - (left->member < right->member);
}

int ring_sort(struct ring *ring, size_t members)
{
	qsort(ring->tokens, ring->count, sizeof *ring->tokens, token_order);
	ring->own = malloc((ring->count + 1) * sizeof *ring->own);
	ring->starts = calloc(members + 2, sizeof *ring->starts);
	if (!ring->own || !ring->starts)
		return -ENOMEM;
	/* A counting sort: where a member's next token goes stands one place on, and is its end at last. */
	for (size_t i = 0; i < ring->count; i++)
		ring->starts[ring->tokens[i].member + 2]++;
	for (size_t i = 2; i < members + 2; i++)
		ring->starts[i] += ring->starts[i - 1];
	for (size_t i = 0; i < ring->count; i++)
		ring->own[ring->starts[ring->tokens[i].member + 1]++] = (uint32_t)i;
	return 0;
}

void ring_release(struct placement *placement)
{
	struct ring *ring = placement->state;

	if (!ring)
		return;
	free(ring->own);
	free(ring->starts);
	free(ring);
}

size_t ring_bytes(const struct placement *placement)
{
	const struct ring *ring = placement->state;

	return sizeof ring->count + ring->count * sizeof *ring->tokens;
}

/* The number of the first token at or after position (strictly after, where the options say so), past the end
 * 0. */
static size_t ring_find(const struct placement *placement, uint64_t position)
{
	const struct ring *ring = placement->state;
	size_t from = 0, count = ring->count, found;
	bool after = placement->options.after;

	while (count > 0) {
		size_t half = count / 2;
		uint64_t token = ring->tokens[from + half].position;

		if (token < position || (after && token == position)) {
			from += half + 1;
			count -= half + 1;
		} else {
			count = half;
		}
	}
	found = from < ring->count ? from : 0;
	return found;
}

uint16_t ring_owner(const struct placement *placement, uint64_t hash)
{
	const struct ring *ring = placement->state;

	return ring->tokens[ring_find(placement, hash)].member;
}

static bool listed(const uint16_t *members, size_t count, uint16_t member)
{
	while (count > 0)
		if (members[--count] == member)
			return true;
	return false;
}

static bool zone_listed(const struct placement *placement, const uint16_t *members, size_t count,
			uint16_t zone)
{
	while (count > 0)
		if (placement->members[members[--count]].zone == zone)
			return true;
	return false;
}

/* Whether the walk passes by a member: its zone, or else it itself, was met already. */
static bool passed(const struct placement *placement, const uint16_t *members, size_t count, uint16_t member,
		   bool past_zones)
{
	return past_zones ? zone_listed(placement, members, count, placement->members[member].zone)
			  : listed(members, count, member);
}

/* The token `step` steps on from token `start`; both are less than there are tokens. */
static const struct token *token_after(const struct ring *ring, size_t start, size_t step)
{
	size_t at = start + step;

	return &ring->tokens[at < ring->count ? at : at - ring->count];
}

/* How many steps it is from the token `start` to the first one of a member; ring->count: it has none. */
static size_t steps_to(const struct ring *ring, size_t start, uint16_t member)
{
	size_t from = ring->starts[member], end = ring->starts[member + 1], low = from, high = end;

	if (from == end)
		return ring->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (ring->own[middle] < start)
			low = middle + 1;
		else
			high = middle;
	}
	return low < end ? ring->own[low] - start : ring->count - start + ring->own[from];
}

/*
 * The step, from `step` on, at which the walk meets a member that it does not pass by; ring->count: none. If
 * a few members have nearly all tokens, the others are far away. So after as many steps as there are members,
 * this looks up the next token of each member instead.
 */
static size_t next_met(const struct placement *placement, size_t start, size_t step, const uint16_t *members,
		       size_t count, bool past_zones)
{
	const struct ring *ring = placement->state;
	size_t far = step + placement->count, nearest = ring->count;

	for (; step < ring->count && step < far; step++)
		if (!passed(placement, members, count, token_after(ring, start, step)->member, past_zones))
			return step;
	for (size_t i = 0; step < ring->count && i < placement->count; i++) {
		size_t steps = steps_to(ring, start, (uint16_t)i);

		if (steps < nearest && !passed(placement, members, count, (uint16_t)i, past_zones))
			nearest = steps;
	}
	return nearest;
}

size_t ring_prefer(const struct placement *placement, uint64_t hash, uint16_t *ret_members, size_t max)
{
	const struct ring *ring = placement->state;
	size_t start = ring_find(placement, hash), count = 0;

	for (int past_zones = 1; past_zones >= 0; past_zones--) {
		size_t most = past_zones && placement->zones < max ? placement->zones : max, step = 0;

		while (count < most && count < placement->weighted) {
			step = next_met(placement, start, step, ret_members, count, past_zones);
			if (step == ring->count)
				break;
			ret_members[count++] = token_after(ring, start, step)->member;
		}
	}
	return count;
}

/* First one member of each zone, then the others, in the order of the walk. */
void ring_visit(const struct placement *placement, uint64_t hash, const struct placement_visitor *visitor)
{
	const struct ring *ring = placement->state;
	size_t start = ring_find(placement, hash), at = start, zones = 0;
	uint16_t *firsts = placement->zones > 1 ? malloc(placement->zones * sizeof *firsts) : NULL;
	bool enough = false;

	for (size_t step = 0; firsts && !enough && step < ring->count && zones < placement->zones; step++) {
		uint16_t member = ring->tokens[at].member;

		at = at + 1 < ring->count ? at + 1 : 0;
		if (zone_listed(placement, firsts, zones, placement->members[member].zone))
			continue;
		firsts[zones++] = member;
		enough = visit_one(visitor, member);
	}
	free(firsts);
	at = start;
	for (size_t step = 0; !enough && step < ring->count; step++) {
		enough = visit_one(visitor, ring->tokens[at].member);
		at = at + 1 < ring->count ? at + 1 : 0;
	}
}

bool placement_token(const struct placement *placement, size_t number, uint64_t *ret_position,
		     uint16_t *ret_member)
{
	const struct ring *ring = placement->state;

	if ((placement->scheme != PLACEMENT_RING && placement->scheme != PLACEMENT_KETAMA) || !ring ||
	    number >= ring->count)
		return false;
	*ret_position = ring->tokens[number].position;
	*ret_member = ring->tokens[number].member;
	return true;
}

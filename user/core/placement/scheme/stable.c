/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slots and members as a stable matching (Gale and Shapley, "College Admissions and the Stability of
 * Marriage", 1962).
 *
 * A slot prefers the members nearest to it by weighted rendezvous; a member takes as many slots as its quota,
 * those nearest to it. Both sides rank pairs by one and the same distance, so that exactly one matching is
 * stable: the table depends on no history and on no order of proposals. Balance is the quotas'; a change
 * moves little more than rendezvous does, because a slot gives up its nearest member only where that one is
 * full of nearer slots.
 *
 * Ties of the rounded distance go by slot, then by name.
 */
#include <errno.h>
#include <stdlib.h>

#include "candidate.h"
#include "scheme.h"

struct suitor {
	uint64_t distance;
	uint32_t slot;
};

/* The slots that a member has said yes to for now: when full, a heap with the farthest on top. */
struct court {
	uint32_t first; /* of its suitors */
	uint32_t count;
	uint32_t quota;
};

struct matching {
	const struct placement *placement;
	const struct candidates *candidates;
	struct suitor *suitors;
	struct court *courts;
	uint64_t *sieves; /* a member's: which draws may still find a place with it (score_passes()) */
	uint8_t *asked;   /* how many of its candidates a slot has proposed to */
};

static inline bool suitor_farther(const struct suitor *a, const struct suitor *b)
{
	return a->distance > b->distance || (a->distance == b->distance && a->slot > b->slot);
}

static void heap_sink(struct suitor *heap, uint32_t count, uint32_t at)
{
	struct suitor sinking = heap[at];

	for (uint32_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
		if (child + 1 < count && suitor_farther(&heap[child + 1], &heap[child]))
			child++;
		if (!suitor_farther(&heap[child], &sinking))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = sinking;
}

static void heap_make(struct suitor *heap, uint32_t count)
{
	for (uint32_t at = count / 2; at > 0; at--)
		heap_sink(heap, count, at - 1);
}

/* Whether member takes the suitor; whom it displaces becomes *ret_displaced, or the suitor itself where it is
 * free. */
static inline bool court_take(struct matching *matching, uint16_t member, struct suitor suitor,
			      uint32_t *ret_displaced)
{
	struct court *court = &matching->courts[member];
	struct suitor *heap = matching->suitors + court->first;

	*ret_displaced = suitor.slot;
	if (court->count < court->quota) {
		heap[court->count++] = suitor;
		if (court->count < court->quota)
			return true;
		heap_make(heap, court->count);
	} else if (suitor_farther(&suitor, &heap[0])) {
		return false;
	} else {
		*ret_displaced = heap[0].slot;
		heap[0] = suitor;
		heap_sink(heap, court->quota, 0);
	}
	matching->sieves[member] = score_sieve(heap[0].distance);
	return true;
}

/* Proposes down the slot's list. */
static bool slot_ask_listed(struct matching *matching, uint32_t slot, uint32_t *ret_displaced)
{
	const uint16_t *list = matching->candidates->lists + (size_t)slot * CANDIDATES;
	uint64_t start = candidate_start(matching->placement, slot);

	while (matching->asked[slot] < matching->candidates->counts[slot]) {
		uint16_t member = list[matching->asked[slot]++];
		const struct placed_member *of = &matching->placement->members[member];
		uint64_t draw = score_mix(start ^ of->hash);

		if (score_passes(draw, matching->sieves[member], of->weight) &&
		    court_take(matching, member, (struct suitor){score_of(draw, of->weight).distance, slot},
			       ret_displaced))
			return true;
	}
	return false;
}

/*
 * A slot whom its whole list has turned down: goes to the nearest member of all that would take it. Asking
 * those in between is idle, and those asked before have not become less choosy since.
 */
static bool slot_ask_all(struct matching *matching, uint32_t slot, uint32_t *ret_displaced)
{
	const struct placement *placement = matching->placement;
	uint64_t start = candidate_start(placement, slot), sieve = UINT64_MAX;
	struct suitor best = {UINT64_MAX, slot};
	uint16_t nearest = PLACEMENT_NONE;

	for (size_t i = 0; i < placement->count; i++) {
		const struct court *court = &matching->courts[i];
		uint32_t weight = placement->members[i].weight;
		uint64_t draw = score_mix(start ^ placement->members[i].hash);
		struct suitor suitor = {.slot = slot};

		if (!weight || !score_passes(draw, matching->sieves[i], weight) ||
		    !score_passes(draw, sieve, weight))
			continue;
		suitor.distance = score_of(draw, weight).distance;
		if (suitor.distance >= best.distance ||
		    (court->count == court->quota &&
		     suitor_farther(&suitor, &matching->suitors[court->first])))
			continue;
		best = suitor;
		nearest = (uint16_t)i;
		sieve = score_sieve(best.distance);
	}
	return nearest != PLACEMENT_NONE && court_take(matching, nearest, best, ret_displaced);
}

/* Finds a place for the slot, for the one that it displaces, and so on. The quotas have room for all. */
static int slot_settle(struct matching *matching, uint32_t slot)
{
	uint32_t displaced = slot;

	do {
		slot = displaced;
		if (!slot_ask_listed(matching, slot, &displaced) && !slot_ask_all(matching, slot, &displaced))
			return -ENOTRECOVERABLE;
	} while (displaced != slot);
	return 0;
}

static void matching_write(const struct matching *matching, uint16_t *owners)
{
	for (size_t member = 0; member < matching->placement->count; member++) {
		const struct court *court = &matching->courts[member];

		for (uint32_t i = 0; i < court->count; i++)
			owners[matching->suitors[court->first + i].slot] = (uint16_t)member;
	}
}

/* How many slots a member may hold: its due, or with a tolerance a little more, which spares others a move.
 */
static uint64_t courts_open(struct matching *matching)
{
	const struct placement *placement = matching->placement;
	uint64_t seats = 0;

	for (size_t i = 0; i < placement->count; i++) {
		const struct placed_member *member = &placement->members[i];
		uint64_t share = (uint64_t)placement->total_weight * 1000;
		unsigned __int128 most = (unsigned __int128)member->weight * placement->slots *
					 (1000 + placement->options.tolerance);
		struct court *court = &matching->courts[i];

		court->quota = member->quota;
		if (placement->options.tolerance && member->weight)
			court->quota = (uint32_t)((most + share - 1) / share);
		court->quota = court->quota > placement->slots ? placement->slots : court->quota;
		court->first = (uint32_t)seats;
		matching->sieves[i] = UINT64_MAX;
		seats += court->quota;
	}
	return seats;
}

static int stable_fill(struct placement *placement, struct refusal *refusal)
{
	struct matching matching = {.placement = placement, .candidates = placement->state};
	int error = quota_share(placement, refusal);

	if (error)
		return error;
	error = -ENOMEM;
	matching.courts = calloc(placement->count, sizeof *matching.courts);
	matching.sieves = malloc(placement->count * sizeof *matching.sieves);
	matching.asked = calloc(placement->slots, sizeof *matching.asked);
	if (matching.courts && matching.sieves)
		matching.suitors = malloc(courts_open(&matching) * sizeof *matching.suitors);
	if (matching.suitors && matching.asked)
		error = 0;
	for (uint32_t slot = 0; slot < placement->slots && !error; slot++)
		error = slot_settle(&matching, slot);
	if (!error)
		matching_write(&matching, placement->owners);
	free(matching.courts);
	free(matching.asked);
	free(matching.sieves);
	free(matching.suitors);
	return error;
}

const struct scheme scheme_stable = {
	.prepare = candidates_prepare,
	.fill = stable_fill,
	.release = candidates_release,
	.quotas = true,
};

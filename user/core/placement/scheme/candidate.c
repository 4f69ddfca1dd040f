/* SPDX-License-Identifier: Apache-2.0 */
#include "candidate.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* So many a slot are expected within the first reach: seldom fewer than a list holds. */
enum { EXPECTED = 18, FRESH_MAX = 8, BLOCK = 64 };

struct candidate {
	uint64_t distance;
	uint16_t member;
};

static inline bool candidate_nearer(const struct candidate *a, const struct candidate *b)
{
	return a->distance < b->distance || (a->distance == b->distance && a->member < b->member);
}

/* The nearest of those that passed the sieve, kept sorted, one more than a list holds. */
struct shortlist {
	size_t count;
	struct candidate nearest[CANDIDATES + 1];
};

static inline void shortlist_add(struct shortlist *shortlist, struct candidate candidate)
{
	size_t at = shortlist->count;

	if (at == CANDIDATES + 1 && !candidate_nearer(&candidate, &shortlist->nearest[--at]))
		return;
	for (; at > 0 && candidate_nearer(&candidate, &shortlist->nearest[at - 1]); at--)
		shortlist->nearest[at] = shortlist->nearest[at - 1];
	shortlist->nearest[at] = candidate;
	if (shortlist->count <= CANDIDATES)
		shortlist->count++;
}

/* Writes a slot's list; where it overflows, its reach shrinks to what did not fit. */
static void shortlist_write(const struct shortlist *shortlist, uint64_t reach, struct candidates *candidates,
			    uint32_t slot)
{
	uint16_t *list = candidates->lists + (size_t)slot * CANDIDATES;
	size_t count = 0;

	if (shortlist->count > CANDIDATES && shortlist->nearest[CANDIDATES].distance < reach)
		reach = shortlist->nearest[CANDIDATES].distance;
	while (count < shortlist->count && count < CANDIDATES && shortlist->nearest[count].distance < reach) {
		list[count] = shortlist->nearest[count].member;
		count++;
	}
	candidates->counts[slot] = (uint8_t)count;
	candidates->reach[slot] = reach;
}

/* What a scan of all members reads, packed. */
struct crowd {
	uint64_t *hashes;
	uint32_t *rooms;   /* the sieve times the weight: see score_passes() */
	uint16_t *members; /* their numbers */
	uint16_t *passed;
	size_t count;
	uint64_t reach;
};

static int crowd_gather(const struct placement *placement, struct crowd *crowd)
{
	size_t padded = (placement->count + BLOCK - 1) / BLOCK * BLOCK;
	uint64_t sieve;

	/* Whole blocks: what pads the last one hardly ever passes, and is then left out. */
	crowd->hashes = calloc(padded, sizeof *crowd->hashes);
	crowd->rooms = calloc(padded, sizeof *crowd->rooms);
	crowd->members = malloc(placement->count * sizeof *crowd->members);
	crowd->passed = malloc(placement->count * sizeof *crowd->passed);
	if (!crowd->hashes || !crowd->rooms || !crowd->members || !crowd->passed)
		return -ENOMEM;
	/* As many as EXPECTED are nearer than EXPECTED / (ln 2 * total weight) on the mean. */
	crowd->reach = UINT64_MAX;
	if (placement->weighted > CANDIDATES)
		crowd->reach = (uint64_t)(EXPECTED / 0.6931 * (double)(1ULL << 56)) / placement->total_weight;
	sieve = score_sieve(crowd->reach);
	for (size_t i = 0; i < placement->count; i++) {
		uint64_t room;

		if (!placement->members[i].weight)
			continue;
		if (crowd->reach == UINT64_MAX ||
		    __builtin_mul_overflow(sieve, (uint64_t)placement->members[i].weight, &room) ||
		    room > UINT32_MAX)
			room = UINT32_MAX;
		crowd->hashes[crowd->count] = placement->members[i].hash;
		crowd->rooms[crowd->count] = (uint32_t)room;
		crowd->members[crowd->count++] = (uint16_t)i;
	}
	return 0;
}

static void crowd_end(struct crowd *crowd)
{
	free(crowd->hashes);
	free(crowd->rooms);
	free(crowd->members);
	free(crowd->passed);
}

/*
 * Who may be within reach of start. This loop is what a cold build costs, and there is nothing in it but
 * arithmetic: where the processor has wide multiplications the compiler uses them, with the same results.
 */
#if defined(__x86_64__) && !defined(__clang__)
__attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default"), optimize("O3")))
#endif
static void
crowd_mark(const uint64_t *hashes, const uint32_t *rooms, uint64_t start, uint8_t *marks)
{
	for (size_t i = 0; i < BLOCK; i++)
		marks[i] = (uint32_t)(~score_mix(start ^ hashes[i]) >> 32) <= rooms[i];
}

static size_t crowd_sift(const struct crowd *crowd, uint64_t start)
{
	uint8_t marks[BLOCK];
	size_t passed = 0;

	for (size_t from = 0; from < crowd->count; from += BLOCK) {
		crowd_mark(crowd->hashes + from, crowd->rooms + from, start, marks);
		for (size_t i = 0; i < BLOCK; i += 8) {
			uint64_t eight;

			memcpy(&eight, marks + i, sizeof eight);
			for (eight = htole64(eight); eight; eight &= eight - 1) {
				size_t at = from + i + (size_t)__builtin_ctzll(eight) / 8;

				if (at < crowd->count)
					crowd->passed[passed++] = crowd->members[at];
			}
		}
	}
	return passed;
}

static int candidates_scan(const struct placement *placement, struct candidates *candidates)
{
	struct crowd crowd = {0};
	int error = crowd_gather(placement, &crowd);

	for (uint32_t slot = 0; slot < placement->slots && !error; slot++) {
		size_t passed = crowd_sift(&crowd, candidate_start(placement, slot));
		struct shortlist shortlist = {0};

		for (size_t i = 0; i < passed; i++)
			shortlist_add(&shortlist,
				      (struct candidate){candidate_distance(placement, slot, crowd.passed[i]),
							 crowd.passed[i]});
		shortlist_write(&shortlist, crowd.reach, candidates, slot);
	}
	crowd_end(&crowd);
	return error;
}

/* What became of the members of an earlier placement. */
struct turnover {
	uint16_t *numbers; /* old number to new, PLACEMENT_NONE: gone, or of another weight */
	uint16_t fresh[FRESH_MAX];
	size_t fresh_count;
	bool much; /* too much to carry over */
};

static int turnover_find(const struct placement *old, const struct placement *new, struct turnover *turnover)
{
	size_t i = 0, j = 0;

	turnover->numbers = malloc((old->count + 1) * sizeof *turnover->numbers);
	if (!turnover->numbers)
		return -ENOMEM;
	while (i < old->count || j < new->count) {
		int order = i == old->count   ? 1
			    : j == new->count ? -1
					      : strcmp(old->members[i].name, new->members[j].name);
		bool same = order == 0 && old->members[i].weight == new->members[j].weight;

		if (order <= 0)
			turnover->numbers[i++] = same ? (uint16_t)j : PLACEMENT_NONE;
		if (order >= 0) {
			if (!same && new->members[j].weight && turnover->fresh_count == FRESH_MAX)
				turnover->much = true;
			else if (!same && new->members[j].weight)
				turnover->fresh[turnover->fresh_count++] = (uint16_t)j;
			j++;
		}
	}
	return 0;
}

/* Copies a slot's list under the new numbers; who left drops out, and what is left is still all within reach.
 */
static void slot_carry(const struct candidates *old, const struct turnover *turnover, struct candidates *new,
		       uint32_t slot)
{
	const uint16_t *from = old->lists + (size_t)slot * CANDIDATES;
	uint16_t *to = new->lists + (size_t)slot *CANDIDATES;
	uint8_t count = 0;

	for (uint8_t i = 0; i < old->counts[slot]; i++) {
		to[count] = turnover->numbers[from[i]];
		count += to[count] != PLACEMENT_NONE;
	}
	new->counts[slot] = count;
	new->reach[slot] = old->reach[slot];
}

/* Lists the newcomers that are within a slot's reach. */
static void slot_welcome(const struct placement *placement, const struct turnover *turnover,
			 struct candidates *candidates, uint32_t slot)
{
	uint64_t start = candidate_start(placement, slot), sieve = score_sieve(candidates->reach[slot]);
	const uint16_t *list = candidates->lists + (size_t)slot * CANDIDATES;

	for (size_t i = 0; i < turnover->fresh_count; i++) {
		const struct placed_member *member = &placement->members[turnover->fresh[i]];
		struct candidate newcomer = {0, turnover->fresh[i]};
		struct shortlist shortlist = {0};

		if (!score_passes(score_mix(start ^ member->hash), sieve, member->weight))
			continue;
		newcomer.distance = candidate_distance(placement, slot, newcomer.member);
		if (newcomer.distance >= candidates->reach[slot])
			continue;
		for (uint8_t rank = 0; rank < candidates->counts[slot]; rank++)
			shortlist_add(&shortlist,
				      (struct candidate){candidate_distance(placement, slot, list[rank]),
							 list[rank]});
		shortlist_add(&shortlist, newcomer);
		shortlist_write(&shortlist, candidates->reach[slot], candidates, slot);
	}
}

static int candidates_carry(const struct placement *previous, const struct placement *placement,
			    struct candidates *candidates, bool *ret_carried)
{
	struct turnover turnover = {0};
	int error;

	*ret_carried = false;
	if (!previous || previous->scheme != PLACEMENT_STABLE || !previous->state ||
	    previous->slots != placement->slots || previous->seed != placement->seed)
		return 0;
	error = turnover_find(previous, placement, &turnover);
	if (!error && !turnover.much) {
		for (uint32_t slot = 0; slot < placement->slots; slot++) {
			slot_carry(previous->state, &turnover, candidates, slot);
			slot_welcome(placement, &turnover, candidates, slot);
		}
		*ret_carried = true;
	}
	free(turnover.numbers);
	return error;
}

static void candidates_free(struct candidates *candidates)
{
	if (!candidates)
		return;
	free(candidates->reach);
	free(candidates->counts);
	free(candidates->lists);
	free(candidates);
}

void candidates_release(struct placement *placement)
{
	candidates_free(placement->state);
}

int candidates_prepare(struct placement *placement, const struct placement *previous, struct refusal *refusal)
{
	struct candidates *candidates = calloc(1, sizeof *candidates);
	bool carried = false;
	int error;

	(void)refusal;
	placement->state = candidates;
	if (!candidates)
		return -ENOMEM;
	candidates->reach = malloc(placement->slots * sizeof *candidates->reach);
	candidates->counts = malloc(placement->slots);
	candidates->lists = malloc((size_t)placement->slots * CANDIDATES * sizeof *candidates->lists);
	if (!candidates->reach || !candidates->counts || !candidates->lists)
		return -ENOMEM;
	error = candidates_carry(previous, placement, candidates, &carried);
	if (!error && !carried)
		error = candidates_scan(placement, candidates);
	return error;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Maglev's table (Eisenbud et al., "Maglev: A Fast and Reliable Software Network Load Balancer", NSDI
 * 2016, 3.4).
 *
 * Every member has a permutation of the slots, offset + k * skip modulo the table's prime size, drawn from
 * the hash of its name. Members take turns; at its turn a member takes the first slot of its permutation that
 * is still free. Here a member has exactly as many turns as its weight is due slots, spread over the rounds
 * in proportion to weight.
 *
 * Two things make it fast. A position is kept as a fraction of the table in 1/2^64, rounded up: stepping is
 * one addition whose overflow is the modulo, and the slot is one high multiplication. The error of a step is
 * below slots / 2^64, and fewer than `slots` steps of it stay far below one slot. And the last few turns,
 * which would probe half of all there is to probe, turn the question round: of the few free slots, which
 * comes first in the permutation?
 */
#include <errno.h>
#include <stdlib.h>

#include "scheme.h"

struct permutation {
	uint64_t at;   /* the next position to try */
	uint64_t step; /* skip, as a fraction */
};

struct filling {
	uint32_t slots;
	uint64_t slot; /* one slot as a fraction of the table: 2^64 / slots, rounded up */
	struct permutation *permutations;
	uint16_t *turns; /* whose turn, slots long */
	uint64_t *taken; /* a bit a slot */
	uint16_t *owners;
};

static inline uint32_t fraction_slot(uint64_t fraction, uint32_t slots)
{
	return (uint32_t)(((unsigned __int128)fraction * slots) >> 64);
}

/* The round of a member's turn: its n-th falls when n shares of the heaviest member's pace are due. */
static inline uint64_t turn_round(uint32_t nth, uint32_t weight, uint32_t heaviest, uint64_t last)
{
	uint64_t round = ((uint64_t)nth * heaviest + weight - 1) / weight - 1;

	return round < last ? round : last;
}

static uint32_t members_heaviest(const struct placement *placement)
{
	uint32_t heaviest = 0;

	for (size_t i = 0; i < placement->count; i++)
		if (placement->members[i].weight > heaviest)
			heaviest = placement->members[i].weight;
	return heaviest;
}

/* Writes all turns by round, within a round by name: a counting sort. */
static int turns_write(const struct placement *placement, uint16_t *turns)
{
	uint32_t heaviest = members_heaviest(placement), *starts;
	uint64_t last = (uint64_t)heaviest * placement->slots / placement->total_weight;

	starts = calloc(last + 2, sizeof *starts);
	if (!starts)
		return -ENOMEM;
	for (size_t i = 0; i < placement->count; i++)
		for (uint32_t nth = 1; nth <= placement->members[i].quota; nth++)
			starts[turn_round(nth, placement->members[i].weight, heaviest, last) + 1]++;
	for (uint64_t round = 0; round < last; round++)
		starts[round + 1] += starts[round];
	for (size_t i = 0; i < placement->count; i++)
		for (uint32_t nth = 1; nth <= placement->members[i].quota; nth++)
			turns[starts[turn_round(nth, placement->members[i].weight, heaviest, last)]++] =
				(uint16_t)i;
	free(starts);
	return 0;
}

/* Equal weights, the usual case: whole rounds, then one of those who won the remainder. The same order as
 * turns_write(). */
static void turns_write_equal(const struct placement *placement, uint16_t *turns)
{
	for (uint32_t round = 0, at = 0; at < placement->slots; round++)
		for (size_t i = 0; i < placement->count; i++)
			if (placement->members[i].quota > round)
				turns[at++] = (uint16_t)i;
}

static bool members_equal(const struct placement *placement)
{
	uint32_t heaviest = members_heaviest(placement);

	return placement->total_weight == (uint64_t)heaviest * placement->weighted;
}

static void permutations_draw(const struct placement *placement, struct filling *filling)
{
	for (size_t i = 0; i < placement->count; i++) {
		uint64_t hash = placement->members[i].hash;
		uint64_t offset = ((hash >> 32) * filling->slots) >> 32;
		uint64_t skip = (((hash & 0xffffffff) * (filling->slots - 1)) >> 32) + 1;

		filling->permutations[i].at = offset * filling->slot;
		filling->permutations[i].step = skip * filling->slot;
	}
}

/* The inverse of a modulo prime, by Euclid's extended algorithm. */
static uint32_t modulo_inverse(uint32_t a, uint32_t prime)
{
	int64_t r0 = prime, r1 = a, t0 = 0, t1 = 1;

	while (r1) {
		int64_t quotient = r0 / r1, r2 = r0 - quotient * r1, t2 = t0 - quotient * t1;

		r0 = r1, r1 = r2;
		t0 = t1, t1 = t2;
	}
	return (uint32_t)(t0 < 0 ? t0 + prime : t0);
}

/* Takes the first `count` turns by probing. */
static void turns_probe(struct filling *filling, uint32_t count)
{
	const uint32_t slots = filling->slots;
	uint64_t *taken = filling->taken;

	for (uint32_t turn = 0; turn < count; turn++) {
		uint16_t member = filling->turns[turn];
		struct permutation *permutation = &filling->permutations[member];
		uint64_t at = permutation->at, step = permutation->step;
		uint32_t slot = fraction_slot(at, slots);

		while ((taken[slot >> 6] >> (slot & 63)) & 1) {
			at += step;
			slot = fraction_slot(at, slots);
		}
		taken[slot >> 6] |= 1ULL << (slot & 63);
		filling->owners[slot] = member;
		permutation->at = at + step;
	}
}

/*
 * The index in free of the slot that comes first from the permutation's position on. Position s is (s - at) /
 * skip steps away modulo slots; as fractions those steps are one multiplication, again with overflow for
 * modulo.
 */
static uint32_t free_first(const struct filling *filling, const struct permutation *permutation,
			   const uint32_t *free_slots, uint32_t count)
{
	uint32_t slots = filling->slots, at = fraction_slot(permutation->at, slots);
	uint64_t inverse = modulo_inverse(fraction_slot(permutation->step, slots), slots) * filling->slot;
	uint64_t nearest = UINT64_MAX;
	uint32_t first = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint64_t steps = (uint64_t)(free_slots[i] + slots - at) * inverse;

		if (steps < nearest) {
			nearest = steps;
			first = i;
		}
	}
	return first;
}

/* Takes the last turns, from `turn` on, by looking from the free slots' side. */
static int turns_finish(struct filling *filling, uint32_t turn)
{
	uint32_t left = filling->slots - turn, count = 0,
		 *free_slots = malloc((left + 1) * sizeof *free_slots);

	if (!free_slots)
		return -ENOMEM;
	for (uint32_t slot = 0; slot < filling->slots; slot++)
		if (!((filling->taken[slot >> 6] >> (slot & 63)) & 1))
			free_slots[count++] = slot;
	for (; count > 0; turn++) {
		uint16_t member = filling->turns[turn];
		uint32_t first = free_first(filling, &filling->permutations[member], free_slots, count);

		filling->owners[free_slots[first]] = member;
		free_slots[first] = free_slots[--count];
	}
	free(free_slots);
	return 0;
}

/* How many turns to leave to turns_finish(): about where its scan of n slots costs as much as slots / n
 * probes. */
static uint32_t turns_left(uint32_t slots)
{
	uint32_t left = 1;

	while (left * left < 2 * slots)
		left++;
	return left;
}

static void filling_end(struct filling *filling)
{
	free(filling->permutations);
	free(filling->turns);
	free(filling->taken);
}

static int maglev_fill(struct placement *placement, struct refusal *refusal)
{
	struct filling filling = {.slots = placement->slots, .owners = placement->owners};
	uint32_t left = turns_left(placement->slots);
	int error = quota_share(placement, refusal);

	if (error)
		return error;
	filling.slot = UINT64_MAX / placement->slots + 1;
	filling.permutations = malloc(placement->count * sizeof *filling.permutations);
	filling.turns = malloc(placement->slots * sizeof *filling.turns);
	filling.taken = calloc(placement->slots / 64 + 1, sizeof *filling.taken);
	if (!filling.permutations || !filling.turns || !filling.taken)
		error = -ENOMEM;
	else if (members_equal(placement))
		turns_write_equal(placement, filling.turns);
	else
		error = turns_write(placement, filling.turns);
	if (!error) {
		permutations_draw(placement, &filling);
		turns_probe(&filling, placement->slots - left);
		error = turns_finish(&filling, placement->slots - left);
	}
	filling_end(&filling);
	return error;
}

static bool is_prime(uint32_t n)
{
	for (uint32_t divisor = 2; divisor * divisor <= n; divisor++)
		if (n % divisor == 0)
			return false;
	return n > 1;
}

/* Only a prime makes offset + k * skip visit every slot. Both ends of the range are prime. */
static int maglev_check_slots(uint32_t slots, struct refusal *refusal)
{
	uint32_t below = slots, above = slots;

	if (is_prime(slots))
		return 0;
	while (!is_prime(below))
		below--;
	while (!is_prime(above))
		above++;
	refuse(refusal, -EINVAL, "table size %u is not prime", slots);
	refusal_right(refusal, "a prime, such as %u or %u", below, above);
	return -EINVAL;
}

const struct scheme scheme_maglev = {
	.check_slots = maglev_check_slots,
	.fill = maglev_fill,
	.quotas = true,
};

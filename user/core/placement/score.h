/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scores of (slot, member) pairs, in integers only, so that two hosts never differ by a rounding.
 *
 * Weighted by the logarithm method: a uniform hash u in (0, 1) gives the distance -log2(u) / weight, and the
 * smallest distance wins with a probability in true proportion to weight (an exponential variate of that
 * rate).
 */
#ifndef HOLDFAST_PLACEMENT_SCORE_H
#define HOLDFAST_PLACEMENT_SCORE_H

#include <stdbool.h>
#include <stdint.h>

struct score {
	uint64_t distance; /* score_distance() of hash, before the weight divides it */
	uint64_t hash;     /* breaks ties: the greater hash is nearer */
	uint32_t weight;   /* never 0 */
};

/* A bijection that spreads every input bit over the word (Stafford's variant 13 of MurmurHash3's finaliser).
 */
static inline uint64_t score_mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

/*
 * -log2(hash / 2^64) in units of 1/2^48. With hash / 2^64 = m / 2^e, m in [sqrt(1/2), sqrt(2)), it is e -
 * log2(m), and log2(m) = 2 / ln 2 * atanh((m - 1) / (m + 1)), an odd series of ratio under 1/33.
 */
static inline uint64_t score_distance(uint64_t hash)
{
	const uint64_t one = 1ULL << 62, root_half = 3260954456333195776ULL,
		       two_over_ln2 = 812165106069600ULL;
	uint64_t m, z, square, term, sum, octaves;
	bool above;

	if (!hash)
		return 65ULL << 48;
	octaves = (uint64_t)__builtin_clzll(hash);
	m = (hash << octaves) >> 2;
	above = m < root_half;
	if (above) {
		m <<= 1;
		octaves++;
	}
	z = (uint64_t)(((unsigned __int128)(above ? m - one : one - m) << 48) / (m + one));
	square = (uint64_t)(((unsigned __int128)z * z) >> 48);
	sum = term = z;
	for (unsigned int odd = 3; odd <= 17; odd += 2) {
		term = (uint64_t)(((unsigned __int128)term * square) >> 48);
		sum += term / odd;
	}
	sum = (uint64_t)(((unsigned __int128)sum * two_over_ln2) >> 48);
	return (octaves << 48) + (above ? -sum : sum);
}

static inline struct score score_of(uint64_t hash, uint32_t weight)
{
	return (struct score){.distance = score_distance(hash), .hash = hash, .weight = weight};
}

/* Whether a is nearer than b. */
static inline bool score_nearer(const struct score *a, const struct score *b)
{
	unsigned __int128 left = (unsigned __int128)a->distance * b->weight;
	unsigned __int128 right = (unsigned __int128)b->distance * a->weight;

	return left < right || (left == right && a->hash > b->hash);
}

#endif

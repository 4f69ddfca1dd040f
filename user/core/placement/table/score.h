/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scores of (slot, member) pairs, in integers only, so that two hosts never differ by a rounding.
 *
 * Weighted by the logarithm method: a uniform hash u in (0, 1) gives the distance -log2(u) / weight, and the
 * smallest distance wins with a probability in true proportion to weight (an exponential variate of that
 * rate).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct score {
	uint64_t distance; /* less is nearer */
	uint64_t hash;     /* breaks ties of the rounded logarithm: the greater hash is nearer */
};

/* A bijection that spreads every input bit over the word (Stafford's variant 13 of MurmurHash3's finaliser).
 */
static inline uint64_t score_mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

static inline uint64_t score_times(uint64_t a, uint64_t b)
{
	return (uint64_t)(((unsigned __int128)a * b) >> 64);
}

/*
 * -log2(hash / 2^64) in units of 1/2^48, thirty bits of it exact. With hash / 2^64 = m / 2^e and m in
 * [sqrt(1/2), sqrt(2)), it is e - log2(m), and log2(m) = 2 / ln 2 * atanh(z), z = (m - 1) / (m + 1), |z| <
 * 0.172; atanh(z) is z + z^3 / 3 + ... + z^13 / 13, here by Horner's rule in z^2.
 */
static inline uint64_t score_logarithm(uint64_t hash)
{
	const uint64_t one = 1ULL << 62, root_half = 3260954456333195776ULL,
		       two_over_ln2 = 812165106069600ULL;
	uint64_t m, gap, z, square, sum, octaves;
	int room;
	bool above;

	if (!hash)
		return 65ULL << 48;
	octaves = (uint64_t)__builtin_clzll(hash);
	m = (hash << octaves) >> 2;
	above = m < root_half;
	m <<= above;
	octaves += above;
	gap = above ? m - one : one - m;
	if (!gap)
		return octaves << 48;
	room = __builtin_clzll(gap);
	z = (gap << room) / ((m + one) >> 31); /* in 1/2^(31 + room) */
	z = room > 17 ? z >> (room - 17) : z << (17 - room);
	square = (uint64_t)(((unsigned __int128)z * z) >> 32); /* in 1/2^64 */
	sum = UINT64_MAX / 11 + score_times(square, UINT64_MAX / 13);
	sum = UINT64_MAX / 9 + score_times(square, sum);
	sum = UINT64_MAX / 7 + score_times(square, sum);
	sum = UINT64_MAX / 5 + score_times(square, sum);
	sum = UINT64_MAX / 3 + score_times(square, sum);
	sum = z + score_times(z, score_times(square, sum));
	sum = (uint64_t)(((unsigned __int128)sum * two_over_ln2) >> 48);
	return (octaves << 48) + (above ? -sum : sum);
}

/* weight is not 0. */
static inline struct score score_of(uint64_t hash, uint32_t weight)
{
	return (struct score){(score_logarithm(hash) << 8) / weight, hash};
}

static inline bool score_nearer(struct score a, struct score b)
{
	return a.distance < b.distance || (a.distance == b.distance && a.hash > b.hash);
}

/*
 * A sieve for the costly logarithm. -ln(u) is at least 1 - u, so a hash can be nearer than `distance` only
 * where (2^64 - hash) / 2^32 is at most sieve * weight. The last bits are rounded in favour of passing.
 */
static inline uint64_t score_sieve(uint64_t distance)
{
	uint64_t sieve = (uint64_t)(((unsigned __int128)distance * 2977044472ULL) >> 56); /* ln 2 in 1/2^32 */

	return sieve + (sieve >> 20) + 2;
}

static inline bool score_passes(uint64_t hash, uint64_t sieve, uint32_t weight)
{
	uint64_t room;

	return __builtin_mul_overflow(sieve, (uint64_t)weight, &room) || (~hash >> 32) <= room;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rings of the memcached world, byte for byte: a key lives where these clients look for it.
 *
 * libmemcached: points are MD5 digests of NAME-i (HOST:PORT-i for another port than memcached's own 11211),
 * four of 32 little-endian bits each; a member has 160 of them on the mean, by weight. A key is MD5's first
 * 32 bits.
 *
 * nginx's `hash ... consistent` follows Cache::Memcached::Fast: 160 points a unit of weight, each CRC-32 of
 * HOST, a zero byte, PORT, and the four bytes of the point before it. A key is its CRC-32. Of equal points
 * one is kept; which, nginx leaves to qsort(), and the first in name order has it here.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/placement/table/digest.h"
#include "tokens.h"

enum { POINTS = 160, MEMCACHED_PORT = 11211 };

static uint32_t little_endian(const uint8_t *bytes)
{
	return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/* libmemcached's sum in its own single precision: a rounding of ours would shift points. */
static size_t libmemcached_points(const struct placement *placement, const struct placed_member *member)
{
	float share = (float)member->weight / (float)placement->total_weight;

	return (size_t)floorf(share * POINTS / 4 * (float)placement->weighted + 0.0000000001F) * 4;
}

/* The length of name without the port that libmemcached does not write. */
static int libmemcached_host(const char *name)
{
	const char *colon = strrchr(name, ':');

	return (int)(colon && atoi(colon + 1) == MEMCACHED_PORT ? (size_t)(colon - name) : strlen(name));
}

static struct token *libmemcached_place(const struct placement *placement, uint16_t number,
					struct token *token)
{
	const struct placed_member *member = &placement->members[number];

	for (size_t point = 0; point < libmemcached_points(placement, member) / 4; point++) {
		uint8_t digest[16];
		char text[96];
		int length = snprintf(text, sizeof text, "%.*s-%zu", libmemcached_host(member->name),
				      member->name, point);

		md5(text, (size_t)length, digest);
		for (int part = 0; part < 4; part++)
			*token++ = (struct token){little_endian(digest + 4 * part), number};
	}
	return token;
}

/* Where the port begins in HOST:PORT, one past the colon; NULL without one, as for names of IPv6 in brackets
 * alone. */
static const char *nginx_port(const char *name)
{
	const char *at = name + strlen(name);

	while (at > name && at[-1] >= '0' && at[-1] <= '9')
		at--;
	return at > name && at[-1] == ':' ? at : NULL;
}

static struct token *nginx_place(const struct placement *placement, uint16_t number, struct token *token)
{
	const struct placed_member *member = &placement->members[number];
	const char *port = nginx_port(member->name);
	size_t host = port ? (size_t)(port - 1 - member->name) : strlen(member->name);
	uint32_t base = crc32_update(~0u, member->name, host), point = 0;

	base = crc32_update(base, "", 1);
	base = port ? crc32_update(base, port, strlen(port)) : base;
	for (uint64_t left = (uint64_t)member->weight * POINTS; left > 0; left--) {
		uint8_t before[4] = {(uint8_t)point, (uint8_t)(point >> 8), (uint8_t)(point >> 16),
				     (uint8_t)(point >> 24)};

		point = ~crc32_update(base, before, sizeof before);
		*token++ = (struct token){point, number};
	}
	return token;
}

static bool is_nginx(const struct placement *placement)
{
	return placement->options.ketama == KETAMA_NGINX;
}

static uint64_t points_in_all(const struct placement *placement)
{
	uint64_t points = 0;

	for (size_t i = 0; i < placement->count; i++)
		points += is_nginx(placement) ? (uint64_t)placement->members[i].weight * POINTS
					      : libmemcached_points(placement, &placement->members[i]);
	return points;
}

static int ketama_prepare(struct placement *placement, const struct placement *previous,
			  struct refusal *refusal)
{
	uint64_t count = points_in_all(placement);
	struct token *token;
	struct ring *ring;

	(void)previous;
	if (count < 1 || count > RING_MAX_TOKENS) {
		refuse(refusal, -EINVAL, "ketama would place %llu points", (unsigned long long)count);
		refusal_right(refusal, "1 to %d points: weights as the other program has them",
			      RING_MAX_TOKENS);
		return -EINVAL;
	}
	placement->space = 1ULL << 32;
	placement->state = ring = ring_new(count);
	if (!ring)
		return -ENOMEM;
	token = ring->tokens;
	for (size_t i = 0; i < placement->count; i++)
		if (placement->members[i].weight)
			token = (is_nginx(placement) ? nginx_place : libmemcached_place)(placement,
											 (uint16_t)i, token);
	return ring_sort(ring, placement->count);
}

static uint64_t ketama_hash(const struct placement *placement, const void *key, size_t length)
{
	uint8_t digest[16];

	if (is_nginx(placement))
		return ~crc32_update(~0u, key, length);
	md5(key, length, digest);
	return little_endian(digest);
}

const struct scheme scheme_ketama = {
	.prepare = ketama_prepare,
	.release = ring_release,
	.hash = ketama_hash,
	.owner = ring_owner,
	.prefer = ring_prefer,
	.visit = ring_visit,
	.bytes = ring_bytes,
};

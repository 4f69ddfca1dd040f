/* SPDX-License-Identifier: Apache-2.0 */
/* Keys: how the text of a key becomes a number, and a number a slot. */
#include <errno.h>
#include <string.h>

#include "digest.h"
#include "table.h"

const char *const placement_hash_names[] = {"xxhash", "md5", "md5-64", "identity", NULL};

static uint64_t big_endian(const uint8_t *bytes, int count)
{
	uint64_t value = 0;

	while (count-- > 0)
		value = value << 8 | *bytes++;
	return value;
}

uint64_t text_hash(enum placement_hash hash, uint64_t seed, const void *text, size_t length)
{
	uint8_t digest[16];

	switch (hash) {
	case PLACEMENT_MD5: /* as a number of 128 bits in hexadecimal reading order: its last four bytes
			       remain */
		md5(text, length, digest);
		return big_endian(digest + 12, 4);
	case PLACEMENT_MD5_64:
		md5(text, length, digest);
		return big_endian(digest, 8);
	default:
		return XXH64(text, length, seed);
	}
}

static uint64_t decimal(const char *digits, size_t length)
{
	uint64_t value = 0;

	while (length-- > 0 && *digits >= '0' && *digits <= '9')
		value = value * 10 + (uint64_t)(*digits++ - '0');
	return value;
}

uint64_t key_hash(const struct placement *placement, const void *key, size_t length)
{
	uint64_t hash;

	if (placement->options.hash == PLACEMENT_IDENTITY)
		hash = decimal(key, length);
	else
		hash = text_hash(placement->options.hash, placement->seed, key, length);
	return placement->options.ring_size ? hash % placement->options.ring_size : hash;
}

uint64_t hash_space(const struct placement_options *options)
{
	if (options->ring_size)
		return options->ring_size;
	return options->hash == PLACEMENT_MD5 ? 1ULL << 32 : 0;
}

uint64_t slot_hash(const struct placement *placement, uint32_t slot)
{
	unsigned __int128 space = placement->space ? placement->space : (unsigned __int128)1 << 64;

	return (uint64_t)((2 * (unsigned __int128)slot + 1) * (space / 2) / placement->slots);
}

/* The full space is scaled from its upper half, as the data plane scales a flow's hash. */
uint32_t hash_slot(const struct placement *placement, uint64_t hash)
{
	if (!placement->space)
		return (uint32_t)((hash >> 32) * placement->slots >> 32);
	return (uint32_t)((unsigned __int128)(hash % placement->space) * placement->slots / placement->space);
}

int placement_hash_parse(const char *word, enum placement_hash *ret)
{
	for (int hash = 0; hash < PLACEMENT_HASHES; hash++)
		if (!strcmp(word, placement_hash_names[hash])) {
			*ret = (enum placement_hash)hash;
			return 0;
		}
	return -EINVAL;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "shares.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct shares {
	bool counted;
	uint32_t moving[HF_MAX_POOLS + 1];
	uint32_t slots[HF_MAX_BACKENDS];
};

int shares_open(struct shares **ret)
{
	*ret = calloc(1, sizeof **ret);
	return *ret ? 0 : -ENOMEM;
}

void shares_close(struct shares *shares)
{
	free(shares);
}

void shares_forget(struct shares *shares)
{
	shares->counted = false;
}

static void count_pool(struct shares *shares, const struct pool_image *pool)
{
	uint32_t moving = 0;

	for (uint32_t i = 0; i < pool->table.size; i++) {
		shares->slots[pool->words[i] & 0xffff]++;
		moving += pool->words[i] >> HF_SLOT_FLAGS_SHIFT & HF_SLOT_MOVING;
	}
	if (pool->number <= HF_MAX_POOLS)
		shares->moving[pool->number] = moving;
}

static void count(struct shares *shares, const struct image *image)
{
	if (shares->counted)
		return;
	memset(shares, 0, sizeof *shares);
	for (size_t i = 0; i < image->pool_count; i++)
		count_pool(shares, &image->pools[i]);
	shares->counted = true;
}

uint32_t shares_backend(struct shares *shares, const struct image *image, uint16_t backend)
{
	count(shares, image);
	return backend ? shares->slots[backend] : 0;
}

uint32_t shares_moving(struct shares *shares, const struct image *image, uint32_t pool)
{
	count(shares, image);
	return pool <= HF_MAX_POOLS ? shares->moving[pool] : 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "shares.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct shares {
	bool counted;
	struct share backends[HF_MAX_BACKENDS];
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
	for (uint32_t i = 0; i < pool->table.size; i++) {
		uint64_t word = pool->words[i];

		shares->backends[word & 0xffff].owned++;
		if (word >> HF_SLOT_FLAGS_SHIFT & HF_SLOT_MOVING)
			shares->backends[word >> HF_SLOT_BASE_SHIFT & 0xffff].based++;
	}
}

struct share shares_backend(struct shares *shares, const struct image *image, uint16_t backend)
{
	if (!shares->counted) {
		memset(shares, 0, sizeof *shares);
		for (size_t i = 0; i < image->pool_count; i++)
			count_pool(shares, &image->pools[i]);
		shares->counted = true;
	}
	return backend ? shares->backends[backend] : (struct share){0};
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "slot_counts.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/image/moves.h"

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
		struct slot slot = slot_read(pool->words[i], pool->since ? pool->since[i] : 0);
		struct share *base = &shares->backends[slot.base];

		shares->backends[slot.owner].owned++;
		if (!slot.moving)
			continue;
		base->based++;
		if (slot.since + pool->idle > base->until)
			base->until = slot.since + pool->idle;
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

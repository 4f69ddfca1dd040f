/* SPDX-License-Identifier: Apache-2.0 */
#include "slot_counts.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/image/moves.h"

struct slot_counts {
	bool counted;
	struct slot_count backends[HF_MAX_BACKENDS];
};

int slot_counts_open(struct slot_counts **ret)
{
	*ret = calloc(1, sizeof **ret);
	return *ret ? 0 : -ENOMEM;
}

void slot_counts_close(struct slot_counts *counts)
{
	free(counts);
}

void slot_counts_forget(struct slot_counts *counts)
{
	counts->counted = false;
}

static void count_pool(struct slot_counts *counts, const struct pool_image *pool)
{
	for (uint32_t i = 0; i < pool->table.size; i++) {
		struct slot slot = slot_read(pool->words[i], pool->since ? pool->since[i] : 0);
		struct slot_count *base = &counts->backends[slot.base];

		counts->backends[slot.owner].owned++;
		if (!slot.moving)
			continue;
		base->based++;
		if (slot.since + pool->idle > base->until)
			base->until = slot.since + pool->idle;
	}
}

struct slot_count slot_counts_backend(struct slot_counts *counts, const struct image *image, uint16_t backend)
{
	if (!counts->counted) {
		memset(counts, 0, sizeof *counts);
		for (size_t i = 0; i < image->pool_count; i++)
			count_pool(counts, &image->pools[i]);
		counts->counted = true;
	}
	return backend ? counts->backends[backend] : (struct slot_count){0};
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "slot_count.h"

#include <string.h>

#include "moves.h"

static void pool_slots_count(const struct pool_image *pool, struct slot_count *counts)
{
	for (uint32_t i = 0; i < pool->table.size; i++) {
		struct slot slot = slot_read(pool->words[i], pool->since ? pool->since[i] : 0);
		struct slot_count *base = &counts[slot.base];

		counts[slot.owner].owned++;
		if (!slot.moving)
			continue;
		base->based++;
		if (slot.since + pool->idle > base->until)
			base->until = slot.since + pool->idle;
	}
}

void slots_count(const struct image *image, struct slot_count ret[HF_MAX_BACKENDS])
{
	memset(ret, 0, HF_MAX_BACKENDS * sizeof *ret);
	for (size_t i = 0; i < image->pool_count; i++)
		pool_slots_count(&image->pools[i], ret);
}

void slot_counts_forget(struct slot_counts *counts)
{
	counts->counted = false;
}

struct slot_count slot_counts_backend(struct slot_counts *counts, const struct image *image, uint16_t backend)
{
	if (!counts->counted) {
		slots_count(image, counts->backends);
		counts->counted = true;
	}
	return backend ? counts->backends[backend] : (struct slot_count){0};
}

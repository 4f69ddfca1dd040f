/* SPDX-License-Identifier: Apache-2.0 */
/* What an image tells of its pools, backends and slots. */
#include <holdfast/slot.h>
#include <stdlib.h>
#include <string.h>

#include "image_pool.h"
#include "moves.h"

int backend_image_order(const void *a, const void *b)
{
	const struct backend_image *left = a, *right = b;

	return (left->number > right->number) - (left->number < right->number);
}

const struct backend_image *image_backend(const struct image *image, uint16_t number)
{
	struct backend_image key = {.number = number};

	if (!image->backend_count)
		return NULL;
	return bsearch(&key, image->backends, image->backend_count, sizeof key, backend_image_order);
}

static int pool_image_order(const void *name, const void *image)
{
	return strcmp(name, ((const struct pool_image *)image)->name);
}

const struct pool_image *image_pool(const struct image *image, const char *name)
{
	if (!image->pool_count)
		return NULL;
	return bsearch(name, image->pools, image->pool_count, sizeof *image->pools, pool_image_order);
}

const struct pool_image *image_pool_numbered(const struct image *image, uint32_t number)
{
	for (size_t i = 0; i < image->pool_count; i++)
		if (image->pools[i].number == number)
			return &image->pools[i];
	return NULL;
}

uint32_t image_next(const struct image *image)
{
	return image->next;
}

uint64_t pool_image_demand(const struct pool_image *image, uint64_t remembered, double opened, uint32_t now)
{
	double left = image->settles > now ? image->settles - now : 0;

	if (!image->moving)
		return remembered;
	return remembered + (uint64_t)(opened * image->moving / image->table.size * left);
}

bool pool_image_same_hash(const struct pool_image *a, const struct pool_image *b)
{
	return a->table.size == b->table.size && a->table.seed == b->table.seed &&
	       a->table.hash == b->table.hash;
}

uint64_t pool_image_word(const struct pool_image *image, uint32_t slot)
{
	return hf_slot_with_hops(image->words[slot], 0);
}

uint32_t pool_image_began_last(const struct pool_image *image)
{
	uint32_t last = image->table.old_size ? image->table.since : 0;

	for (uint32_t at = 0; image->since && at < image->table.size; at++)
		if (hf_slot_is_moving(image->words[at]) && image->since[at] > last)
			last = image->since[at];
	return last;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "followed.h"

#include <errno.h>
#include <stdlib.h>

static int compare_backend_hops(const void *a, const void *b)
{
	const struct backend_hop *x = a, *y = b;
	int order = address_compare(&x->address, &y->address);

	return order ? order : (int)x->backend - (int)y->backend;
}

size_t followed_first(const struct followed *followed, const struct address *address)
{
	size_t low = 0, high = followed->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (address_compare(&followed->list[middle].address, address) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct backend_hop *followed_find(const struct followed *followed, const struct address *address,
				  uint16_t backend)
{
	struct backend_hop key = {.address = *address, .backend = backend};

	return followed->count
		       ? bsearch(&key, followed->list, followed->count, sizeof key, compare_backend_hops)
		       : NULL;
}

struct backend_hop *followed_same(const struct followed *followed, const struct backend_hop *hop)
{
	return followed_find(followed, &hop->address, hop->backend);
}

int followed_make(const struct followed *before, struct image *image, struct followed *ret)
{
	struct backend_hop *list = calloc(image->backend_count + 1, sizeof *list);

	if (!list)
		return -ENOMEM;
	for (size_t i = 0; i < image->backend_count; i++) {
		const struct backend_image *backend = &image->backends[i];
		const struct backend_hop *old = followed_find(before, &backend->address, backend->number);

		if (old)
			list[i] = *old;
		list[i].address = backend->address;
		list[i].backend = backend->number;
	}
	qsort(list, image->backend_count, sizeof *list, compare_backend_hops);
	*ret = (struct followed){list, image->backend_count, image};
	return 0;
}

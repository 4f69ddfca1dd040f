/* SPDX-License-Identifier: Apache-2.0 */
#include "slot_counts.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

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

struct slot_count slot_counts_backend(struct slot_counts *counts, const struct image *image, uint16_t backend)
{
	if (!counts->counted) {
		slots_count(image, counts->backends);
		counts->counted = true;
	}
	return backend ? counts->backends[backend] : (struct slot_count){0};
}

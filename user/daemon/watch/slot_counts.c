/* SPDX-License-Identifier: Apache-2.0 */
#include "slot_counts.h"

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

/* SPDX-License-Identifier: Apache-2.0 */
/* Slot counts: how many slots each backend has, counted when first asked for after a change. */
#ifndef HOLDFAST_SLOT_COUNTS_H
#define HOLDFAST_SLOT_COUNTS_H

#include "core/image/slot_count.h"

/* All 0 at first. */
struct slot_counts {
	bool counted;
	struct slot_count backends[HF_MAX_BACKENDS]; /* by number */
};

/* The image has changed: count again when next asked. */
void slot_counts_forget(struct slot_counts *counts);
struct slot_count slot_counts_backend(struct slot_counts *counts, const struct image *image,
				      uint16_t backend);

#endif

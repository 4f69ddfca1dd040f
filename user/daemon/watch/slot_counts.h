/* SPDX-License-Identifier: Apache-2.0 */
/* Slot counts: how many slots each backend has, counted when first asked for after a change. */
#ifndef HOLDFAST_SLOT_COUNTS_H
#define HOLDFAST_SLOT_COUNTS_H

#include "core/image/image.h"

struct slot_counts;

struct slot_count {
	uint32_t owned; /* slots whose new flows it gets */
	uint32_t based; /* moving slots whose unremembered old flows it has */
	uint32_t until; /* seconds of CLOCK_MONOTONIC when the last of those is ripe, at the earliest */
};

int slot_counts_open(struct slot_counts **ret);
void slot_counts_close(struct slot_counts *counts);
/* The image has changed: count again when next asked. */
void slot_counts_forget(struct slot_counts *counts);
struct slot_count slot_counts_backend(struct slot_counts *counts, const struct image *image,
				      uint16_t backend);

#endif

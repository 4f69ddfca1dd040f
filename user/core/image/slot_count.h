/* SPDX-License-Identifier: Apache-2.0 */
/* Slot counts: how many slots each backend has. */
#pragma once

#include "image.h"

struct slot_count {
	uint32_t owned; /* slots whose new flows it gets */
	uint32_t based; /* moving slots whose unremembered old flows it has */
	uint32_t until; /* seconds of CLOCK_MONOTONIC when the last of those is ripe, at the earliest */
};

/* Counts the slots of all pools by backends' numbers. */
void slots_count(const struct image *image, struct slot_count ret[HF_MAX_BACKENDS]);

/* The same, counted when first asked for after a change. All 0 at first. */
struct slot_counts {
	bool counted;
	struct slot_count backends[HF_MAX_BACKENDS]; /* by number */
};

/* The image has changed: count again when next asked. */
void slot_counts_forget(struct slot_counts *counts);
struct slot_count slot_counts_backend(struct slot_counts *counts, const struct image *image,
				      uint16_t backend);

/* SPDX-License-Identifier: Apache-2.0 */
/* Shares: how many slots each backend has, counted when first asked for after a change. */
#ifndef HOLDFAST_SHARES_H
#define HOLDFAST_SHARES_H

#include "core/image/image.h"

struct shares;

struct share {
	uint32_t owned; /* slots whose new flows it gets */
	uint32_t based; /* moving slots whose unremembered old flows it has */
	uint32_t until; /* seconds of CLOCK_MONOTONIC when the last of those is ripe, at the earliest */
};

int shares_open(struct shares **ret);
void shares_close(struct shares *shares);
/* The image has changed: count again when next asked. */
void shares_forget(struct shares *shares);
struct share shares_backend(struct shares *shares, const struct image *image, uint16_t backend);

#endif

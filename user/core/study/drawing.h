/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pictures of a placement as SVG text: the ring with its tokens, or the table as coloured bands, and what a
 * change does to either. Made to be read at the width of a phone as on a large screen or in print: one column
 * of 800 units, no letter below 22 of them. Colours are those of Okabe and Ito, told apart by the
 * colour-blind; every member has a letter too, so that nothing is said by colour alone.
 */
#pragma once

#include "core/placement/placement.h"
#include "core/value/refusal.h"

enum drawing_scheme { DRAWING_AUTO, DRAWING_LIGHT, DRAWING_DARK };

struct drawing {
	const struct placement *before, *after; /* after NULL: no change */
	const char *title;
	const char *change;      /* in words, or NULL */
	const char *const *keys; /* shown on the ring with their owners */
	size_t key_count;
	enum drawing_scheme colours; /* AUTO: as the reader's screen prefers, light on paper */
	double moved, minimum;       /* shares, printed under a change */
};

enum { DRAWING_MEMBERS = 24, DRAWING_KEYS = 16 };

/* The picture, for the caller to free. 0, -EINVAL with *refusal filled, or -ENOMEM. */
int draw_ring(const struct drawing *drawing, char **ret, struct refusal *refusal);
int draw_bands(const struct drawing *drawing, char **ret, struct refusal *refusal);

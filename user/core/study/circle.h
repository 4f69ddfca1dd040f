/* SPDX-License-Identifier: Apache-2.0 */
/* The circle that a ring is drawn as: angles are radians, clockwise from the top; lengths are the canvas's.
 */
#pragma once

#include "canvas.h"

enum {
	MIDDLE = CANVAS_WIDTH / 2,
	INNER = 232,
	OUTER = 276,
	MOVED_INNER = 284,
	MOVED_OUTER = 308,
	KEY_RADIUS = 346
};

enum { TOP = 100, CENTRE_Y = TOP + KEY_RADIUS + 24 };

double ring_x(double radius, double angle);
double ring_y(double radius, double angle);

double token_angle(const struct placement *placement, uint64_t position);
size_t tokens_count(const struct placement *placement);

/* Things that stand on one circle, pushed apart until none touches the next. */
struct stand {
	double angle, shown; /* where it belongs, and where it stands */
};

/* For qsort(): of angles, and of what begins with one. */
int angle_order(const void *a, const void *b);
/* Sorted by angle; room: the width of each. */
void stands_spread(struct stand *stands, size_t count, double radius, double room);

/* The keys of the picture, around the ring. */
struct placed_key {
	struct stand stand; /* first: sorted by its angle */
	const char *text;
	double owner_angle;
	uint16_t owner;
};

/* Fills as many as the drawing has, placed by what holds after the change where there is one. */
void keys_place(const struct drawing *drawing, struct placed_key *keys);
/* The key's number beside the ring, and an arrow to the token that owns it. */
void key_draw(FILE *svg, const struct placed_key *key, size_t number);
/* A line a key, from y on. */
void keys_list(FILE *svg, const struct drawing *drawing, const struct cast *cast,
	       const struct placed_key *keys, double y);

/* SPDX-License-Identifier: Apache-2.0 */
/* The keys around a ring: each has a number at its place, and an arrow to the token that owns it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "circle.h"

static double owner_angle(const struct placement *placement, uint64_t hash, uint16_t owner)
{
	uint64_t position, first = 0;
	bool found = false;
	uint16_t member;

	for (size_t i = 0; placement_token(placement, i, &position, &member); i++) {
		if (member != owner)
			continue;
		if (position >= hash)
			return token_angle(placement, position);
		if (!found)
			first = position;
		found = true;
	}
	return token_angle(placement, first);
}

/* An arrow inside the ring, bent the deeper the farther it goes clockwise. */
static void arrow_draw(FILE *svg, double from, double to)
{
	double way = to < from ? to + 2 * M_PI - from : to - from, middle = from + way / 2;
	double depth = INNER - 8 - fmin(190, 44 + 90 * way);

	fprintf(svg, "<path class=\"thin\" marker-end=\"url(#tip)\" d=\"M%.2f %.2fQ%.2f %.2f %.2f %.2f\"/>\n",
		ring_x(INNER - 1, from), ring_y(INNER - 1, from), ring_x(depth, middle),
		ring_y(depth, middle), ring_x(INNER - 10, to), ring_y(INNER - 10, to));
}

void key_draw(FILE *svg, const struct placed_key *key, size_t number)
{
	double angle = key->stand.angle, shown = key->stand.shown;

	fprintf(svg, "<path class=\"thin\" d=\"M%.2f %.2fL%.2f %.2fL%.2f %.2f\"/>\n",
		ring_x(KEY_RADIUS - 18, shown), ring_y(KEY_RADIUS - 18, shown),
		ring_x(MOVED_OUTER + 4, angle), ring_y(MOVED_OUTER + 4, angle), ring_x(OUTER + 1, angle),
		ring_y(OUTER + 1, angle));
	fprintf(svg, "<circle class=\"edge\" cx=\"%.2f\" cy=\"%.2f\" r=\"18\"/>\n", ring_x(KEY_RADIUS, shown),
		ring_y(KEY_RADIUS, shown));
	canvas_line(svg, ring_x(KEY_RADIUS, shown), ring_y(KEY_RADIUS, shown) + 8, "small centre", "%zu",
		    number + 1);
	arrow_draw(svg, angle, key->owner_angle);
}

void keys_place(const struct drawing *drawing, struct placed_key *keys)
{
	const struct placement *placement = drawing->after ? drawing->after : drawing->before;
	struct stand stands[DRAWING_KEYS];

	for (size_t i = 0; i < drawing->key_count; i++) {
		size_t length = strlen(drawing->keys[i]);
		uint64_t hash = placement_key_hash(placement, drawing->keys[i], length);

		keys[i] = (struct placed_key){.stand = {token_angle(placement, hash), 0},
					      .text = drawing->keys[i]};
		keys[i].owner = placement_lookup(placement, drawing->keys[i], length);
		keys[i].owner_angle = owner_angle(placement, hash, keys[i].owner);
	}
	qsort(keys, drawing->key_count, sizeof *keys, angle_order);
	for (size_t i = 0; i < drawing->key_count; i++)
		stands[i] = keys[i].stand;
	stands_spread(stands, drawing->key_count, KEY_RADIUS, 40);
	for (size_t i = 0; i < drawing->key_count; i++)
		keys[i].stand = stands[i];
}

void keys_list(FILE *svg, const struct drawing *drawing, const struct cast *cast,
	       const struct placed_key *keys, double y)
{
	const struct placement *placement = drawing->after ? drawing->after : drawing->before;

	for (size_t i = 0; i < drawing->key_count; i++) {
		size_t was =
			cast_member(cast, drawing->before,
				    placement_lookup(drawing->before, keys[i].text, strlen(keys[i].text)));
		size_t is = cast_member(cast, placement, keys[i].owner);

		if (was == is)
			canvas_line(svg, CANVAS_MARGIN, y + 32.0 * (double)i, "key",
				    "%zu  %.30s \xe2\x86\x92 %c", i + 1, keys[i].text, cast_letter(is));
		else
			canvas_line(svg, CANVAS_MARGIN, y + 32.0 * (double)i, "key",
				    "%zu  %.30s \xe2\x86\x92 %c (before: %c)", i + 1, keys[i].text,
				    cast_letter(is), cast_letter(was));
	}
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ring, clockwise from the top: arcs in the colour of their owner, a tick a token; around it, where a
 * change moves an arc, its new owner; inside, an arrow from each key to the token that owns it.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "canvas.h"

enum {
	MIDDLE = CANVAS_WIDTH / 2,
	INNER = 232,
	OUTER = 276,
	MOVED_INNER = 284,
	MOVED_OUTER = 308,
	KEY_RADIUS = 346
};

enum { TOP = 100, CENTRE_Y = TOP + KEY_RADIUS + 24, LETTERED_TOKENS = 24 };

static double token_angle(const struct placement *placement, uint64_t position)
{
	double space =
		placement_space(placement) ? (double)placement_space(placement) : 18446744073709551616.0;

	return 2 * M_PI * (double)position / space;
}

static double ring_x(double radius, double angle)
{
	return MIDDLE + radius * sin(angle);
}

static double ring_y(double radius, double angle)
{
	return CENTRE_Y - radius * cos(angle);
}

/* A piece of a ring between two angles and two radii. */
static void piece(FILE *svg, double from, double to, double inner, double outer, size_t member,
		  const char *extra)
{
	double most = 2 * M_PI - 1e-4;
	int large;

	to = to - from > most ? from + most : to;
	large = to - from > M_PI;
	fprintf(svg,
		"<path class=\"m%zu\" %s d=\"M%.2f %.2fA%.0f %.0f 0 %d 1 %.2f %.2fL%.2f %.2fA%.0f %.0f 0 %d "
		"0 "
		"%.2f %.2fZ\"/>\n",
		member % 8, extra, ring_x(outer, from), ring_y(outer, from), outer, outer, large,
		ring_x(outer, to), ring_y(outer, to), ring_x(inner, to), ring_y(inner, to), inner, inner,
		large, ring_x(inner, from), ring_y(inner, from));
}

static size_t tokens_count(const struct placement *placement)
{
	uint64_t position;
	uint16_t member;
	size_t count = 0;

	while (placement_token(placement, count, &position, &member))
		count++;
	return count;
}

static void arcs_draw(FILE *svg, const struct placement *placement, const struct cast *cast)
{
	size_t count = tokens_count(placement);
	uint64_t position;
	uint16_t member;
	double last;

	placement_token(placement, count - 1, &position, &member);
	last = token_angle(placement, position) - 2 * M_PI;
	for (size_t i = 0; i < count; i++) {
		double angle;

		placement_token(placement, i, &position, &member);
		angle = token_angle(placement, position);
		piece(svg, last, angle, INNER, OUTER, cast_member(cast, placement, member), "");
		last = angle;
	}
}

/* Ticks; a few tokens carry their letter as well, and those that come or go are dashed. */
static void tokens_draw(FILE *svg, const struct placement *placement, const struct cast *cast, bool joining)
{
	size_t count = tokens_count(placement);
	bool few = count <= LETTERED_TOKENS;

	for (size_t i = 0; i < count; i++) {
		uint64_t position;
		uint16_t number;
		size_t member;
		double angle;
		bool dashed;

		placement_token(placement, i, &position, &number);
		member = cast_member(cast, placement, number);
		dashed = cast->joins[member] || cast->leaves[member];
		if (joining && !cast->joins[member])
			continue;
		angle = token_angle(placement, position);
		fprintf(svg, "<path class=\"edge%s\" d=\"M%.2f %.2fL%.2f %.2f\"/>\n", dashed ? " dash" : "",
			ring_x(INNER - (few ? 0 : 6), angle), ring_y(INNER - (few ? 0 : 6), angle),
			ring_x(OUTER, angle), ring_y(OUTER, angle));
		if (!few)
			continue;
		fprintf(svg, "<circle class=\"m%zu\" cx=\"%.2f\" cy=\"%.2f\" r=\"17\"/>", member % 8,
			ring_x(INNER - 20, angle), ring_y(INNER - 20, angle));
		fprintf(svg, "<circle class=\"edge%s\" cx=\"%.2f\" cy=\"%.2f\" r=\"17\"/>\n",
			dashed ? " dash" : "", ring_x(INNER - 20, angle), ring_y(INNER - 20, angle));
		canvas_line(svg, ring_x(INNER - 20, angle), ring_y(INNER - 20, angle) + 8, "on", "%c",
			    cast_letter(member));
	}
}

/* The owner of the point just before angle: the first token at or after it. */
static size_t owner_at(const struct placement *placement, const struct cast *cast, double angle, size_t *from)
{
	size_t count = tokens_count(placement);
	uint64_t position;
	uint16_t member;

	for (; *from < count; ++*from) {
		placement_token(placement, *from, &position, &member);
		if (token_angle(placement, position) >= angle - 1e-12)
			return cast_member(cast, placement, member);
	}
	placement_token(placement, 0, &position, &member);
	return cast_member(cast, placement, member);
}

static int angle_order(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

/* Between neighbouring tokens of either ring owners are constant: each such piece that changes is marked. */
static int moves_draw(FILE *svg, const struct drawing *drawing, const struct cast *cast)
{
	size_t olds = tokens_count(drawing->before), news = tokens_count(drawing->after), count = 0, old = 0,
	       new = 0;
	double *angles = malloc((olds + news + 1) * sizeof *angles), last = 0;
	uint64_t position;
	uint16_t member;

	if (!angles)
		return -ENOMEM;
	for (size_t i = 0; placement_token(drawing->before, i, &position, &member); i++)
		angles[count++] = token_angle(drawing->before, position);
	for (size_t i = 0; placement_token(drawing->after, i, &position, &member); i++)
		angles[count++] = token_angle(drawing->after, position);
	angles[count++] = 2 * M_PI;
	qsort(angles, count, sizeof *angles, angle_order);
	for (size_t i = 0; i < count; last = angles[i++]) {
		size_t was = owner_at(drawing->before, cast, angles[i], &old);
		size_t is = owner_at(drawing->after, cast, angles[i], &new);

		if (was != is && angles[i] - last > 1e-9)
			piece(svg, last, angles[i], MOVED_INNER, MOVED_OUTER, is,
			      "stroke=\"var(--line)\" stroke-width=\"1.5\"");
	}
	free(angles);
	return 0;
}

struct placed_key {
	const char *text;
	double angle, owner_angle,
		shown; /* shown: where its number stands, moved apart from its neighbours */
	uint16_t owner;
};

static int key_order(const void *a, const void *b)
{
	return angle_order(&((const struct placed_key *)a)->angle, &((const struct placed_key *)b)->angle);
}

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

/* Pushes numbers apart until none touches the next; a few rounds will do for as many as are allowed. */
static void keys_spread(struct placed_key *keys, size_t count)
{
	const double room = 2 * asin(19.0 / KEY_RADIUS);

	for (size_t i = 0; i < count; i++)
		keys[i].shown = keys[i].angle;
	for (int round = 0; round < 200 && count > 1; round++)
		for (size_t i = 0; i < count; i++) {
			struct placed_key *a = &keys[i], *b = &keys[(i + 1) % count];
			double gap = b->shown - a->shown + (i + 1 == count ? 2 * M_PI : 0);

			if (gap < room) {
				a->shown -= (room - gap) / 2;
				b->shown += (room - gap) / 2;
			}
		}
}

static void key_draw(FILE *svg, const struct placed_key *key, size_t number)
{
	double inner = INNER - 46;

	fprintf(svg, "<path class=\"thin\" d=\"M%.2f %.2fL%.2f %.2f\"/>\n",
		ring_x(KEY_RADIUS - 18, key->shown), ring_y(KEY_RADIUS - 18, key->shown),
		ring_x(OUTER + 2, key->angle), ring_y(OUTER + 2, key->angle));
	fprintf(svg, "<circle class=\"edge\" cx=\"%.2f\" cy=\"%.2f\" r=\"18\"/>\n",
		ring_x(KEY_RADIUS, key->shown), ring_y(KEY_RADIUS, key->shown));
	canvas_line(svg, ring_x(KEY_RADIUS, key->shown), ring_y(KEY_RADIUS, key->shown) + 8, "small centre",
		    "%zu", number + 1);
	fprintf(svg,
		"<path class=\"thin\" fill=\"none\" marker-end=\"url(#tip)\" d=\"M%.2f %.2fQ%.2f %.2f %.2f "
		"%.2f\"/>\n",
		ring_x(INNER, key->angle), ring_y(INNER, key->angle),
		ring_x(inner - 60,
		       (key->angle + key->owner_angle) / 2 + (key->owner_angle < key->angle ? M_PI : 0)),
		ring_y(inner - 60,
		       (key->angle + key->owner_angle) / 2 + (key->owner_angle < key->angle ? M_PI : 0)),
		ring_x(inner, key->owner_angle), ring_y(inner, key->owner_angle));
}

/* The keys of the picture, placed by what holds after the change where there is one. */
static void keys_place(const struct drawing *drawing, struct placed_key *keys)
{
	const struct placement *placement = drawing->after ? drawing->after : drawing->before;

	for (size_t i = 0; i < drawing->key_count; i++) {
		size_t length = strlen(drawing->keys[i]);
		uint64_t hash = placement_key_hash(placement, drawing->keys[i], length);

		keys[i] =
			(struct placed_key){.text = drawing->keys[i], .angle = token_angle(placement, hash)};
		keys[i].owner = placement_lookup(placement, drawing->keys[i], length);
		keys[i].owner_angle = owner_angle(placement, hash, keys[i].owner);
	}
	qsort(keys, drawing->key_count, sizeof *keys, key_order);
	keys_spread(keys, drawing->key_count);
}

static double keys_list(FILE *svg, const struct drawing *drawing, const struct cast *cast,
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
	return y + 32.0 * (double)drawing->key_count;
}

static int ring_write(FILE *svg, const struct drawing *drawing, const struct cast *cast)
{
	double legend = CENTRE_Y + KEY_RADIUS + 40, keys_at = legend + legend_height(cast) + 28;
	double numbers = keys_at + 32.0 * (double)drawing->key_count + (drawing->key_count ? 8 : -4);
	struct placed_key keys[DRAWING_KEYS];
	int error = 0;

	canvas_open(svg, drawing, cast, numbers + (drawing->after ? 72 : 40));
	fputs("<defs><marker id=\"tip\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"9\" "
	      "markerHeight=\"9\" orient=\"auto-start-reverse\"><path class=\"mark\" d=\"M0 0L10 5L0 10z\"/>"
	      "</marker></defs>\n",
	      svg);
	canvas_text(svg, CANVAS_MARGIN, 44, "title", drawing->title);
	canvas_text(svg, CANVAS_MARGIN, 80, "faint",
		    drawing->change ? drawing->change : "clockwise from the top");
	arcs_draw(svg, drawing->before, cast);
	keys_place(drawing, keys);
	for (size_t i = 0; i < drawing->key_count; i++)
		key_draw(svg, &keys[i], i);
	tokens_draw(svg, drawing->before, cast, false);
	if (drawing->after) {
		tokens_draw(svg, drawing->after, cast, true);
		error = moves_draw(svg, drawing, cast);
	}
	legend_draw(svg, drawing, cast, legend);
	keys_list(svg, drawing, cast, keys, keys_at);
	if (drawing->after) {
		canvas_line(svg, CANVAS_MARGIN, numbers, "number",
			    "moved %.2f %% of keys, at least %.2f %% must", 100 * drawing->moved,
			    100 * drawing->minimum);
		canvas_text(svg, CANVAS_MARGIN, numbers + 34, "faint", "outer band: what moves, and to whom");
	} else {
		canvas_line(svg, CANVAS_MARGIN, numbers, "faint", "%zu tokens",
			    tokens_count(drawing->before));
	}
	canvas_close(svg);
	return error;
}

int draw_ring(const struct drawing *drawing, char **ret, struct refusal *refusal)
{
	struct cast cast;
	size_t size = 0;
	char *text = NULL;
	FILE *svg;
	int error;

	if (!tokens_count(drawing->before) || (drawing->after && !tokens_count(drawing->after))) {
		refuse(refusal, -EINVAL, "there is no ring to draw");
		refusal_right(refusal, "scheme ring or ketama, and a member with weight");
		return -EINVAL;
	}
	if (drawing->key_count > DRAWING_KEYS) {
		refuse(refusal, -EINVAL, "%zu keys would not fit around the ring", drawing->key_count);
		refusal_right(refusal, "%d keys or fewer", DRAWING_KEYS);
		return -EINVAL;
	}
	error = cast_gather(drawing, &cast, refusal);
	if (error)
		return error;
	svg = open_memstream(&text, &size);
	if (!svg)
		return -ENOMEM;
	error = ring_write(svg, drawing, &cast);
	if (fclose(svg) && !error)
		error = -ENOMEM;
	if (error)
		free(text);
	else
		*ret = text;
	return error;
}

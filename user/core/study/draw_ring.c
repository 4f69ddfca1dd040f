/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ring, clockwise from the top: arcs in the colour of their owner, a tick a token; around it, where a
 * change moves an arc, its new owner; inside, an arrow from each key to the token that owns it.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "circle.h"

enum { LETTERED_TOKENS = 30, TICKED_TOKENS = 96 };

/* A piece of a ring between two angles and two radii. */
static void piece(FILE *svg, double from, double to, double inner, double outer, size_t member,
		  const char *extra)
{
	double most = 2 * M_PI - 1e-4;
	int large;

	to = to - from > most ? from + most : to;
	large = to - from > M_PI;
	fprintf(svg,
		"<path class=\"m%zu %s\" d=\"M%.2f %.2fA%.0f %.0f 0 %d 1 %.2f %.2fL%.2f %.2fA%.0f %.0f 0 %d "
		"0 "
		"%.2f %.2fZ\"/>\n",
		member, extra, ring_x(outer, from), ring_y(outer, from), outer, outer, large,
		ring_x(outer, to), ring_y(outer, to), ring_x(inner, to), ring_y(inner, to), inner, inner,
		large, ring_x(inner, from), ring_y(inner, from));
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

struct drawn_token {
	struct stand stand; /* first: sorted by its angle */
	size_t member;
	bool dashed;
};

/* The tokens of before, and of after those that join. NULL: out of memory. */
static struct drawn_token *tokens_gather(const struct drawing *drawing, const struct cast *cast,
					 size_t *ret_count)
{
	const struct placement *sides[] = {drawing->before, drawing->after};
	size_t room = tokens_count(drawing->before) + (drawing->after ? tokens_count(drawing->after) : 0);
	struct drawn_token *tokens = calloc(room + 1, sizeof *tokens);
	uint64_t position;
	uint16_t number;

	*ret_count = 0;
	for (int side = 0; side < (drawing->after ? 2 : 1) && tokens; side++)
		for (size_t i = 0; placement_token(sides[side], i, &position, &number); i++) {
			size_t member = cast_member(cast, sides[side], number);

			if (side == 1 && !cast->joins[member])
				continue;
			tokens[(*ret_count)++] =
				(struct drawn_token){{token_angle(sides[side], position), 0},
						     member,
						     cast->joins[member] || cast->leaves[member]};
		}
	if (tokens)
		qsort(tokens, *ret_count, sizeof *tokens, angle_order);
	return tokens;
}

static void token_letter(FILE *svg, const struct drawn_token *token)
{
	double radius = (INNER + OUTER) / 2.0, angle = token->stand.shown;

	fprintf(svg, "<circle class=\"m%zu\" cx=\"%.2f\" cy=\"%.2f\" r=\"17\"/>", token->member,
		ring_x(radius, angle), ring_y(radius, angle));
	fprintf(svg, "<circle class=\"edge%s\" cx=\"%.2f\" cy=\"%.2f\" r=\"17\"/>\n",
		token->dashed ? " dash" : "", ring_x(radius, angle), ring_y(radius, angle));
	letter_draw(svg, ring_x(radius, angle), ring_y(radius, angle), token->member);
}

/*
 * A tick a token, dashed for those that come or go. Few tokens carry their letter as well; of very many only
 * those of a change are shown, since the arcs say the rest.
 */
static int tokens_draw(FILE *svg, const struct drawing *drawing, const struct cast *cast)
{
	size_t count;
	struct drawn_token *tokens = tokens_gather(drawing, cast, &count);
	struct stand stands[LETTERED_TOKENS];
	bool few = count <= LETTERED_TOKENS;

	if (!tokens)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		double angle = tokens[i].stand.angle;

		if (count > TICKED_TOKENS && !tokens[i].dashed)
			continue;
		fprintf(svg, "<path class=\"%s\" d=\"M%.2f %.2fL%.2f %.2f\"/>\n",
			tokens[i].dashed ? "edge dash" : "edge", ring_x(INNER - 7, angle),
			ring_y(INNER - 7, angle), ring_x(OUTER + 4, angle), ring_y(OUTER + 4, angle));
	}
	for (size_t i = 0; i < count && few; i++)
		stands[i] = tokens[i].stand;
	if (few)
		stands_spread(stands, count, (INNER + OUTER) / 2.0, 38);
	for (size_t i = 0; i < count && few; i++) {
		tokens[i].stand = stands[i];
		token_letter(svg, &tokens[i]);
	}
	free(tokens);
	return 0;
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
			piece(svg, last, angles[i], MOVED_INNER, MOVED_OUTER, is, "moves");
	}
	free(angles);
	return 0;
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
	if (drawing->after)
		error = moves_draw(svg, drawing, cast);
	for (size_t i = 0; i < drawing->key_count; i++)
		key_draw(svg, &keys[i], i);
	if (!error)
		error = tokens_draw(svg, drawing, cast);
	legend_draw(svg, drawing, cast, legend);
	keys_list(svg, drawing, cast, keys, keys_at);
	if (drawing->after) {
		canvas_line(svg, CANVAS_MARGIN, numbers, "number",
			    "moved %.2f %% of keys; even shares need %.2f %%", 100 * drawing->moved,
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

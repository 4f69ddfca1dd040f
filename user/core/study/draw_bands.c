/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table as bands: a cell a slot with its owner's letter. With a change a cell's upper half is the owner
 * before, its lower half the one after, and a slot that moves has a frame.
 */
#include <errno.h>
#include <stdlib.h>

#include "canvas.h"

enum { COLUMNS = 16, CELL = (CANVAS_WIDTH - 2 * CANVAS_MARGIN) / COLUMNS, SHOWN = 160, TOP = 108 };

static void half(FILE *svg, const struct cast *cast, const struct placement *placement, uint32_t slot,
		 double x, double y, double height)
{
	uint16_t owner = placement_owners(placement)[slot];
	size_t member = cast_member(cast, placement, owner);

	if (owner == PLACEMENT_NONE)
		return;
	fprintf(svg, "<rect class=\"m%zu\" x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%.1f\"/>\n", member, x,
		y, CELL - 3, height);
	letter_draw(svg, x + (CELL - 3) / 2.0, y + height / 2, member);
}

static void cell(FILE *svg, const struct drawing *drawing, const struct cast *cast, uint32_t slot,
		 double height)
{
	double x = CANVAS_MARGIN + slot % COLUMNS * CELL, y = TOP + slot / COLUMNS * (height + 8);
	size_t was = cast_member(cast, drawing->before, placement_owners(drawing->before)[slot]), is;

	if (!drawing->after) {
		half(svg, cast, drawing->before, slot, x, y, height);
		return;
	}
	is = cast_member(cast, drawing->after, placement_owners(drawing->after)[slot]);
	half(svg, cast, drawing->before, slot, x, y, height / 2);
	half(svg, cast, drawing->after, slot, x, y + height / 2, height / 2);
	if (was != is)
		fprintf(svg,
			"<rect class=\"edge frame\" x=\"%.1f\" y=\"%.1f\" width=\"%d\" "
			"height=\"%.1f\"/>\n",
			x, y, CELL - 3, height);
}

static void bands_write(FILE *svg, const struct drawing *drawing, const struct cast *cast)
{
	uint32_t slots = placement_slots(drawing->before), shown = slots < SHOWN ? slots : SHOWN;
	double height = drawing->after ? 64 : 34, rows = (shown + COLUMNS - 1) / COLUMNS;
	double legend = TOP + rows * (height + 8) + 20, numbers = legend + legend_height(cast) + 28;

	canvas_open(svg, drawing, cast, numbers + (drawing->after ? 72 : 40));
	canvas_text(svg, CANVAS_MARGIN, 44, "title", drawing->title);
	if (drawing->change)
		canvas_line(svg, CANVAS_MARGIN, 80, "faint", "%s; above: before, below: after",
			    drawing->change);
	else
		canvas_text(svg, CANVAS_MARGIN, 80, "faint", "a cell a slot, by number, row by row");
	for (uint32_t slot = 0; slot < shown; slot++)
		cell(svg, drawing, cast, slot, height);
	legend_draw(svg, drawing, cast, legend);
	if (drawing->after) {
		canvas_line(svg, CANVAS_MARGIN, numbers, "number",
			    "moved %.2f %% of slots; even shares need %.2f %%", 100 * drawing->moved,
			    100 * drawing->minimum);
		numbers += 34;
	}
	canvas_line(svg, CANVAS_MARGIN, numbers, "faint", "the first %u of %u slots; shares are of all",
		    shown, slots);
	canvas_close(svg);
}

int draw_bands(const struct drawing *drawing, char **ret, struct refusal *refusal)
{
	struct cast cast;
	size_t size = 0;
	char *text = NULL;
	FILE *svg;
	int error = cast_gather(drawing, &cast, refusal);

	if (error)
		return error;
	if (!placement_owners(drawing->before) ||
	    (drawing->after && placement_slots(drawing->after) != placement_slots(drawing->before))) {
		refuse(refusal, -EINVAL, "there are no two tables of one size to draw");
		return -EINVAL;
	}
	svg = open_memstream(&text, &size);
	if (!svg)
		return -ENOMEM;
	bands_write(svg, drawing, &cast);
	if (fclose(svg))
		error = -ENOMEM;
	if (error)
		free(text);
	else
		*ret = text;
	return error;
}

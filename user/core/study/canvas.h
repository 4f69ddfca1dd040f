/* SPDX-License-Identifier: Apache-2.0 */
/* What every picture shares: the page, its colours, a legend of members, lines of text. */
#pragma once

#include <stdio.h>

#include "drawing.h"

enum { CANVAS_WIDTH = 800, CANVAS_MARGIN = 24 };

/* The members that a picture is about: those of before, then those that only after has. */
struct cast {
	const char *names[DRAWING_MEMBERS];
	double before[DRAWING_MEMBERS], after[DRAWING_MEMBERS]; /* shares */
	bool joins[DRAWING_MEMBERS], leaves[DRAWING_MEMBERS];
	size_t count;
};

int cast_gather(const struct drawing *drawing, struct cast *ret, struct refusal *refusal);
/* The number in the cast of a member of placement. */
size_t cast_member(const struct cast *cast, const struct placement *placement, uint16_t member);

/* Opens a page of that height; height is in units. */
void canvas_open(FILE *svg, const struct drawing *drawing, const struct cast *cast, double height);
void canvas_close(FILE *svg);
/* One line of text; what is too long for the page is cut with an ellipsis. class as the style sheet has it.
 */
void canvas_text(FILE *svg, double x, double y, const char *class, const char *text);
/* Printf-fashion; escapes what XML needs escaped. */
__attribute__((format(printf, 5, 6))) void canvas_line(FILE *svg, double x, double y, const char *class,
						       const char *format, ...);
/* A member's letter, its middle at (x, y), on a ground of the member's colour. */
void letter_draw(FILE *svg, double x, double y, size_t member);
/* The height of a legend, and the legend itself. */
double legend_height(const struct cast *cast);
void legend_draw(FILE *svg, const struct drawing *drawing, const struct cast *cast, double y);
/* The letter of a member: A to X. */
char cast_letter(size_t member);

/* SPDX-License-Identifier: Apache-2.0 */
#include "canvas.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

enum { TEXT_SIZE = 24, ROW = 40, COLOURS = 8, DARK_COLOUR = 4 };

/* Okabe and Ito's eight, black replaced by a grey that is seen on dark ground too. */
static const char *const colours[COLOURS] = {"#e69f00", "#56b4e9", "#009e73", "#f0e442",
					     "#0072b2", "#d55e00", "#cc79a7", "#8c8c8c"};

/* Plain rules, no variables: not every reader of SVG knows those. */
static const char style_light[] = "text,.mark{fill:#1a1a1a}.faint{fill:#5c5c5c}.ground{fill:#fff}"
				  ".edge,.thin,.moves{stroke:#1a1a1a}";
static const char style_dark[] = "text,.mark{fill:#f2f2f2}.faint{fill:#b4b4b4}.ground{fill:#14171a}"
				 ".edge,.thin,.moves{stroke:#f2f2f2}";

static int cast_add(struct cast *cast, const char *name, struct refusal *refusal)
{
	if (cast->count == DRAWING_MEMBERS) {
		refuse(refusal, -EINVAL, "a picture of more than %d members would say nothing",
		       DRAWING_MEMBERS);
		refusal_right(refusal, "%d members or fewer; `placement compare` for more", DRAWING_MEMBERS);
		return -EINVAL;
	}
	cast->names[cast->count++] = name;
	return 0;
}

size_t cast_member(const struct cast *cast, const struct placement *placement, uint16_t member)
{
	const char *name = placement_member_name(placement, member);
	size_t i = 0;

	while (name && i < cast->count && strcmp(cast->names[i], name) != 0)
		i++;
	return i;
}

static void cast_share(const struct cast *cast, const struct placement *placement, double *shares)
{
	const uint16_t *owners = placement_owners(placement);

	for (uint32_t slot = 0; owners && slot < placement_slots(placement); slot++)
		if (owners[slot] != PLACEMENT_NONE)
			shares[cast_member(cast, placement, owners[slot])] +=
				1.0 / placement_slots(placement);
}

/* The ring's own shares are exact: the arcs in front of the tokens. */
static bool cast_share_ring(const struct cast *cast, const struct placement *placement, double *shares)
{
	double space =
		placement_space(placement) ? (double)placement_space(placement) : 18446744073709551616.0;
	uint64_t position, last = 0, first = 0;
	uint16_t member, first_member = 0;
	size_t token;

	for (token = 0; placement_token(placement, token, &position, &member); token++) {
		if (token)
			shares[cast_member(cast, placement, member)] += (double)(position - last) / space;
		else
			first = position, first_member = member;
		last = position;
	}
	if (token)
		shares[cast_member(cast, placement, first_member)] += 1 - (double)(last - first) / space;
	return token > 0;
}

int cast_gather(const struct drawing *drawing, struct cast *ret, struct refusal *refusal)
{
	struct cast cast = {.count = 0};
	int error = 0;

	for (size_t i = 0; i < placement_members(drawing->before) && !error; i++) {
		const char *name = placement_member_name(drawing->before, (uint16_t)i);

		error = cast_add(&cast, name, refusal);
		if (!error && drawing->after)
			cast.leaves[i] = placement_member_number(drawing->after, name) == PLACEMENT_NONE;
	}
	for (size_t i = 0; drawing->after && i < placement_members(drawing->after) && !error; i++) {
		const char *name = placement_member_name(drawing->after, (uint16_t)i);

		if (placement_member_number(drawing->before, name) != PLACEMENT_NONE)
			continue;
		error = cast_add(&cast, name, refusal);
		cast.joins[cast.count - 1] = true;
	}
	if (error)
		return error;
	if (!cast_share_ring(&cast, drawing->before, cast.before))
		cast_share(&cast, drawing->before, cast.before);
	if (drawing->after && !cast_share_ring(&cast, drawing->after, cast.after))
		cast_share(&cast, drawing->after, cast.after);
	*ret = cast;
	return 0;
}

char cast_letter(size_t member)
{
	return (char)('A' + member);
}

static void style_write(FILE *svg, enum drawing_scheme scheme)
{
	fprintf(svg,
		"<style>\ntext{font:%dpx \"DejaVu Sans\",Verdana,Helvetica,Arial,sans-serif}\n"
		".title{font-size:30px;font-weight:bold}.small{font-size:22px}.centre{text-anchor:middle}\n"
		".edge{fill:none;stroke-width:2}.thin{fill:none;stroke-width:1.5}.moves{stroke-width:1.5}\n"
		".frame{stroke-width:5}.dash{stroke-dasharray:7 5}\n%s\n",
		TEXT_SIZE, scheme == DRAWING_DARK ? style_dark : style_light);
	if (scheme == DRAWING_AUTO)
		fprintf(svg, "@media screen and (prefers-color-scheme:dark){%s}\n", style_dark);
	/* Letters on a colour are black on either ground, but white on the one dark blue. */
	fputs("text.on{fill:#000;font-size:22px;text-anchor:middle}text.pale{fill:#fff}\n", svg);
	for (size_t i = 0; i < DRAWING_MEMBERS; i++)
		if (i < COLOURS)
			fprintf(svg, ".m%zu{fill:%s}", i, colours[i]);
		else
			fprintf(svg, ".m%zu{fill:url(#p%zu)}", i, i);
	fputs("\n</style>\n", svg);
}

/* The ninth member and those behind it have a colour again, but hatched; from the seventeenth on dotted. */
static void patterns_write(FILE *svg, const struct cast *cast)
{
	fputs("<defs>\n", svg);
	for (size_t i = COLOURS; i < cast->count; i++)
		fprintf(svg,
			"<pattern id=\"p%zu\" width=\"10\" height=\"10\" "
			"patternUnits=\"userSpaceOnUse\"><rect "
			"width=\"10\" height=\"10\" fill=\"%s\"/>%s</pattern>\n",
			i, colours[i % COLOURS],
			i < 2 * COLOURS ? "<path d=\"M-2 2L2 -2M0 10L10 0M8 12L12 8\" stroke=\"#000\" "
					  "stroke-width=\"2.5\"/>"
					: "<circle cx=\"5\" cy=\"5\" r=\"2.4\" fill=\"#000\"/>");
	fputs("</defs>\n", svg);
}

void canvas_open(FILE *svg, const struct drawing *drawing, const struct cast *cast, double height)
{
	fprintf(svg,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %.0f\" width=\"100%%\" "
		"role=\"img\">\n",
		CANVAS_WIDTH, height);
	canvas_line(svg, -1, -1, "title", "%s", drawing->title);
	style_write(svg, drawing->colours);
	patterns_write(svg, cast);
	fprintf(svg, "<rect class=\"ground\" width=\"%d\" height=\"%.0f\"/>\n", CANVAS_WIDTH, height);
}

void canvas_close(FILE *svg)
{
	fputs("</svg>\n", svg);
}

static void escape(FILE *svg, const char *text)
{
	for (; *text; text++) {
		if (*text == '&')
			fputs("&amp;", svg);
		else if (*text == '<')
			fputs("&lt;", svg);
		else if (*text == '>')
			fputs("&gt;", svg);
		else if ((unsigned char)*text >= ' ')
			fputc(*text, svg);
	}
}

/* A letter is at most 0.66 of its size wide on the mean in these fonts, bold ones 0.72. */
static size_t letters_fit(double x, const char *class)
{
	double size = strstr(class, "title")   ? 30 * 0.72
		      : strstr(class, "small") ? 22 * 0.62
					       : TEXT_SIZE * 0.62;

	return (size_t)((CANVAS_WIDTH - CANVAS_MARGIN - x) / size);
}

void canvas_text(FILE *svg, double x, double y, const char *class, const char *text)
{
	size_t fit = letters_fit(x, class);
	char cut[160];

	if (x < 0) { /* the document's own title, which a screen reader speaks */
		fputs("<title>", svg);
		escape(svg, text);
		fputs("</title>\n", svg);
		return;
	}
	if (!*text)
		return;
	if (strlen(text) > fit && fit > 1 && !strstr(class, "centre") && !strstr(class, "on")) {
		snprintf(cut, sizeof cut, "%.*s\xe2\x80\xa6", (int)(fit < 150 ? fit - 1 : 150), text);
		text = cut;
	}
	fprintf(svg, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">", x, y, class);
	escape(svg, text);
	fputs("</text>\n", svg);
}

void canvas_line(FILE *svg, double x, double y, const char *class, const char *format, ...)
{
	char text[256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	canvas_text(svg, x, y, class, text);
}

void letter_draw(FILE *svg, double x, double y, size_t member)
{
	if (member >= COLOURS) /* a letter on a pattern would not be read */
		fprintf(svg, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"15\" fill=\"%s\"/>", x, y,
			colours[member % COLOURS]);
	canvas_line(svg, x, y + 8, member % COLOURS == DARK_COLOUR ? "on pale" : "on", "%c",
		    cast_letter(member));
}

double legend_height(const struct cast *cast)
{
	return (double)cast->count * ROW + 8;
}

static const char *legend_note(const struct cast *cast, size_t member)
{
	return cast->joins[member] ? "joins" : cast->leaves[member] ? "leaves" : "";
}

void legend_draw(FILE *svg, const struct drawing *drawing, const struct cast *cast, double y)
{
	for (size_t i = 0; i < cast->count; i++, y += ROW) {
		char name[40];

		fprintf(svg,
			"<rect class=\"m%zu\" x=\"%d\" y=\"%.1f\" width=\"44\" height=\"32\" rx=\"4\"/>\n", i,
			CANVAS_MARGIN, y);
		letter_draw(svg, CANVAS_MARGIN + 22, y + 16, i);
		/* Long names give way to the numbers. */
		snprintf(name, sizeof name, strlen(cast->names[i]) > 18 ? "%.17s\xe2\x80\xa6" : "%.18s",
			 cast->names[i]);
		canvas_text(svg, CANVAS_MARGIN + 60, y + 25, "name", name);
		if (!drawing->after)
			canvas_line(svg, 420, y + 25, "number", "%.1f %%", 100 * cast->before[i]);
		else
			canvas_line(svg, 420, y + 25, "number", "%.1f %% \xe2\x86\x92 %.1f %%",
				    100 * cast->before[i], 100 * cast->after[i]);
		canvas_text(svg, 670, y + 25, "faint", legend_note(cast, i));
	}
}

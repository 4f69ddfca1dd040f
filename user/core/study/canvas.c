/* SPDX-License-Identifier: Apache-2.0 */
#include "canvas.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

enum { TEXT_SIZE = 24, ROW = 40 };

/* Okabe and Ito's eight, black replaced by a grey that is seen on dark ground too. */
static const char *const colours[8] = {"#e69f00", "#56b4e9", "#009e73", "#f0e442",
				       "#0072b2", "#d55e00", "#cc79a7", "#8c8c8c"};

static const char style_light[] = "--ground:#ffffff;--ink:#1a1a1a;--faint:#6b6b6b;--line:#1a1a1a;";
static const char style_dark[] = "--ground:#14171a;--ink:#f2f2f2;--faint:#b0b0b0;--line:#f2f2f2;";

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
	fprintf(svg, "<style>\nsvg{%s}\n", scheme == DRAWING_DARK ? style_dark : style_light);
	if (scheme == DRAWING_AUTO)
		fprintf(svg, "@media screen and (prefers-color-scheme:dark){svg{%s}}\n", style_dark);
	fprintf(svg,
		"text{font:%dpx \"DejaVu Sans\",Verdana,Helvetica,Arial,sans-serif;fill:var(--ink)}\n"
		".title{font-size:30px;font-weight:bold}.faint{fill:var(--faint)}.small{font-size:22px}\n"
		".centre{text-anchor:middle}.on{fill:#000;font-size:22px;text-anchor:middle}\n"
		".edge{fill:none;stroke:var(--line);stroke-width:2}.thin{stroke:var(--line);stroke-width:1.5}"
		"\n"
		".ground{fill:var(--ground)}.dash{stroke-dasharray:7 5}.mark{fill:var(--line)}\n",
		TEXT_SIZE);
	for (size_t i = 0; i < 8; i++)
		fprintf(svg, ".m%zu{fill:%s}", i, colours[i]);
	fputs("\n</style>\n", svg);
}

/* Literal colours for readers without style sheets' variables: the page would be black on black there. */
static const char *literal(enum drawing_scheme scheme, const char *light, const char *dark)
{
	return scheme == DRAWING_DARK ? dark : light;
}

void canvas_open(FILE *svg, const struct drawing *drawing, const struct cast *cast, double height)
{
	(void)cast;
	fprintf(svg,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %.0f\" width=\"100%%\" "
		"role=\"img\" "
		"fill=\"%s\">\n",
		CANVAS_WIDTH, height, literal(drawing->colours, "#1a1a1a", "#f2f2f2"));
	canvas_line(svg, -1, -1, "title", "%s", drawing->title);
	style_write(svg, drawing->colours);
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
			"<rect class=\"m%zu\" x=\"%d\" y=\"%.1f\" width=\"44\" height=\"32\" rx=\"4\"/>\n",
			i % 8, CANVAS_MARGIN, y);
		canvas_line(svg, CANVAS_MARGIN + 22, y + 24, "on", "%c", cast_letter(i));
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

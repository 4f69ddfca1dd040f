// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/study/comparison.h"
#include "core/study/drawing.h"
#include "cli/frame/complain.h"
#include "placement_study.h"
#include "placement_verbs.h"

/* What moves: of a ring by a hundred thousand keys, of a table by its slots. */
static int drawing_measure(const struct study *study, struct drawing *drawing, bool ring)
{
	struct sample sample = {.prefix = ring ? "key" : NULL, .count = 100000};
	const struct placement *sides[] = {drawing->before, drawing->after};
	uint16_t *owners[2] = {NULL, NULL};
	uint32_t *weights[2] = {NULL, NULL};
	struct figures figures = {0};
	int error = 0;

	for (int side = 0; side < 2 && !error; side++) {
		owners[side] = malloc(sample_size(sides[side], &sample) * sizeof *owners[side]);
		weights[side] = study_weights(study, side, sides[side]);
		error = owners[side] && weights[side] ? 0 : -ENOMEM;
		if (!error)
			sample_owners(sides[side], &sample, owners[side]);
	}
	if (!error)
		error = compare(&sample, &(struct side){sides[0], owners[0], weights[0]},
				&(struct side){sides[1], owners[1], weights[1]}, &figures);
	drawing->moved = figures.moved;
	drawing->minimum = figures.minimum;
	for (int side = 0; side < 2; side++) {
		free(owners[side]);
		free(weights[side]);
	}
	return error;
}

static enum exit_status picture_write(const struct call *call, const char *picture)
{
	const char *name = call_option(call, "output");
	struct refusal refusal = {.what = ""};
	FILE *file = name && strcmp(name, "-") ? fopen(name, "w") : stdout;
	int error = 0;

	if (!file || fputs(picture, file) < 0)
		error = -errno;
	if (file && file != stdout && fclose(file))
		error = -errno;
	if (!error)
		return STATUS_DONE;
	refuse(&refusal, error, "%s", strerror(-error));
	refusal_where(&refusal, "%s", name);
	return complain(STATUS_REFUSED, &refusal, error);
}

static enum drawing_scheme colours_of(const struct call *call)
{
	const char *word = call_option(call, "colours");

	if (!word || !strcmp(word, "auto"))
		return DRAWING_AUTO;
	return strcmp(word, "dark") ? DRAWING_LIGHT : DRAWING_DARK;
}

static enum exit_status draw(const struct call *call, const struct study *study, enum placement_scheme scheme,
			     struct placement *before, struct placement *after)
{
	bool ring = scheme == PLACEMENT_RING || scheme == PLACEMENT_KETAMA;
	struct refusal refusal = {.what = ""};
	char title[80], change[200], *picture = NULL;
	struct drawing drawing = {.before = before,
				  .after = after,
				  .title = title,
				  .change = study->change ? change : NULL,
				  .keys = call->words,
				  .key_count = call->word_count,
				  .colours = colours_of(call)};
	enum exit_status status;
	int error = 0;

	snprintf(title, sizeof title, "%s of %zu members", placement_scheme_name(scheme),
		 study->before.count);
	snprintf(change, sizeof change, "change: %s", study->change ? study->change : "");
	if (!ring && call->word_count) {
		refuse(&refusal, -EINVAL, "keys are shown on a ring, and %s has none",
		       placement_scheme_name(scheme));
		refusal_right(&refusal, "--scheme ring or ketama, or no keys");
		return complain(STATUS_USAGE, &refusal, -EINVAL);
	}
	if (after)
		error = drawing_measure(study, &drawing, ring);
	if (!error)
		error = (ring ? draw_ring : draw_bands)(&drawing, &picture, &refusal);
	if (error)
		return complain(STATUS_REFUSED, &refusal, error);
	status = picture_write(call, picture);
	free(picture);
	return status;
}

enum exit_status placement_draw(const struct call *call)
{
	enum placement_scheme scheme = study_scheme(call, PLACEMENT_RING);
	struct placement *before = NULL, *after = NULL;
	struct study study;
	enum exit_status status = study_open(call, &study);

	if (status)
		return status;
	study.options.keys_only = scheme == PLACEMENT_RING || scheme == PLACEMENT_KETAMA;
	status = study_build(&study, scheme, false, &before);
	if (!status && study.change)
		status = study_build(&study, scheme, true, &after);
	if (!status)
		status = draw(call, &study, scheme, before, after);
	placement_free(before);
	placement_free(after);
	study_close(&study);
	return status;
}

// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <math.h>

#include "core/study/replay.h"
#include "cli/frame/complain.h"
#include "figure.h"
#include "placement_study.h"
#include "placement_verbs.h"
#include "progress.h"

enum { STEPS_MAX = 72, PLOT_ROWS = 11 };

/* The curves of a replay, and the letter that draws each. */
static const struct curve {
	const char *name;
	char letter;
	enum placement_scheme scheme;
	bool warm;
} curves[] = {
	{"modulo", 'm', PLACEMENT_MODULO, false},
	{"ring", 'r', PLACEMENT_RING, false},
	{"ring_warmed", 'w', PLACEMENT_RING, true},
};

enum { CURVES = sizeof curves / sizeof *curves };

struct film {
	struct replay replay;
	double rates[CURVES][STEPS_MAX];
};

static double curve_lowest(const struct film *film, size_t curve)
{
	double lowest = 1;

	for (uint32_t step = film->replay.change_at; step < film->replay.steps; step++)
		lowest = fmin(lowest, film->rates[curve][step]);
	return lowest;
}

/* The rate before the change: of the last step. */
static double curve_before(const struct film *film, size_t curve)
{
	return film->rates[curve][film->replay.change_at - 1];
}

/* Steps from the change until the rate is back within two points of what it was; -1: not within the film. */
static int curve_recovery(const struct film *film, size_t curve)
{
	for (uint32_t step = film->replay.steps; step > film->replay.change_at; step--)
		if (film->rates[curve][step - 1] < curve_before(film, curve) - 0.02)
			return step == film->replay.steps ? -1 : (int)(step - film->replay.change_at);
	return 0;
}

/* Several curves at one place: the worst shows. */
static void plot_print(const struct film *film)
{
	for (int row = PLOT_ROWS - 1; row >= 0; row--) {
		printf("%4d%% |", row * 100 / (PLOT_ROWS - 1));
		for (uint32_t step = 0; step < film->replay.steps; step++) {
			char letter = step == film->replay.change_at ? ':' : ' ';

			for (size_t curve = CURVES; curve > 0; curve--)
				if (lround(film->rates[curve - 1][step] * (PLOT_ROWS - 1)) == row)
					letter = curves[curve - 1].letter;
			putchar(letter);
		}
		putchar('\n');
	}
	printf("      +");
	for (uint32_t step = 0; step < film->replay.steps; step++)
		putchar(step == film->replay.change_at ? '^' : '-');
	printf("\n       hit rate, step by step; ^ the change\n");
}

static void curve_print(const struct film *film, size_t curve)
{
	double before = curve_before(film, curve), lowest = curve_lowest(film, curve);
	int recovery = curve_recovery(film, curve);
	char back[48];

	if (recovery < 0)
		snprintf(back, sizeof back, "not back when the film ends");
	else
		snprintf(back, sizeof back, "back after %d step%s", recovery, recovery == 1 ? "" : "s");
	printf("%c  %-12s %5.1f%% before, %5.1f%% at worst, store load %4.1f times, %s\n",
	       curves[curve].letter, curves[curve].name, 100 * before, 100 * lowest,
	       (1 - lowest) / fmax(1 - before, 1e-9), back);
}

static json_t *film_json(const struct film *film)
{
	json_t *rows = json_array();

	for (uint32_t step = 0; step < film->replay.steps; step++) {
		json_t *row = json_pack("{s:I,s:b}", "step", (json_int_t)step, "changed",
					step >= film->replay.change_at);

		for (size_t curve = 0; curve < CURVES; curve++)
			json_object_set_new(row, curves[curve].name, json_real(film->rates[curve][step]));
		json_array_append_new(rows, row);
	}
	return rows;
}

static enum exit_status film_shoot(const struct study *study, struct film *film)
{
	struct progress progress = progress_start();
	struct refusal refusal = {.what = ""};
	enum exit_status status = STATUS_DONE;

	for (size_t curve = 0; curve < CURVES && !status; curve++) {
		struct placement *before = NULL, *after = NULL;
		int error = 0;

		progress_show(&progress, (double)curve / CURVES, curves[curve].name);
		status = study_build(study, curves[curve].scheme, false, &before);
		status = status ?: study_build(study, curves[curve].scheme, true, &after);
		film->replay.before = before;
		film->replay.after = after;
		film->replay.warm = curves[curve].warm;
		if (!status)
			error = replay_run(&film->replay, film->rates[curve], &refusal);
		if (error)
			status = complain(STATUS_REFUSED, &refusal, error);
		placement_free(before);
		placement_free(after);
	}
	progress_end(&progress);
	return status;
}

static void film_show(const struct call *call, const struct study *study, const struct film *film)
{
	json_t *rows = film_json(film);

	if (call_flag(call, "csv")) {
		figures_print_csv(rows);
	} else if (call->json) {
		figures_print_json(json_incref(rows));
	} else {
		printf("%zu members, then %s; %u keys, %u requests a step\n", study->before.count,
		       study->change, film->replay.keys, film->replay.requests);
		plot_print(film);
		for (size_t curve = 0; curve < CURVES; curve++)
			curve_print(film, curve);
	}
	json_decref(rows);
}

enum exit_status placement_replay(const struct call *call)
{
	uint32_t steps = study_number(call, "steps", 60);
	struct film film = {.replay = {.keys = study_number(call, "keys", 20000),
				       .requests = study_number(call, "requests", 10000),
				       .room = study_number(call, "cache", 0),
				       .skew = 0.8}};
	struct study study;
	enum exit_status status = study_fraction(call, "skew", 0, &film.replay.skew);

	status = status ?: study_open(call, &study);
	if (status)
		return status;
	film.replay.steps = steps < STEPS_MAX ? steps < 4 ? 4 : steps : STEPS_MAX;
	film.replay.change_at = film.replay.steps / 3;
	film.replay.seed = study.seed;
	if (!study.change) {
		struct refusal refusal;

		refuse(&refusal, -EINVAL, "a change is missing");
		refusal_right(&refusal, "what to replay, like +d, -b or b*2");
		status = complain(STATUS_USAGE, &refusal, -EINVAL);
	}
	status = status ?: film_shoot(&study, &film);
	if (!status)
		film_show(call, &study, &film);
	study_close(&study);
	return status;
}

// SPDX-License-Identifier: Apache-2.0
/* backend drain, and the wait until the backend can be switched off. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/value/duration.h"
#include "cli/change/change_run.h"
#include "cli/frame/complain.h"
#include "cli/frame/field.h"
#include "cli/frame/moment.h"
#include "cli/frame/request.h"
#include "nouns.h"

enum { TIMEOUT_DEFAULT = 86400, POLL_MILLISECONDS = 500, CUT_SECONDS = 5 };

struct wait {
	const struct call *call;
	char pool[NAME_SIZE], name[BACKEND_TEXT];
	bool terminal;
	bool has_quiet, has_deadline;
	uint32_t quiet, timeout, deadline; /* seconds */
	double began, active;              /* monotonic seconds; active: when an old flow was last heard of */
	double shown;                      /* flows, in the last line; below 0: none was shown */
	double left;                       /* flows, when the deadline came */
};

static bool option_seconds(const struct call *call, const char *name, uint32_t *ret)
{
	const char *text = call_option(call, name);

	return text && !duration_parse(text, ret);
}

static void wait_begin(const struct call *call, struct wait *ret)
{
	*ret = (struct wait){
		.call = call, .terminal = isatty(STDOUT_FILENO), .timeout = TIMEOUT_DEFAULT, .shown = -1};
	value_split_backend(call->words[0], ret->pool, ret->name);
	ret->has_quiet = option_seconds(call, "quiet", &ret->quiet);
	ret->has_deadline = option_seconds(call, "deadline", &ret->deadline);
	option_seconds(call, "timeout", &ret->timeout);
	ret->began = ret->active = monotonic_seconds();
}

/* Remembered flows that still may send. */
static double flows_open(const json_t *backend)
{
	return field_number(backend, "remembered") - field_number(backend, "closing");
}

/* The count, whenever it changes: on a terminal in one line. */
static void wait_show(struct wait *wait, const json_t *backend)
{
	double flows = flows_open(backend);
	char heard[QUANTITY_TEXT];

	if (wait->call->json || flows == wait->shown)
		return;
	printf("%s%s: %.0f remembered flows", wait->terminal && wait->shown >= 0 ? "\r\033[K" : "",
	       wait->call->words[0], flows);
	if (!field_is_null(backend, "heard"))
		printf(", last heard %s ago", field_elapsed(backend, "heard", heard));
	if (!wait->terminal)
		putchar('\n');
	fflush(stdout);
	wait->shown = flows;
}

static void wait_note(struct wait *wait, const json_t *backend)
{
	double now = monotonic_seconds(), heard = now;

	if (now - wait->began <= wait->deadline)
		wait->left = flows_open(backend);
	if (!field_is_null(backend, "heard"))
		heard = now - field_number(backend, "heard");
	else if (flows_open(backend) <= 0)
		return;
	if (heard > wait->active)
		wait->active = heard;
}

/*
 * No known flow is left, and none was heard for as long as --quiet asks. The daemon guarantees both:
 * "drained" by is_drained() of daemon/change/drain.c, and "counted" by evidence_last(), which is null while
 * the last count may miss flows that the drain left there.
 */
static bool wait_is_over(const struct wait *wait, const json_t *backend)
{
	double counted = monotonic_seconds() - field_number(backend, "counted");

	if (!wait->has_quiet)
		return !strcmp(field_text(backend, "admin"), "drained");
	return !field_is_null(backend, "counted") && flows_open(backend) <= 0 &&
	       counted - wait->active >= wait->quiet;
}

/* The deadline came, and the daemon has done what it does then. */
static bool wait_is_cut(const struct wait *wait, const json_t *backend)
{
	double since = monotonic_seconds() - wait->began - wait->deadline;

	return wait->has_deadline && wait->left > 0 && since > 0 &&
	       ((!field_is_null(backend, "counted") && flows_open(backend) <= 0) || since > CUT_SECONDS);
}

/* cut: by the deadline; otherwise nothing is left. */
static enum exit_status wait_done(const struct wait *wait, const struct answer *answer, bool cut)
{
	const char *backend = wait->call->words[0];
	char quiet[DURATION_TEXT];

	if (wait->call->json)
		return answer_print(answer);
	if (cut)
		printf("%s: the deadline passed: %.0f remembered flows were cut\n", backend, wait->left);
	else
		printf("%s drained: it can be switched off; a flow that was silent for longer than %s cannot "
		       "be seen\n",
		       backend,
		       wait->has_quiet ? duration_text(wait->quiet, quiet) : "its service's idle time");
	return STATUS_DONE;
}

/* What was waited for when the time was over. */
static enum exit_status wait_timed_out(const struct wait *wait, const json_t *backend)
{
	struct refusal refusal = {.what = ""};
	double flows = flows_open(backend);
	char timeout[DURATION_TEXT], quiet[DURATION_TEXT];

	duration_text(wait->timeout, timeout);
	if (flows > 0)
		refuse(&refusal, -ETIME, "%.0f flows are still remembered after %s", flows, timeout);
	else if (wait->has_quiet)
		refuse(&refusal, -ETIME, "no flow is remembered after %s, but not yet for %s", timeout,
		       duration_text(wait->quiet, quiet));
	else
		refuse(&refusal, -ETIME,
		       "no flow is remembered after %s, but one that is silent could not be seen before its "
		       "service's idle time is over",
		       timeout);
	refusal_where(&refusal, "backend %s", wait->call->words[0]);
	refusal_right(&refusal, "it stays draining: wait again, or --%s",
		      flows > 0 || wait->has_quiet ? "deadline to end what is left"
						   : "quiet D to wait for less silence");
	return complain(STATUS_TIMED_OUT, &refusal, 0);
}

/* The backend has left: meanwhile, or before the command came. */
static enum exit_status wait_refused(const struct wait *wait, enum exit_status status,
				     const struct refusal *refusal)
{
	if (strcmp(refusal->kind, "missing") != 0)
		return complain(status, refusal, 0);
	if (!wait->call->json)
		printf("%s has left its pool: it can be switched off\n", wait->call->words[0]);
	return STATUS_DONE;
}

static enum exit_status wait_until_drained(struct wait *wait)
{
	const char *const names[] = {wait->pool, wait->name};
	const struct timespec pause = {.tv_nsec = POLL_MILLISECONDS * 1000000L};
	struct refusal refusal = {.what = ""};
	struct answer answer = {NULL, NULL};
	enum exit_status status;
	bool cut = false, done = false;

	for (;;) {
		status = request_try(wait->call, "/v1/backends/%s/%s", names, NULL, &answer, &refusal);
		if (status)
			break;
		wait_note(wait, answer.json);
		cut = wait_is_cut(wait, answer.json);
		done = cut || wait_is_over(wait, answer.json);
		if (done || monotonic_seconds() - wait->began > wait->timeout)
			break;
		wait_show(wait, answer.json);
		answer_free(&answer);
		nanosleep(&pause, NULL);
	}
	if (wait->terminal && wait->shown >= 0 && !wait->call->json)
		putchar('\n');
	if (status)
		status = wait_refused(wait, status, &refusal);
	else if (done)
		status = wait_done(wait, &answer, cut);
	else
		status = wait_timed_out(wait, answer.json);
	answer_free(&answer);
	return status;
}

enum exit_status run_backend_drain(const struct call *call)
{
	struct refusal refusal = {.what = ""};
	bool waits = call_flag(call, "wait");
	enum exit_status status;
	struct wait wait;

	if (!waits && (call_option(call, "quiet") || call_option(call, "timeout"))) {
		refuse(&refusal, -EINVAL, "--quiet and --timeout say how to wait");
		refusal_right(&refusal, "add --wait");
		return complain(STATUS_USAGE, &refusal, 0);
	}
	if (waits)
		wait_begin(call, &wait);
	status = run_change(call);
	if (status || !waits || call->dry_run)
		return status;
	wait.active = monotonic_seconds(); /* from now on flows are heard */
	return wait_until_drained(&wait);
}

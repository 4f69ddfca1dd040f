// SPDX-License-Identifier: Apache-2.0
#include "apply.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/config/config.h"
#include "core/config/model_diff.h"
#include "core/operation/operation.h"
#include "change_run.h"
#include "nouns.h"
#include "cli/frame/complain.h"
#include "cli/frame/field.h"
#include "cli/frame/file.h"
#include "cli/frame/moment.h"
#include "plan_print.h"

static bool has_stamps(const struct model *model)
{
	bool stamps = model->history_count;

	for (size_t i = 0; !stamps && i < model->pool_count; i++)
		for (size_t j = 0; !stamps && j < model->pools[i].backend_count; j++)
			stamps = model->pools[i].backends[j].since || model->pools[i].backends[j].deadline;
	return stamps;
}

/* The clock of the stamps, so that they can be read elsewhere or later; 0: the daemon does not say. */
static int64_t clock_in_force(const struct call *call)
{
	struct answer answer = {NULL, NULL};
	int64_t clock = 0;

	if (!request_get(call, "/v1/status", &answer))
		clock = json_integer_value(json_object_get(answer.json, "clock"));
	answer_free(&answer);
	return clock;
}

enum exit_status model_in_force(const struct call *call, bool state, struct model **ret)
{
	struct answer answer = {NULL, NULL};
	struct refusal refusal = {.what = ""};
	enum exit_status status = request_get(call, state ? "/v1/export?state=1" : "/v1/export", &answer);
	int r = 0;

	if (!status)
		r = model_from_json(json_object_get(answer.json, "configuration"), ret, &refusal);
	answer_free(&answer);
	if (!status && !r && has_stamps(*ret))
		(*ret)->clock = clock_in_force(call);
	return r ? complain(STATUS_REFUSED, &refusal, r) : status;
}

/* Differences ------------------------------------------------------------------- */

static void print_value(const char *key, const json_t *value)
{
	char moment[MOMENT_TEXT], *text;

	if (!strcmp(key, "deadline")) {
		double at = json_number_value(value) / 1000;

		printf("%s", at > 0 ? moment_text(at, moment) : "none");
		return;
	}
	text = json_is_string(value) ? NULL : json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);

	printf("%s", text ? text : json_is_string(value) ? json_string_value(value) : "?");
	free(text);
}

static void print_difference(const json_t *difference)
{
	const char *change = field_text(difference, "change"), *between = "  ", *key;
	json_t *keys = json_object_get(difference, "keys"), *values;

	printf("%c %s %s",
	       *change == 'a'   ? '+'
	       : *change == 'r' ? '-'
				: '~',
	       field_text(difference, "noun"), field_text(difference, "name"));
	json_object_foreach (keys, key, values) {
		const json_t *before = json_object_get(values, "before"),
			     *after = json_object_get(values, "after");

		/* What names it has been said. */
		if (!strcmp(key, "name") || !strcmp(key, "listen"))
			continue;
		printf("%s%s ", between, key);
		if (before)
			print_value(key, before);
		if (before && after)
			printf(" -> ");
		if (after)
			print_value(key, after);
		between = ", ";
	}
	putchar('\n');
}

bool differences_print(const json_t *differences)
{
	json_t *difference;
	size_t i;

	json_array_foreach (differences, i, difference)
		print_difference(difference);
	return json_array_size(differences) > 0;
}

/* Applying ---------------------------------------------------------------------- */

static enum exit_status send(const struct call *call, const char *path, json_t *body, bool dry_run,
			     struct answer *ret, struct refusal *refusal)
{
	json_object_set_new(body, "dry_run", json_boolean(dry_run));
	json_object_set_new(body, "force", json_boolean(call->force));
	return request_try(call, path, body, ret, refusal);
}

/* Whether the daemon refused only because much would move, and there is somebody to ask. */
static bool may_ask(enum exit_status status, const struct refusal *refusal)
{
	return status == STATUS_REFUSED && !strcmp(refusal->kind, "move-limit") && isatty(STDIN_FILENO);
}

static bool ask(const json_t *plan)
{
	char line[16] = "", percent[QUANTITY_TEXT];

	plan_print(plan);
	printf("This moves %s %% of a pool's slots. Apply it? [y/N] ",
	       percent_text(plan_greatest_share(plan), percent));
	fflush(stdout);
	return fgets(line, sizeof line, stdin) && (!strcmp(line, "y\n") || !strcmp(line, "yes\n"));
}

/* Shows what would move, and sends again what was agreed to: that, and nothing that came between. */
static enum exit_status ask_and_send(const struct call *call, const char *path, json_t *body,
				     struct answer *ret, struct refusal *refusal)
{
	struct answer looked = {NULL, NULL};
	enum exit_status status = send(call, path, body, true, &looked, refusal);

	if (status)
		return status;
	change_print_warnings(looked.json);
	if (!ask(json_object_get(looked.json, "plan"))) {
		answer_free(&looked);
		refuse(refusal, -ECANCELED, "nothing changed");
		return STATUS_REFUSED;
	}
	json_object_set(body, "expect", json_object_get(looked.json, "generation"));
	json_object_set_new(body, "limit", json_integer(100));
	answer_free(&looked);
	return send(call, path, body, false, ret, refusal);
}

enum exit_status change_whole(const struct call *call, const char *path, json_t *body, const char *subject)
{
	struct answer answer = {NULL, NULL};
	struct refusal refusal = {.what = ""};
	enum exit_status status = send(call, path, body, call->dry_run, &answer, &refusal);

	if (may_ask(status, &refusal))
		status = ask_and_send(call, path, body, &answer, &refusal);
	if (status)
		complain(status, &refusal, 0);
	else
		change_print(call, subject, &answer);
	answer_free(&answer);
	return status;
}

static json_t *apply_body(json_t *configuration)
{
	return json_pack("{s:s, s:{s:O}}", "operation", "model.apply", "arguments", "configuration",
			 configuration);
}

static enum exit_status run_apply(const struct call *call)
{
	json_t *configuration = NULL, *body;
	enum exit_status status = file_read_configuration(call_option(call, "file"), &configuration);

	if (status)
		return status;
	body = apply_body(configuration);
	status = change_whole(call, "/v1/operations", body, "configuration");
	json_decref(body);
	json_decref(configuration);
	return status;
}

/* The model that the daemon would make of the configuration: it keeps admin states that are not stated. */
static enum exit_status model_after(const struct model *before, json_t *configuration, struct model **ret)
{
	struct refusal refusal = {.what = ""};
	json_t *arguments = json_pack("{s:O}", "configuration", configuration);
	int64_t now = before->clock ? before->clock : (int64_t)time(NULL) * 1000;
	int r = operation_apply(before, "model.apply", arguments, now, ret, &refusal);

	json_decref(arguments);
	return r ? complain(STATUS_REFUSED, &refusal, r) : STATUS_DONE;
}

static enum exit_status plan_print_all(const struct call *call, json_t *configuration)
{
	struct model *before = NULL, *after = NULL;
	struct answer answer = {NULL, NULL};
	json_t *body = apply_body(configuration);
	struct refusal refusal = {.what = ""};
	enum exit_status status = send(call, "/v1/operations", body, true, &answer, &refusal);

	json_decref(body);
	if (status)
		return complain(status, &refusal, 0);
	if (!status && call->json) {
		answer_print(&answer);
		goto out;
	}
	status = status ?: model_in_force(call, true, &before);
	status = status ?: model_after(before, configuration, &after);
	if (!status) {
		json_t *differences = model_diff(before, after);

		/* If the desired state stays, only time moves slots, not this file. */
		if (differences_print(differences))
			plan_print(json_object_get(answer.json, "plan"));
		else if (!json_array_size(json_object_get(answer.json, "warnings")))
			puts("nothing would change");
		json_decref(differences);
		change_print_warnings(answer.json);
	}
out:
	answer_free(&answer);
	model_free(before);
	model_free(after);
	return status;
}

static enum exit_status run_plan(const struct call *call)
{
	json_t *configuration = NULL;
	enum exit_status status = file_read_configuration(call_option(call, "file"), &configuration);

	if (!status)
		status = plan_print_all(call, configuration);
	json_decref(configuration);
	return status;
}

static enum exit_status run_export(const struct call *call)
{
	bool state = call_flag(call, "state");
	struct answer answer = {NULL, NULL};
	struct refusal refusal = {.what = ""};
	struct model *model = NULL;
	enum exit_status status;
	char *text = NULL;

	if (call->json) {
		status = request_get(call, state ? "/v1/export?state=1" : "/v1/export", &answer);
		if (!status)
			answer_print(&answer);
		answer_free(&answer);
		return status;
	}
	status = model_in_force(call, state, &model);
	if (!status && config_export(model, state, &text))
		status = complain(STATUS_REFUSED, &refusal, ENOMEM);
	if (!status)
		fputs(text, stdout);
	free(text);
	model_free(model);
	return status;
}

/* clang-format off */
static const struct verb plan_verbs[] = {
	{"",
	 .options = OPTIONS(CONFIGURATION(true)),
	 .help = "show what a configuration file would change, and change nothing",
	 .example = "-f /etc/holdfast/holdfast.yaml",
	 .uses = "model.apply",
	 .run = run_plan},
	{.verb = NULL},
};
/* clang-format on */

const struct noun plan_noun = {"plan", "what a configuration file would change", .verbs = plan_verbs};

/* clang-format off */
static const struct verb apply_verbs[] = {
	{"",
	 .options = OPTIONS(CONFIGURATION(true)),
	 .help = "make a configuration file the desired state, all of it or nothing",
	 .example = "-f /etc/holdfast/holdfast.yaml",
	 .uses = "model.apply",
	 .done = "applied",
	 .details = "Asks before it moves more of a pool's slots than the file's move_limit; without a "
	            "terminal it refuses, unless --force is given. Admin states that the file does not "
	            "state stay as they are.",
	 .flags = VERB_CHANGES,
	 .run = run_apply},
	{.verb = NULL},
};
/* clang-format on */

const struct noun apply_noun = {"apply", "a configuration file, all of it or nothing", .verbs = apply_verbs};

/* clang-format off */
static const struct verb export_verbs[] = {
	{"",
	 .options = OPTIONS(FLAG("state", "with admin states and history, for another balancer", .local = true)),
	 .help = "print the desired state as a configuration file",
	 .example = "--state",
	 .uses = "GET /v1/export",
	 .run = run_export},
	{.verb = NULL},
};
/* clang-format on */

const struct noun export_noun = {"export", "the desired state as a configuration file",
				 .verbs = export_verbs};

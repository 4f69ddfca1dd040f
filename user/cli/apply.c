// SPDX-License-Identifier: Apache-2.0
/* plan and apply: a configuration file, and what it would change. */
#include <stdio.h>
#include <time.h>

#include "core/config/model_diff.h"
#include "core/operation/operation.h"
#include "cli/change/change_run.h"
#include "cli/change/in_force.h"
#include "cli/change/plan_print.h"
#include "cli/frame/complain.h"
#include "cli/frame/file.h"
#include "nouns.h"

/* The operation that makes the file of --file the desired state. New reference. */
static enum exit_status apply_read(const struct call *call, json_t **ret)
{
	json_t *configuration = NULL;
	enum exit_status status = file_read_configuration(call_option(call, "file"), &configuration);

	if (!status)
		*ret = json_pack("{s:s, s:{s:o}}", "operation", "model.apply", "arguments", "configuration",
				 configuration);
	return status;
}

static enum exit_status run_apply(const struct call *call)
{
	json_t *body = NULL;
	enum exit_status status = apply_read(call, &body);

	if (!status)
		status = change_whole(call, "/v1/operations", body, "configuration");
	json_decref(body);
	return status;
}

/* The model that the daemon would make of the operation: it keeps admin states that are not stated. */
static enum exit_status model_after(const struct model *before, const json_t *body, struct model **ret)
{
	struct refusal refusal = {.what = ""};
	int64_t now = before->clock ? before->clock : (int64_t)time(NULL) * 1000;
	int r = operation_apply(before, "model.apply", json_object_get(body, "arguments"), now, ret,
				&refusal);

	return r ? complain(STATUS_REFUSED, &refusal, r) : STATUS_DONE;
}

/* What the answer to a dry run of the operation says, and how the model would differ. */
static enum exit_status plan_print_all(const struct call *call, const json_t *body, const json_t *answer)
{
	struct model *before = NULL, *after = NULL;
	enum exit_status status = model_in_force(call, true, &before);
	json_t *differences;

	status = status ?: model_after(before, body, &after);
	if (!status) {
		differences = model_diff(before, after);
		/* If the desired state stays, only time moves slots, not this file. */
		if (differences_print(differences))
			plan_print(json_object_get(answer, "plan"));
		else if (!json_array_size(json_object_get(answer, "warnings")))
			puts("nothing would change");
		json_decref(differences);
		change_print_warnings(answer);
	}
	model_free(before);
	model_free(after);
	return status;
}

static enum exit_status run_plan(const struct call *call)
{
	struct answer answer = {NULL, NULL};
	struct refusal refusal = {.what = ""};
	json_t *body = NULL;
	enum exit_status status = apply_read(call, &body);

	if (status)
		return status;
	status = change_send_whole(call, "/v1/operations", body, true, &answer, &refusal);
	if (status)
		complain(status, &refusal, 0);
	else if (call->json)
		answer_print(&answer);
	else
		status = plan_print_all(call, body, answer.json);
	answer_free(&answer);
	json_decref(body);
	return status;
}

/* clang-format off */
const struct noun plan_noun = {"plan", "what a configuration file would change", .verbs = VERBS(
	{"",
	 .options = OPTIONS(CONFIGURATION(true)),
	 .help = "show what a configuration file would change, and change nothing",
	 .example = "-f /etc/holdfast/holdfast.yaml",
	 .uses = "model.apply",
	 .run = run_plan})};

const struct noun apply_noun = {"apply", "a configuration file, all of it or nothing", .verbs = VERBS(
	{"",
	 .options = OPTIONS(CONFIGURATION(true)),
	 .help = "make a configuration file the desired state, all of it or nothing",
	 .example = "-f /etc/holdfast/holdfast.yaml",
	 .uses = "model.apply",
	 .done = "applied",
	 .details = "Asks before it moves more of a pool's slots than the file's move_limit; without a "
	            "terminal it refuses, unless --force is given. Admin states that the file does not "
	            "state stay as they are.",
	 .run = run_apply})};
/* clang-format on */

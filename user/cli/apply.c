// SPDX-License-Identifier: Apache-2.0
/* plan and apply: a configuration file, and what it would change. */
#include <stdio.h>
#include <time.h>

#include "core/config/model_diff.h"
#include "core/operation/operation.h"
#include "cli/change/change_run.h"
#include "cli/change/change_whole.h"
#include "cli/change/differences.h"
#include "cli/change/in_force.h"
#include "cli/change/plan_print.h"
#include "cli/frame/complain.h"
#include "cli/frame/file.h"
#include "nouns.h"

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
	enum exit_status status = change_send_whole(call, "/v1/operations", body, true, &answer, &refusal);

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
	 .flags = VERB_CHANGES,
	 .run = run_apply})};
/* clang-format on */

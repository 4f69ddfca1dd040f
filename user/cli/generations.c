// SPDX-License-Identifier: Apache-2.0
/* Generations: the desired states that were, and the way back to one. */
#include <stdio.h>
#include <stdlib.h>

#include "core/config/config.h"
#include "core/config/model_json.h"
#include "cli/change/change_run.h"
#include "cli/change/plan_print.h"
#include "cli/frame/complain.h"
#include "cli/frame/field.h"
#include "cli/frame/request.h"
#include "cli/frame/show.h"
#include "nouns.h"

static void generations_print(const json_t *view)
{
	static const struct column columns[] = {
		{">GENERATION", "number", field_count},
		{"TIME", "time", field_moment},
		{"AUTHOR", "author", text_cell},
		{"CAUSE", "cause", text_cell},
		{.header = NULL},
	};

	show_table(json_object_get(view, "generations"), columns);
}

static enum exit_status run_generations_list(const struct call *call)
{
	return request_show(call, "/v1/generations", NULL, generations_print);
}

/* A generation's model, and the answer it came in, which the caller frees. */
static enum exit_status generation_model(const struct call *call, const char *number,
					 struct answer *ret_answer, struct model **ret)
{
	struct refusal refusal = {.what = ""};
	enum exit_status status = request_get(call, "/v1/generations/%s", &number, ret_answer);
	int r;

	if (status)
		return status;
	r = model_from_json(json_object_get(ret_answer->json, "model"), ret, &refusal);
	return r ? complain(STATUS_REFUSED, &refusal, r) : STATUS_DONE;
}

static enum exit_status run_generations_show(const struct call *call)
{
	struct answer answer = {NULL, NULL};
	struct model *model = NULL;
	enum exit_status status = generation_model(call, call->words[0], &answer, &model);
	char text[MOMENT_TEXT], *configuration = NULL;

	if (!status && call->json) {
		answer_print(&answer);
	} else if (!status && config_export(model, true, &configuration)) {
		status = complain_memory();
	} else if (!status) {
		printf("# generation %.0f, %s, by %s: %s\n%s", field_number(answer.json, "number"),
		       field_moment(answer.json, "time", text), field_text(answer.json, "author"),
		       field_text(answer.json, "cause"), configuration);
	}
	free(configuration);
	model_free(model);
	answer_free(&answer);
	return status;
}

static void diff_print(const json_t *answer)
{
	if (!differences_print(json_object_get(answer, "differences")))
		puts("no difference");
}

/* From one generation to another, or to what is in force. */
static enum exit_status run_generations_diff(const struct call *call)
{
	return request_show(
		call, call->word_count > 1 ? "/v1/generations/%s/diff?to=%s" : "/v1/generations/%s/diff",
		call->words, diff_print);
}

static enum exit_status run_rollback(const struct call *call)
{
	json_t *body = json_pack("{s:I}", "generation", (json_int_t)strtoll(call->words[0], NULL, 10));
	enum exit_status status;
	char subject[64];

	snprintf(subject, sizeof subject, "generation %s", call->words[0]);
	status = change_whole(call, "/v1/rollback", body, subject);
	json_decref(body);
	return status;
}

#define GENERATION ARGUMENT("GENERATION", VALUE_COUNT, NULL)

/* clang-format off */
const struct noun generations_noun = {"generations", "the desired states that were", .verbs = VERBS(
	{"list",
	 .help = "list the generations that are kept, newest first",
	 .uses = "GET /v1/generations",
	 .run = run_generations_list},
	{"show",
	 .arguments = ARGUMENTS(GENERATION),
	 .help = "print a generation as a configuration file",
	 .example = "42",
	 .uses = "GET /v1/generations/GENERATION",
	 .run = run_generations_show},
	{"diff",
	 .arguments = ARGUMENTS(GENERATION, ARGUMENT("TO", VALUE_COUNT, NULL, .optional = true)),
	 .help = "show the difference to another generation, or to what is in force",
	 .example = "41 42",
	 .uses = "GET /v1/generations/GENERATION/diff",
	 .run = run_generations_diff})};

const struct noun rollback_noun = {"rollback", "back to a generation", .verbs = VERBS(
	{"",
	 .arguments = ARGUMENTS(GENERATION),
	 .help = "make a generation's desired state the one in force, as a new generation",
	 .example = "41",
	 .uses = "POST /v1/rollback",
	 .done = "restored",
	 .run = run_rollback})};
/* clang-format on */

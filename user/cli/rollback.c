// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>

#include "cli/change/change_whole.h"
#include "nouns.h"

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

/* clang-format off */
const struct noun rollback_noun = {"rollback", "back to a generation", .verbs = VERBS(
	{"",
	 .arguments = ARGUMENTS(GENERATION),
	 .help = "make a generation's desired state the one in force, as a new generation",
	 .example = "41",
	 .uses = "POST /v1/rollback",
	 .done = "restored",
	 .flags = VERB_CHANGES,
	 .run = run_rollback})};
/* clang-format on */

// SPDX-License-Identifier: Apache-2.0
/* upgrade: the daemon's own program in the place of the one that is attached. */
#include <stdio.h>

#include "cli/frame/field.h"
#include "cli/frame/request.h"
#include "nouns.h"

enum { TAG_SHOWN = 6 };

static enum exit_status run_upgrade(const struct call *call)
{
	json_t *body = json_object();
	struct answer answer = {NULL, NULL};
	enum exit_status status = request_post(call, "/v1/upgrade", body, &answer);
	const char *before = field_text(answer.json, "before"), *program = field_text(answer.json, "program");

	if (!status && call->json)
		answer_print(&answer);
	else if (!status && json_is_false(json_object_get(answer.json, "changed")))
		printf("program %.*s is the daemon's own already: nothing changed\n", TAG_SHOWN, program);
	else if (!status)
		printf("program %.*s upgraded to %.*s\n", TAG_SHOWN, before, TAG_SHOWN, program);
	json_decref(body);
	answer_free(&answer);
	return status;
}

/* clang-format off */
const struct noun upgrade_noun = {"upgrade", "a new program for the data plane, while traffic flows", .verbs = VERBS(
	{"",
	 .help = "put the daemon's own program in the place of the one that is attached",
	 .uses = "POST /v1/upgrade",
	 .details = "Tests the new program on packets first, then replaces the attached one at once; every map whose "
	            "layout is the same is kept. Refused, it changes nothing.",
	 .run = run_upgrade})};
/* clang-format on */

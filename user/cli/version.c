// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <version.h>

#include "cli/frame/field.h"
#include "cli/frame/request.h"
#include "nouns.h"

static enum exit_status run_version(const struct call *call)
{
	struct answer answer = {NULL, NULL};
	enum exit_status status;

	if (!call->json)
		printf("holdfast   %s\n", HOLDFAST_VERSION);
	status = request_get(call, "/v1/version", NULL, &answer);
	if (!status && call->json)
		answer_print(&answer);
	else if (!status)
		printf("holdfastd  %s, ABI %.0f, flow hash %.0f\n", field_text(answer.json, "version"),
		       field_number(answer.json, "abi"), field_number(answer.json, "flow_hash"));
	answer_free(&answer);
	return status;
}

/* clang-format off */
const struct noun version_noun = {"version", "of this program and of the daemon", .verbs = VERBS(
	{"",
	 .help = "print the versions of this program and of the daemon",
	 .uses = "GET /v1/version",
	 .run = run_version})};
/* clang-format on */

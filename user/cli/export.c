// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>

#include "core/config/config.h"
#include "cli/change/in_force.h"
#include "cli/frame/complain.h"
#include "nouns.h"

static enum exit_status run_export(const struct call *call)
{
	bool state = call_flag(call, "state");
	struct model *model = NULL;
	enum exit_status status;
	char *text = NULL;

	if (call->json)
		return request_show(call, state ? "/v1/export?state=1" : "/v1/export", NULL, NULL);
	status = model_in_force(call, state, &model);
	if (!status && config_export(model, state, &text))
		status = complain_memory();
	if (!status)
		fputs(text, stdout);
	free(text);
	model_free(model);
	return status;
}

/* clang-format off */
const struct noun export_noun = {"export", "the desired state as a configuration file", .verbs = VERBS(
	{"",
	 .options = OPTIONS(FLAG("state", "with admin states and history, for another balancer", .local = true)),
	 .help = "print the desired state as a configuration file",
	 .example = "--state",
	 .uses = "GET /v1/export",
	 .run = run_export})};
/* clang-format on */

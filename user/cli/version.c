// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <version.h>

#include "cli/frame/field.h"
#include "cli/frame/request.h"
#include "nouns.h"

static void version_print(const json_t *version)
{
	printf("holdfastd  %s, ABI %.0f, flow hash %.0f\n", field_text(version, "version"),
	       field_number(version, "abi"), field_number(version, "flow_hash"));
}

static enum exit_status run_version(const struct call *call)
{
	if (!call->json)
		printf("holdfast   %s\n", HOLDFAST_VERSION);
	return request_show(call, "/v1/version", NULL, version_print);
}

/* clang-format off */
const struct noun version_noun = {"version", "of this program and of the daemon", .verbs = VERBS(
	{"",
	 .help = "print the versions of this program and of the daemon",
	 .uses = "GET /v1/version",
	 .run = run_version})};
/* clang-format on */

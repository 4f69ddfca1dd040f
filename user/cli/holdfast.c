// SPDX-License-Identifier: Apache-2.0
/* holdfast: its commands. */
#include "cli/frame/program.h"
#include "nouns.h"

/* clang-format off */
static const struct noun help_noun = {"help", "on everything", .verbs = VERBS(
	{"",
	 .arguments = ARGUMENTS(ARGUMENT("NOUN", VALUE_TEXT, NULL, .optional = true),
	                        ARGUMENT("VERB", VALUE_TEXT, NULL, .optional = true, .repeats = true)),
	 .help = "explain a noun or one of its verbs",
	 .example = "backend drain",
	 .run = run_help})};
/* clang-format on */

static const struct noun *const nouns[] = {
	&status_noun,   &interface_noun,  &pool_noun,  &service_noun,  &backend_noun,
	&receiver_noun, &check_noun,      &why_noun,   &counters_noun, &events_noun,
	&upgrade_noun,  &plan_noun,       &apply_noun, &export_noun,   &generations_noun,
	&rollback_noun, &placement_noun,  &seed_noun,  &version_noun,  &help_noun,
	&manual_noun,   &completion_noun, NULL,
};

static const struct program holdfast = {"holdfast", "8", nouns};

int main(int argc, char **argv)
{
	return program_main(&holdfast, argc, argv);
}

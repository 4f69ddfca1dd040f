// SPDX-License-Identifier: Apache-2.0
/* holdfast-placement: its commands. It needs no root, no daemon and nothing of the kernel. */
#include <stdio.h>
#include <string.h>

#include "cli/frame/page.h"
#include "cli/frame/program.h"
#include "placement_verbs.h"

static enum exit_status run_placement(const struct call *call)
{
	static const struct {
		const char *verb;
		enum exit_status (*run)(const struct call *call);
	} studies[] = {
		{"compare", placement_compare},    {"replay", placement_replay}, {"draw", placement_draw},
		{"lookup", placement_lookup_keys}, {"hot", placement_hot},
	};

	for (size_t i = 0; i < sizeof studies / sizeof studies[0]; i++) {
		if (!strcmp(studies[i].verb, call->verb->verb))
			return studies[i].run(call);
	}
	return STATUS_USAGE;
}

static enum exit_status run_page(const struct call *call)
{
	page_title("HOLDFAST-PLACEMENT", "1", "measures and draws consistent hashing");
	puts(".SH SYNOPSIS\n.B holdfast-placement\n[\\fIOPTIONS\\fR] \\fIVERB\\fR \\fIARGUMENTS\\fR\n.SH "
	     "DESCRIPTION");
	page_line("Compares the ways to place keys on members: how even they are, what moves when members "
		  "come and go, what a cache in front of a store suffers from it, where keys live, and what "
		  "no placement can mend. It needs no root, no daemon and no network; with --pool and "
		  "without --file it asks a running holdfastd for the pool's backends. Its figures carry no "
		  "luck: the same command prints the same numbers anywhere, but for what is measured in "
		  "time. `holdfast placement` starts it.");
	page_commands(call->program);
	puts(".SH EXIT STATUS\n.TP\n.B 0\nDone.\n.TP\n.B 1\nRefused.\n.TP\n.B 2\nThe command line is "
	     "wrong.\n.TP\n.B 4\nThe daemon cannot be reached, or does not answer.");
	page_see_also(".BR holdfast (8),\n.BR holdfast.yaml (5)");
	return STATUS_DONE;
}

/* clang-format off */
static const struct noun help_noun = {"help", "on every verb", .verbs = VERBS(
	{"",
	 .arguments = ARGUMENTS(ARGUMENT("VERB", VALUE_TEXT, NULL, .optional = true)),
	 .help = "explain a verb",
	 .example = "compare",
	 .run = run_help})};

static const struct noun manual_noun = {"manual", NULL, .verbs = VERBS(
	{"",
	 .help = "print the manual page",
	 .run = run_page})};
/* clang-format on */

static const struct noun placement_noun = {"placement", "consistent hashing, measured and drawn",
					   .verbs = placement_verbs, .run = run_placement, .unsaid = true};

static const struct noun *const nouns[] = {&placement_noun, &help_noun, &manual_noun, &completion_noun, NULL};

static const struct program program = {"holdfast-placement", "1", nouns};

int main(int argc, char **argv)
{
	return program_main(&program, argc, argv);
}

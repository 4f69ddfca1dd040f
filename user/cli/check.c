// SPDX-License-Identifier: Apache-2.0
/* check: what of this host would keep packets from their way. */
#include <stdio.h>

#include "core/config/model_json.h"
#include "kern/preflight/preflight.h"
#include "cli/change/in_force.h"
#include "cli/frame/complain.h"
#include "cli/frame/field.h"
#include "cli/frame/file.h"
#include "cli/frame/show.h"
#include "cli/offline/stored.h"
#include "nouns.h"

static json_t *findings_to_json(const struct findings *findings)
{
	json_t *list = json_array();

	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *finding = &findings->list[i];

		json_array_append_new(list,
				      json_pack("{s:s, s:s, s:s, s:s}", "severity",
						severity_name(finding->severity), "subject", finding->subject,
						"what", finding->what, "right", finding->right));
	}
	return json_pack("{s:s, s:o}", "worst", severity_name(findings_worst(findings)), "findings", list);
}

static const char *what_cell(const json_t *finding, const char *key, char text[CELL_TEXT])
{
	const char *right = field_text(finding, "right");

	snprintf(text, CELL_TEXT, "%s%s%s", field_text(finding, key), *right ? "; right would be: " : "",
		 right);
	return text;
}

static void findings_print(const json_t *view)
{
	static const struct column columns[] = {
		{"FINDING", "severity", text_cell},
		{"SUBJECT", "subject", text_cell},
		{"WHAT", "what", what_cell},
		{.header = NULL},
	};

	show_table(json_object_get(view, "findings"), columns);
}

enum exit_status findings_tell(const struct call *call, struct findings *findings)
{
	enum exit_status status = findings_worst(findings) >= FINDING_FAULT ? STATUS_REFUSED : STATUS_DONE;

	status = show_view(call, findings_to_json(findings), findings_print) ?: status;
	findings_free(findings);
	return status;
}

static enum exit_status model_of_file(const char *file, struct model **ret)
{
	struct refusal refusal = {.what = ""};
	json_t *configuration = NULL;
	enum exit_status status = file_read_configuration(file, &configuration);
	int r = status ? 0 : model_from_json(configuration, ret, &refusal);

	json_decref(configuration);
	return r ? complain(STATUS_REFUSED, &refusal, r) : status;
}

/* The last generation's, where no daemon answers for it. */
static enum exit_status model_of_database(const struct call *call, struct model **ret)
{
	struct refusal refusal = {.what = ""};
	struct stored stored;
	int r = stored_read(call, &stored, &refusal);

	if (r)
		return complain(STATUS_REFUSED, &refusal, r);
	*ret = stored.model;
	stored.model = NULL;
	stored_release(&stored);
	return STATUS_DONE;
}

static enum exit_status run_check(const struct call *call)
{
	const char *file = call_option(call, "file");
	struct refusal refusal = {.what = ""};
	struct findings *findings;
	struct model *model = NULL;
	enum exit_status status = file            ? model_of_file(file, &model)
				  : call->offline ? model_of_database(call, &model)
						  : model_in_force(call, true, &model);
	int r;

	if (status)
		return status;
	r = preflight_balancer(model, &findings);
	model_free(model);
	return r ? complain(STATUS_REFUSED, &refusal, r) : findings_tell(call, findings);
}

/* clang-format off */
const struct noun check_noun = {"check", "what of this host would keep packets from their way", .verbs = VERBS(
	{"",
	 .options = OPTIONS(CONFIGURATION(false)),
	 .help = "look for what would keep packets from their way",
	 .example = "--file /etc/holdfast/holdfast.yaml",
	 .uses = "GET /v1/export",
	 .details = "Looks at interfaces, drivers, routes, neighbours, MTU and VIPs of this host for the "
	            "desired state in force, for that of a file, or with --offline for the last the "
	            "daemon had. Exit status 1 where it finds a fault. Changes nothing.",
	 .flags = VERB_WORKS_OFFLINE,
	 .run = run_check})};
/* clang-format on */

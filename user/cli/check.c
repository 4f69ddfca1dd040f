// SPDX-License-Identifier: Apache-2.0
/* check: what of this host would keep packets from their way. */
#include "check.h"

#include <errno.h>
#include <stdio.h>

#include "cli/change/in_force.h"
#include "cli/frame/complain.h"
#include "cli/frame/file.h"
#include "cli/frame/table.h"
#include "cli/offline/offline.h"
#include "core/config/model_json.h"
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

static void findings_print(const struct findings *findings)
{
	struct table *table = table_new("FINDING SUBJECT WHAT");

	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *finding = &findings->list[i];

		table_cell(table, "%s", severity_name(finding->severity));
		table_cell(table, "%s", finding->subject);
		table_cell(table, "%s%s%s", finding->what, *finding->right ? "; right would be: " : "",
			   finding->right);
	}
	table_print(table);
}

enum exit_status findings_tell(const struct call *call, struct findings *findings)
{
	enum exit_status status = findings_worst(findings) >= FINDING_FAULT ? STATUS_REFUSED : STATUS_DONE;

	if (call->json) {
		json_t *json = findings_to_json(findings);

		json_dumpf(json, stdout, JSON_COMPACT);
		putchar('\n');
		json_decref(json);
	} else {
		findings_print(findings);
	}
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
	json_t *generation = NULL;
	struct ledger *ledger = NULL;
	char path[512];
	int r;

	snprintf(path, sizeof path, "%s/%s.db", call->state_dir, call->instance);
	r = stored_read(path, &generation, ret, &ledger, &refusal);
	json_decref(generation);
	ledger_free(ledger);
	return r ? complain(STATUS_REFUSED, &refusal, r) : STATUS_DONE;
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
static const struct verb check_verbs[] = {
	{"",
	 .options = OPTIONS(CONFIGURATION(false)),
	 .help = "look for what would keep packets from their way",
	 .example = "--file /etc/holdfast/holdfast.yaml",
	 .uses = "GET /v1/export",
	 .details = "Looks at interfaces, drivers, routes, neighbours, MTU and VIPs of this host for the "
	            "desired state in force, for that of a file, or with --offline for the last the "
	            "daemon had. Exit status 1 where it finds a fault. Changes nothing.",
	 .flags = VERB_WORKS_OFFLINE,
	 .run = run_check},
	{.verb = NULL},
};
/* clang-format on */

const struct noun check_noun = {"check", "what of this host would keep packets from their way",
				.verbs = check_verbs};

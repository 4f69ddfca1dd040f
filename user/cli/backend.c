// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "core/model/schema_table.h"
#include "cli/change/change_run.h"
#include "cli/frame/field.h"
#include "cli/frame/request.h"
#include "cli/frame/show.h"
#include "cli/offline/offline.h"
#include "nouns.h"

const char *backend_cell(const json_t *backend, const char *key, char text[CELL_TEXT])
{
	snprintf(text, CELL_TEXT, "%s/%s", field_text(backend, "pool"), field_text(backend, key));
	return text;
}

static void backends_print(const json_t *view)
{
	static const struct column columns[] = {
		{"POOL/NAME", "name", backend_cell},
		{"ADDRESS", "address", text_cell},
		{">WEIGHT", "weight", field_count},
		{"ADMIN", "admin", known_cell},
		{"HEALTH", "health", text_cell},
		{">SLOTS", "slots", field_count},
		{">NEW/S", "new_per_second", field_new_flows},
		{">PPS", "packets_per_second", field_quantity},
		{">REMEMBERED", "remembered", field_count},
		{"NOTE", "note", text_cell},
		{.header = NULL},
	};

	show_table(json_object_get(view, "backends"), columns);
}

static enum exit_status backend_list_offline(const struct call *call)
{
	struct offline offline;
	enum exit_status status = offline_open(call, &offline);

	if (status)
		return status;
	status = show_view(call, offline_backends(&offline, call_argument(call, 0)), backends_print);
	offline_close(&offline);
	return status;
}

static enum exit_status run_backend_list(const struct call *call)
{
	if (call->offline)
		return backend_list_offline(call);
	return request_show(call, call->word_count ? "/v1/backends/%s" : "/v1/backends", call->words,
			    backends_print);
}

void next_hop_show(const json_t *hop)
{
	char text[QUANTITY_TEXT];

	if (!json_is_object(hop))
		return;
	if (!field_is_null(hop, "held")) {
		show_format("next hop", "held: lost %s ago (%s), packets still go to %s on %s",
			    field_elapsed(hop, "held", text), field_text(hop, "problem"),
			    field_text(hop, "mac"), field_text(hop, "interface"));
		return;
	}
	if (!json_is_true(json_object_get(hop, "resolved"))) {
		show_format("next hop", "unresolved: %s",
			    *field_text(hop, "problem") ? field_text(hop, "problem") : "not known yet");
		return;
	}
	show_format("next hop", "%s%s%s%s%s, MTU %s", field_text(hop, "mac"),
		    field_is_null(hop, "interface") ? "" : " on ", field_text(hop, "interface"),
		    field_is_null(hop, "gateway") ? "" : " by gateway ", field_text(hop, "gateway"),
		    field_count(hop, "mtu", text));
}

/* How far it is on its way out. */
static void drain_show(const json_t *backend)
{
	char text[QUANTITY_TEXT], closing[QUANTITY_TEXT], moment[MOMENT_TEXT];

	if (field_is_null(backend, "closing"))
		show_line("remembered", field_count(backend, "remembered", text));
	else
		show_format("remembered", "%s flows, %s of them closing",
			    field_count(backend, "remembered", text),
			    field_count(backend, "closing", closing));
	if (field_number(backend, "based") > 0)
		show_format("base of", "%s moving slots", field_count(backend, "based", text));
	if (!field_is_null(backend, "heard"))
		show_format("last heard", "%s ago", field_elapsed(backend, "heard", text));
	if (!field_is_null(backend, "deadline"))
		show_format("deadline", "%s, when the flows that are left are cut",
			    field_moment(backend, "deadline", moment));
	if (json_is_true(json_object_get(backend, "removing")))
		show_line("removal", "it leaves the pool when it is drained");
}

static void backend_print(const json_t *backend)
{
	char text[QUANTITY_TEXT], rate[QUANTITY_TEXT], moment[MOMENT_TEXT];
	const char *rule = field_text(backend, "health_rule");

	show_format("backend", "%s/%s", field_text(backend, "pool"), field_text(backend, "name"));
	show_line("address", field_text(backend, "address"));
	show_line("weight", field_count(backend, "weight", text));
	show_line("zone", field_text(backend, "zone"));
	show_line("admin", field_text(backend, "admin"));
	if (strcmp(rule, "auto"))
		show_format("health", "%s, stated by %s at %s", field_text(backend, "health"),
			    field_text(backend, "health_author"),
			    field_moment(backend, "health_since", moment));
	else
		show_line("health", field_text(backend, "health"));
	show_format("slots", "%s (%s %%)", field_count(backend, "slots", text),
		    percent_text(field_number(backend, "share"), rate));
	show_format("new flows", "%s, %s a second", field_new_flows(backend, "flows", text),
		    field_new_flows(backend, "new_per_second", rate));
	show_format("packets", "%s, %s a second", field_count(backend, "packets", text),
		    field_quantity(backend, "packets_per_second", rate));
	show_line("bytes", field_count(backend, "bytes", text));
	drain_show(backend);
	next_hop_show(json_object_get(backend, "next_hop"));
	show_line("number", field_count(backend, "number", text));
	show_line("note", field_text(backend, "note"));
}

static enum exit_status run_backend_show(const struct call *call)
{
	char pool[NAME_SIZE], name[BACKEND_TEXT];
	const char *const names[] = {pool, name};

	value_split_backend(call->words[0], pool, name);
	return request_show(call, "/v1/backends/%s/%s", names, backend_print);
}

#define BACKEND ARGUMENT("POOL/NAME", VALUE_BACKEND, "")

/* clang-format off */
const struct noun backend_noun = {"backend", "a server of a pool", .run = run_change, .verbs = VERBS(
	{"add",
	 .arguments = ARGUMENTS(BACKEND, ARGUMENT("ADDRESS", VALUE_KEY, "address")),
	 .keys = &schema_backend,
	 .help = "add a backend to a pool",
	 .example = "db/db2 10.0.0.12 --weight 200",
	 .uses = "backend.add",
	 .done = "added",
	 .details = "If a backend of this name and address is leaving, it comes back as if it were new. One of this "
	            "name at another address goes on leaving as POOL/NAME@ADDRESS."},
	{"set",
	 .arguments = ARGUMENTS(BACKEND),
	 .keys = &schema_backend,
	 .help = "change a backend",
	 .example = "db/db2 --weight 50",
	 .uses = "backend.set",
	 .done = "changed",
	 .details = "Another address is another server: the old one drains first, then leaves, as "
	            "POOL/NAME@ADDRESS; the new one takes its place and begins active."},
	{"show",
	 .arguments = ARGUMENTS(BACKEND),
	 .help = "show one backend in full",
	 .example = "db/db2",
	 .uses = "GET /v1/backends/POOL/NAME",
	 .run = run_backend_show},
	{"list",
	 .arguments = ARGUMENTS(ARGUMENT("POOL", VALUE_NAME, NULL, .optional = true)),
	 .help = "list the backends, of all pools or of one",
	 .example = "db",
	 .uses = "GET /v1/backends",
	 .flags = VERB_WORKS_OFFLINE,
	 .run = run_backend_list},
	{"drain",
	 .arguments = ARGUMENTS(BACKEND),
	 .options = OPTIONS(OPTION("deadline", VALUE_DURATION, "D", "end the flows that are left after this time"),
	                    FLAG("wait", "wait until it can be switched off", .local = true),
	                    OPTION("quiet", VALUE_DURATION, "Q",
	                           "for how long nothing of an old flow was heard; default: the service's idle time",
	                           .local = true),
	                    OPTION("timeout", VALUE_DURATION, "T", "wait no longer than this; default: a day",
	                           .local = true)),
	 .help = "send new flows elsewhere; old ones stay until they end",
	 .example = "db/db2 --wait --quiet 10m --timeout 1h",
	 .uses = "backend.drain",
	 .done = "draining",
	 .details = "With --wait it shows the remembered flows counting down, and ends with 0 when none but "
	            "closing ones is left and nothing of an old flow was heard for --quiet, with 3 at the "
	            "--timeout. A flow that was silent for longer cannot be seen.",
	 .run = run_backend_drain},
	{"activate",
	 .arguments = ARGUMENTS(BACKEND),
	 .help = "give a backend back exactly the slots it had",
	 .example = "db/db2",
	 .uses = "backend.activate",
	 .done = "active",
	 .details = "To bring back a backend that is leaving, use backend add."},
	{"disable",
	 .arguments = ARGUMENTS(BACKEND),
	 .help = "send every flow elsewhere, now",
	 .example = "db/db2",
	 .uses = "backend.disable",
	 .done = "disabled"},
	{"remove",
	 .arguments = ARGUMENTS(BACKEND),
	 .options = OPTIONS(FLAG("now", "without draining first")),
	 .help = "drain a backend, then remove it",
	 .example = "db/db2",
	 .uses = "backend.remove",
	 .done = "removed",
	 .details = "backend add brings it back. A file that names it does not, unless a file that did not name it was "
	            "applied before."},
	{"health",
	 .arguments = ARGUMENTS(BACKEND, ARGUMENT("STATE", VALUE_WORD, "state", .choices = "up down auto")),
	 .help = "state a backend's health, or withdraw the statement (auto)",
	 .example = "db/db2 down",
	 .uses = "backend.health",
	 .done = "health stated"})};
/* clang-format on */

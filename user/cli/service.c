// SPDX-License-Identifier: Apache-2.0
#include "core/model/schema_table.h"
#include "cli/change/change_run.h"
#include "cli/frame/field.h"
#include "cli/frame/request.h"
#include "cli/frame/show.h"
#include "nouns.h"

void services_print(const json_t *view)
{
	static const struct column columns[] = {
		{"SERVICE", "service", text_cell},
		{"POOL", "pool", text_cell},
		{"UP", "up", field_up},
		{"NEW/S", "new_per_second", field_new_flows},
		{"PPS", "packets_per_second", field_quantity},
		{"BPS", "bits_per_second", field_quantity},
		{.header = NULL},
	};

	show_table(json_object_get(view, "services"), columns);
}

static enum exit_status run_service_list(const struct call *call)
{
	return request_show(call, "/v1/services", NULL, services_print);
}

static void service_print(const json_t *service)
{
	char text[QUANTITY_TEXT], rate[QUANTITY_TEXT];

	show_line("service", field_text(service, "service"));
	show_line("pool", field_text(service, "pool"));
	show_line("track", field_text(service, "track"));
	show_line("idle", field_elapsed(service, "idle", text));
	show_format("backends", "%.0f, %.0f up", field_number(service, "backends"),
		    field_number(service, "up"));
	show_format("new flows", "%s, %s a second", field_new_flows(service, "flows", text),
		    field_new_flows(service, "new_per_second", rate));
	show_format("packets", "%s, %s a second", field_count(service, "packets", text),
		    field_quantity(service, "packets_per_second", rate));
	show_format("bytes", "%s, %s bit a second", field_count(service, "bytes", text),
		    field_quantity(service, "bits_per_second", rate));
}

static enum exit_status run_service_show(const struct call *call)
{
	return request_show(call, "/v1/services/%s/%s", call->words, service_print);
}

#define LISTEN ARGUMENT("VIP:PORT", VALUE_LISTEN, "listen")

/* clang-format off */
const struct noun service_noun = {"service", "what clients connect to", .run = run_change, .verbs = VERBS(
	{"add",
	 .arguments = ARGUMENTS(PROTO, LISTEN),
	 .keys = &schema_service,
	 .help = "add a service",
	 .example = "tcp 203.0.113.10:5432 --pool db",
	 .uses = "service.add",
	 .done = "added"},
	{"set",
	 .arguments = ARGUMENTS(PROTO, LISTEN),
	 .keys = &schema_service,
	 .help = "change a service",
	 .example = "tcp 203.0.113.10:5432 --idle 4h",
	 .uses = "service.set",
	 .done = "changed"},
	{"remove",
	 .arguments = ARGUMENTS(PROTO, LISTEN),
	 .help = "remove a service",
	 .example = "tcp 203.0.113.10:5432",
	 .uses = "service.remove",
	 .done = "removed"},
	{"show",
	 .arguments = ARGUMENTS(PROTO, LISTEN),
	 .help = "show one service in full",
	 .example = "tcp 203.0.113.10:5432",
	 .uses = "GET /v1/services/PROTO/VIP:PORT",
	 .run = run_service_show},
	{"list",
	 .help = "list the services",
	 .uses = "GET /v1/services",
	 .run = run_service_list})};
/* clang-format on */

// SPDX-License-Identifier: Apache-2.0
#include "commands.h"
#include "cli/frame/field.h"
#include "cli/frame/request.h"
#include "status.h"

enum exit_status run_service_list(const struct call *call)
{
	struct answer answer = {NULL, NULL};
	enum exit_status status = request_get(call, "/v1/services", &answer);

	if (!status && call->json)
		answer_print(&answer);
	else if (!status)
		services_print(json_object_get(answer.json, "services"));
	answer_free(&answer);
	return status;
}

static void service_print(const json_t *service)
{
	char text[QUANTITY_TEXT], rate[QUANTITY_TEXT];

	show_line("service", field_text(service, "service"));
	show_line("pool", field_text(service, "pool"));
	show_line("track", field_text(service, "track"));
	show_line("idle", elapsed_text(field_number(service, "idle"), text));
	show_format("backends", "%.0f, %.0f up", field_number(service, "backends"),
		    field_number(service, "up"));
	show_format("new flows", "%s, %s a second", field_new_flows(service, "flows", text),
		    field_new_flows(service, "new_per_second", rate));
	show_format("packets", "%s, %s a second", field_count(service, "packets", text),
		    field_quantity(service, "packets_per_second", rate));
	show_format("bytes", "%s, %s bit a second", field_count(service, "bytes", text),
		    field_quantity(service, "bits_per_second", rate));
}

enum exit_status run_service_show(const struct call *call)
{
	struct answer answer = {NULL, NULL};
	enum exit_status status = request_get_named(call, "/v1/services/%s/%s", call->words, &answer);

	if (!status && call->json)
		answer_print(&answer);
	else if (!status)
		service_print(answer.json);
	answer_free(&answer);
	return status;
}

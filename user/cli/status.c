// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli/frame/field.h"
#include "cli/frame/request.h"
#include "cli/frame/show.h"
#include "cli/offline/offline.h"
#include "nouns.h"

static void print_host(const json_t *status)
{
	const json_t *generation = json_object_get(status, "generation");
	const char *instance = field_text(status, "instance");
	bool named = *instance && strcmp(instance, "default");
	char ago[QUANTITY_TEXT];

	printf("%s%s%s  %s", field_text(status, "host"), named ? "/" : "", named ? instance : "",
	       field_text(status, "state"));
	if (json_is_object(generation) && field_number(generation, "number") > 0) {
		printf("  generation %.0f", field_number(generation, "number"));
		if (!field_is_null(generation, "time"))
			printf(", %s ago",
			       elapsed_text((double)time(NULL) - field_number(generation, "time"), ago));
		if (*field_text(generation, "cause"))
			printf(": %s", field_text(generation, "cause"));
	}
	putchar('\n');
}

static void print_strings(const char *label, const json_t *strings)
{
	json_t *string;
	size_t i;

	json_array_foreach (strings, i, string) {
		if (json_is_string(string))
			printf("%s  %s\n", label, json_string_value(string));
	}
}

static void flows_line(const json_t *flows)
{
	double unfit = field_number(flows, "unfit");

	printf("FLOWS remembered %.0f/%.0f, evicted %.0f opening %.0f established",
	       field_number(flows, "remembered"), field_number(flows, "limit"),
	       field_number(flows, "evicted_opening"), field_number(flows, "evicted_established"));
	if (unfit > 0)
		printf(", %.0f found no room", unfit);
	putchar('\n');
}

static void status_print(const json_t *status)
{
	const json_t *flows = json_object_get(status, "flows");

	print_host(status);
	interfaces_print(status);
	services_print(status);
	pools_print(status);
	if (json_is_object(flows))
		flows_line(flows);
	print_strings("ERROR", json_object_get(status, "problems"));
	print_strings("WARN", json_object_get(status, "warnings"));
}

/* An interface is not attached, a service has no backend up, or a problem is listed. */
static bool status_degraded(const json_t *status)
{
	json_t *interface, *service;
	size_t i;

	json_array_foreach (json_object_get(status, "interfaces"), i, interface) {
		if (strcmp(field_text(interface, "state"), "attached"))
			return true;
	}
	json_array_foreach (json_object_get(status, "services"), i, service) {
		if (field_number(service, "up") < 1)
			return true;
	}
	return json_array_size(json_object_get(status, "problems")) > 0;
}

static enum exit_status status_show_offline(const struct call *call)
{
	struct offline offline;
	enum exit_status status = offline_open(call, &offline);
	json_t *view;

	if (status)
		return status;
	view = offline_status(&offline);
	if (call_flag(call, "check") && view && status_degraded(view))
		status = STATUS_REFUSED;
	status = show_view(call, view, status_print) ?: status;
	offline_close(&offline);
	return status;
}

static enum exit_status run_status(const struct call *call)
{
	struct answer answer = {NULL, NULL};
	enum exit_status status;

	if (call->offline)
		return status_show_offline(call);
	status = request_get(call, "/v1/status", NULL, &answer);

	if (!status) {
		if (call->json)
			answer_print(&answer);
		else
			status_print(answer.json);
		if (call_flag(call, "check") && status_degraded(answer.json))
			status = STATUS_REFUSED;
	}
	answer_free(&answer);
	return status;
}

/* clang-format off */
const struct noun status_noun = {"status", "the whole instance at a glance", .verbs = VERBS(
	{"",
	 .options = OPTIONS(FLAG("check", "exit with 1 if anything is degraded", .local = true)),
	 .help = "show interfaces, services, pools, flows and warnings",
	 .example = "--check",
	 .uses = "GET /v1/status",
	 .details = "Warnings come last. With --check the exit status is 1 if an interface is not "
	            "attached, a service has no backend up, or there is a problem.",
	 .flags = VERB_WORKS_OFFLINE,
	 .run = run_status})};
/* clang-format on */

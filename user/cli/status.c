// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli/frame/field.h"
#include "cli/frame/request.h"
#include "cli/frame/table.h"
#include "cli/offline/offline.h"
#include "nouns.h"
#include "status.h"

enum { DIGEST_SHOWN = 8, TAG_SHOWN = 6 };

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

void interfaces_print(const json_t *interfaces)
{
	struct table *table = table_new("INTERFACE MODE PROGRAM ?NOTE");
	json_t *interface;
	size_t i;

	json_array_foreach (interfaces, i, interface) {
		const char *state = field_text(interface, "state"),
			   *problem = field_text(interface, "problem");
		bool attached = !strcmp(state, "attached");

		table_cell(table, "%s", field_text(interface, "name"));
		table_cell(table, "%s", field_text(interface, "mode"));
		table_cell(table, "%.*s", TAG_SHOWN, attached ? field_text(interface, "program") : "-");
		table_cell(table, "%s%s%s", attached ? "" : state, !attached && *problem ? ": " : "",
			   problem);
	}
	table_print(table);
}

void services_print(const json_t *services)
{
	struct table *table = table_new("SERVICE POOL UP NEW/S PPS BPS");
	char text[QUANTITY_TEXT];
	json_t *service;
	size_t i;

	json_array_foreach (services, i, service) {
		table_cell(table, "%s", field_text(service, "service"));
		table_cell(table, "%s", field_text(service, "pool"));
		table_cell(table, "%.0f/%.0f", field_number(service, "up"),
			   field_number(service, "backends"));
		table_cell(table, "%s", field_new_flows(service, "new_per_second", text));
		table_cell(table, "%s", field_quantity(service, "packets_per_second", text));
		table_cell(table, "%s", field_quantity(service, "bits_per_second", text));
	}
	table_print(table);
}

const char *moving_text(double moving, double slots, char text[QUANTITY_TEXT])
{
	char percent[QUANTITY_TEXT];

	if (moving > 0 && slots > 0)
		snprintf(text, QUANTITY_TEXT, "%.0f (%.8s%%)", moving, percent_text(moving / slots, percent));
	else
		snprintf(text, QUANTITY_TEXT, "%.0f", moving);
	return text;
}

const char *settles_text(const json_t *pool, char text[QUANTITY_TEXT])
{
	char in[QUANTITY_TEXT];

	if (field_is_null(pool, "settles_in"))
		return "-";
	snprintf(text, QUANTITY_TEXT, "in %.20s", elapsed_text(field_number(pool, "settles_in"), in));
	return text;
}

static void pools_print(const json_t *pools)
{
	struct table *table = table_new("POOL SCHEME SLOTS MOVING SETTLES TABLE HISTORY");
	char text[QUANTITY_TEXT];
	json_t *pool;
	size_t i;

	json_array_foreach (pools, i, pool) {
		double slots = field_number(pool, "slots");

		table_cell(table, "%s", field_text(pool, "name"));
		table_cell(table, "%s", field_text(pool, "scheme"));
		table_cell(table, "%.0f", slots);
		table_cell(table, "%s", moving_text(field_number(pool, "moving"), slots, text));
		table_cell(table, "%s", settles_text(pool, text));
		table_cell(table, "%.*s", DIGEST_SHOWN, field_text(pool, "table"));
		table_cell(table, "%.*s", DIGEST_SHOWN, field_text(pool, "history"));
	}
	table_print(table);
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

void status_print(const json_t *status)
{
	const json_t *flows = json_object_get(status, "flows");

	print_host(status);
	interfaces_print(json_object_get(status, "interfaces"));
	services_print(json_object_get(status, "services"));
	pools_print(json_object_get(status, "pools"));
	if (json_is_object(flows))
		flows_line(flows);
	print_strings("ERROR", json_object_get(status, "problems"));
	print_strings("WARN", json_object_get(status, "warnings"));
}

bool status_degraded(const json_t *status)
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
	status = offline_print(call, view, status_print) ?: status;
	offline_close(&offline);
	return status;
}

static enum exit_status run_status(const struct call *call)
{
	struct answer answer = {NULL, NULL};
	enum exit_status status;

	if (call->offline)
		return status_show_offline(call);
	status = request_get(call, "/v1/status", &answer);

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
static const struct verb status_verbs[] = {
	{"",
	 .options = OPTIONS(FLAG("check", "exit with 1 if anything is degraded", .local = true)),
	 .help = "show interfaces, services, pools, flows and warnings",
	 .example = "--check",
	 .uses = "GET /v1/status",
	 .details = "Warnings come last. With --check the exit status is 1 if an interface is not "
	            "attached, a service has no backend up, or there is a problem.",
	 .flags = VERB_WORKS_OFFLINE,
	 .run = run_status},
	{.verb = NULL},
};
/* clang-format on */

const struct noun status_noun = {"status", "the whole instance at a glance", .verbs = status_verbs};

// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/model/schema_table.h"
#include "kern/base/pins.h"
#include "kern/instance/attach.h"
#include "kern/instance/lifecycle.h"
#include "cli/change/change_run.h"
#include "cli/frame/complain.h"
#include "cli/frame/field.h"
#include "cli/frame/request.h"
#include "cli/frame/show.h"
#include "cli/offline/offline.h"
#include "nouns.h"

enum { TAG_SHOWN = 6 };

/* Of a program only the beginning is shown, and only where it sees packets. */
static const char *program_cell(const json_t *interface, const char *key, char text[CELL_TEXT])
{
	if (strcmp(field_text(interface, "state"), "attached"))
		return "-";
	snprintf(text, CELL_TEXT, "%.*s", TAG_SHOWN, field_text(interface, key));
	return text;
}

static const char *note_cell(const json_t *interface, const char *key, char text[CELL_TEXT])
{
	const char *state = field_text(interface, "state"), *problem = field_text(interface, key);

	if (!strcmp(state, "attached"))
		return problem;
	snprintf(text, CELL_TEXT, "%s%s%s", state, *problem ? ": " : "", problem);
	return text;
}

void interfaces_print(const json_t *view)
{
	static const struct column columns[] = {
		{"INTERFACE", "name", text_cell},
		{"MODE", "mode", text_cell},
		{"PROGRAM", "program", program_cell},
		{"?NOTE", "problem", note_cell},
		{.header = NULL},
	};

	show_table(json_object_get(view, "interfaces"), columns);
}

static enum exit_status run_interface_list(const struct call *call)
{
	return request_show(call, "/v1/interfaces", NULL, interfaces_print);
}

static enum exit_status detach_by_daemon(const struct call *call, const char *name)
{
	char subject[64];

	snprintf(subject, sizeof subject, "interface %s", name);
	return change_make(call, json_pack("{s:s}", "name", name), subject);
}

static enum exit_status detach_from_pins(const struct call *call, const struct offline *offline,
					 const char *name)
{
	struct refusal refusal = {.what = ""};
	int r = call->dry_run ? 0 : dataplane_detach(offline->dataplane, name, &refusal);

	if (r)
		return complain(STATUS_REFUSED, &refusal, r);
	printf("interface %s %s\n", name,
	       call->dry_run ? "would be detached" : "detached, from the pins alone");
	return STATUS_DONE;
}

/* One that cannot be detached does not keep the others attached. offline NULL: the daemon does it. */
static enum exit_status detach_each(const struct call *call, const struct offline *offline,
				    const json_t *interfaces)
{
	enum exit_status status, first = STATUS_DONE;
	json_t *interface;
	size_t i;

	json_array_foreach (interfaces, i, interface) {
		const char *name = field_text(interface, "name");

		status = offline ? detach_from_pins(call, offline, name) : detach_by_daemon(call, name);
		first = first ? first : status;
	}
	return first;
}

static enum exit_status detach_all(const struct call *call)
{
	struct answer answer = {NULL, NULL};
	enum exit_status status = request_get(call, "/v1/interfaces", NULL, &answer);

	if (!status)
		status = detach_each(call, NULL, json_object_get(answer.json, "interfaces"));
	answer_free(&answer);
	return status;
}

/* A daemon that runs has the claim, and still needs what is pinned. */
static void leave_pins(const struct call *call)
{
	char path[PIN_PATH], name[PIN_NAME];
	int claim;

	if (call->dry_run || access(pin_path(path, "%s", pin_encode(call->instance, name)), F_OK) ||
	    dataplane_claim(call->instance, &claim, NULL))
		return;
	if (dataplane_leave(call->instance, NULL) == 1)
		printf("nothing is attached and no daemon runs: the pins of instance %s are removed\n",
		       call->instance);
	close(claim);
}

/* The attachments end without the daemon; one that starts again attaches what its configuration says. */
static enum exit_status detach_offline(const struct call *call)
{
	struct offline offline = {.call = call};
	struct refusal refusal = {.what = ""};
	enum exit_status status;
	json_t *interfaces;
	int r = dataplane_inspect(call->instance, &offline.dataplane, &refusal);

	if (!r) {
		interfaces = call->word_count ? json_pack("[{s:s}]", "name", call->words[0])
					      : offline_interfaces(&offline);
		status = detach_each(call, &offline, interfaces);
		json_decref(interfaces);
		dataplane_close(offline.dataplane);
		leave_pins(call);
		return status;
	}
	/* Pins that this program cannot read must not keep it from letting go of the traffic. */
	if (!call->word_count && !call->dry_run) {
		r = dataplane_detach_all(call->instance, &refusal);
		if (!r)
			printf("no interface is attached to instance %s any more\n", call->instance);
		leave_pins(call);
	}
	return r ? complain(STATUS_REFUSED, &refusal, r) : STATUS_DONE;
}

static enum exit_status run_interface_detach(const struct call *call)
{
	struct refusal refusal = {.what = ""};
	bool all = call_flag(call, "all");

	if (all == !!call->word_count) {
		refuse(&refusal, -EINVAL, all ? "an interface and --all were given" : "IF is missing");
		refusal_right(&refusal, "an interface, or --all for every one");
		return complain(STATUS_USAGE, &refusal, 0);
	}
	if (call->offline)
		return detach_offline(call);
	return all ? detach_all(call) : run_change(call);
}

/* clang-format off */
const struct noun interface_noun = {"interface", "where traffic arrives", .run = run_change, .verbs = VERBS(
	{"attach",
	 .arguments = ARGUMENTS(INTERFACE),
	 .keys = &schema_interface,
	 .help = "balance what arrives at a network interface",
	 .example = "eth0 --mode native",
	 .uses = "interface.attach",
	 .done = "attached"},
	{"detach",
	 .arguments = ARGUMENTS(ARGUMENT("IF", VALUE_INTERFACE, "name", .optional = true)),
	 .options = OPTIONS(FLAG("all", "every interface", .local = true)),
	 .help = "leave a network interface alone again",
	 .example = "eth0",
	 .uses = "interface.detach",
	 .done = "detached",
	 .details = "With --all and --offline every interface is detached from the pins alone, also when "
	            "the daemon is dead.",
	 .flags = VERB_WORKS_OFFLINE,
	 .run = run_interface_detach},
	{"list",
	 .help = "list the interfaces",
	 .uses = "GET /v1/interfaces",
	 .run = run_interface_list})};
/* clang-format on */

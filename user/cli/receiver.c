// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/schema_table.h"
#include "kern/preflight/preflight.h"
#include "kern/receiver/receiver_attach.h"
#include "cli/frame/complain.h"
#include "cli/frame/field.h"
#include "cli/frame/show.h"
#include "nouns.h"

static enum interface_mode mode_named(const char *word)
{
	for (int mode = MODE_AUTO; word && mode <= MODE_GENERIC; mode++) {
		if (!strcmp(mode_name((enum interface_mode)mode), word))
			return (enum interface_mode)mode;
	}
	return MODE_AUTO;
}

/* The values of --from and --vip; both arrays have room for every value given. */
static void read_peers(const struct call *call, struct prefix *from, size_t *ret_from, struct address *vips,
		       size_t *ret_vips)
{
	const char *value;
	size_t position = 0;

	*ret_from = *ret_vips = 0;
	while ((value = call_next(call, "from", &position)))
		*ret_from += !prefix_parse(value, &from[*ret_from]);
	position = 0;
	while ((value = call_next(call, "vip", &position)))
		*ret_vips += !address_parse(value, &vips[*ret_vips]);
}

static bool address_is_local(const struct ifaddrs *own, const struct address *address)
{
	for (; own; own = own->ifa_next) {
		const struct sockaddr *at = own->ifa_addr;

		if (at && at->sa_family == AF_INET && address->family == 4 &&
		    !memcmp(&((const struct sockaddr_in *)at)->sin_addr, address->bytes, 4))
			return true;
		if (at && at->sa_family == AF_INET6 && address->family == 6 &&
		    !memcmp(&((const struct sockaddr_in6 *)at)->sin6_addr, address->bytes, 16))
			return true;
	}
	return false;
}

/* Unwrapped packets to an address that the host has not would be forwarded or dropped by its stack. */
static void warn_of_foreign_vips(const struct receiver_options *options)
{
	struct ifaddrs *own;
	char text[ADDRESS_TEXT];
	struct refusal warning;

	if (!options->vips || options->netns || getifaddrs(&own))
		return;
	for (size_t i = 0; i < options->vip_count; i++) {
		if (address_is_local(own, &options->vips[i]))
			continue;
		refuse(&warning, 0, "%s is not an address of this host",
		       address_text(&options->vips[i], text));
		refusal_right(&warning, "ip addr add %s/%d dev lo", text,
			      options->vips[i].family == 4 ? 32 : 128);
		warn_about(&warning);
	}
	freeifaddrs(own);
}

static enum exit_status receiver_start(const struct call *call, const struct receiver_options *options)
{
	struct refusal refusal = {.what = ""}, warning = {.what = ""};
	int r = receiver_attach(options, &warning, &refusal);

	if (r)
		return complain(STATUS_REFUSED, &refusal, r);
	warn_about(&warning);
	warn_of_foreign_vips(options);
	if (!call->json)
		printf("receiver %s attached: from %zu prefix%s\n", options->interface, options->from_count,
		       options->from_count == 1 ? "" : "es");
	return STATUS_DONE;
}

static enum exit_status run_receiver_attach(const struct call *call)
{
	struct prefix *from = calloc(call->given_count + 1, sizeof *from);
	struct address *vips = calloc(call->given_count + 1, sizeof *vips);
	struct receiver_options options = {
		.interface = call->words[0],
		.from = from,
		.mode = mode_named(call_option(call, "mode")),
		.netns = call_option(call, "netns"),
	};
	const char *gue_port = call_option(call, "gue-port");
	enum exit_status status;

	if (!from || !vips) {
		status = complain_memory();
		goto out;
	}
	options.gue_port = gue_port ? (uint16_t)atoi(gue_port) : 0;
	read_peers(call, from, &options.from_count, vips, &options.vip_count);
	options.vips = options.vip_count ? vips : NULL;
	status = receiver_start(call, &options);
out:
	free(from);
	free(vips);
	return status;
}

static enum exit_status run_receiver_detach(const struct call *call)
{
	struct refusal refusal = {.what = ""};
	int r = receiver_detach(call->words[0], &refusal);

	if (r)
		return complain(STATUS_REFUSED, &refusal, r);
	if (!call->json)
		printf("receiver %s detached\n", call->words[0]);
	return STATUS_DONE;
}

static const struct {
	unsigned number;
	const char *word, *sentence;
} verdicts[] = {
#define X(name, number, word, verdict, sentence) {number, word, sentence},
	HF_RECEIVER_VERDICTS(X)
#undef X
};
enum { VERDICTS = sizeof verdicts / sizeof verdicts[0] };

static json_t *receiver_to_json(const struct receiver_state *state)
{
	json_t *from = json_array(), *vips = json_array(), *counts = json_object();
	char text[PREFIX_TEXT];

	for (size_t i = 0; i < state->from_count; i++)
		json_array_append_new(from, json_string(prefix_text(&state->from[i], text)));
	for (size_t i = 0; i < state->vip_count; i++)
		json_array_append_new(
			vips,
			json_pack("{s:s, s:o}", "address", address_text(&state->vips[i], text), "sockets",
				  state->sockets_known ? json_integer(state->sockets[i]) : json_null()));
	for (size_t i = 0; i < VERDICTS; i++)
		json_object_set_new(counts, verdicts[i].word,
				    json_integer((json_int_t)state->verdicts[verdicts[i].number]));
	return json_pack("{s:s, s:s, s:b, s:o, s:o, s:o, s:o}", "interface", state->interface, "mode",
			 mode_name(state->generic ? MODE_GENERIC : MODE_NATIVE), "tc", state->tc, "netns",
			 *state->netns ? json_string(state->netns) : json_null(), "from", from, "vips", vips,
			 "verdicts", counts);
}

static int receiver_collect(const struct receiver_state *state, void *context)
{
	return json_array_append_new(context, receiver_to_json(state)) ? -ENOMEM : 0;
}

static const char *tc_cell(const json_t *row, const char *key, char text[CELL_TEXT])
{
	(void)text;
	return json_is_true(json_object_get(row, key)) ? "there" : "missing";
}

static const struct column source_columns[] = {
	{"INTERFACE", "interface", text_cell}, {"MODE", "mode", text_cell},   {"TC", "tc", tc_cell},
	{"?NETNS", "netns", text_cell},        {"FROM", "prefix", text_cell}, {.header = NULL},
};
static const struct column vip_columns[] = {
	{"INTERFACE", "interface", text_cell},
	{"VIP", "address", text_cell},
	{">SOCKETS", "sockets", field_count},
	{.header = NULL},
};
static const struct column verdict_columns[] = {
	{"INTERFACE", "interface", text_cell},
	{"VERDICT", "verdict", text_cell},
	{">PACKETS", "packets", field_count},
	{"MEANING", "meaning", text_cell},
	{.header = NULL},
};

/* Appends a row that says of a receiver what part says, too; takes the reference over. */
static void part_append(json_t *rows, json_t *receiver, json_t *part)
{
	json_t *row = json_copy(receiver);

	json_object_update_new(row, part);
	json_array_append_new(rows, row);
}

static void receivers_print(const json_t *view)
{
	json_t *sources = json_array(), *vips = json_array(), *counts = json_array(), *receiver, *part;
	size_t i, j;

	json_array_foreach (json_object_get(view, "receivers"), i, receiver) {
		const json_t *from = json_object_get(receiver, "from");

		json_array_foreach (from, j, part)
			part_append(sources, receiver, json_pack("{s:O}", "prefix", part));
		if (!json_array_size(from)) /* another version attached it */
			part_append(sources, receiver, json_pack("{s:s}", "prefix", "unknown: attach again"));
		json_array_foreach (json_object_get(receiver, "vips"), j, part)
			part_append(vips, receiver, json_incref(part));
		part = json_object_get(receiver, "verdicts");
		for (j = 0; j < VERDICTS; j++)
			part_append(counts, receiver,
				    json_pack("{s:s, s:O, s:s}", "verdict", verdicts[j].word, "packets",
					      json_object_get(part, verdicts[j].word), "meaning",
					      verdicts[j].sentence));
	}
	show_table(sources, source_columns);
	show_table(vips, vip_columns);
	show_table(counts, verdict_columns);
	json_decref(sources);
	json_decref(vips);
	json_decref(counts);
}

static enum exit_status run_receiver_list(const struct call *call)
{
	json_t *receivers = json_array();
	struct refusal refusal = {.what = ""};
	int r = receiver_list(receiver_collect, receivers);

	if (r) {
		json_decref(receivers);
		return complain(STATUS_REFUSED, &refusal, r);
	}
	return show_view(call, json_pack("{s:o}", "receivers", receivers), receivers_print);
}

static enum exit_status run_receiver_check(const struct call *call)
{
	struct refusal refusal = {.what = ""};
	struct findings *findings;
	int r = preflight_receiver(call_argument(call, 0), &findings);

	return r ? complain(STATUS_REFUSED, &refusal, r) : findings_tell(call, findings);
}

/* clang-format off */
const struct noun receiver_noun = {"receiver", "takes the wrapping off packets, on a backend host", .verbs = VERBS(
	{"attach",
	 .arguments = ARGUMENTS(INTERFACE),
	 .options = OPTIONS(OPTION("from", VALUE_PREFIX, "PREFIX", "balancers whose packets are taken",
	                           .repeats = true, .required = true),
	                    OPTION("vip", VALUE_ADDRESS, "ADDRESS", "the VIPs; default: the addresses of loopback",
	                           .repeats = true),
	                    KEY("mode", &schema_interface, NULL),
	                    OPTION("netns", VALUE_TEXT, "NETNS",
	                           "where VIPs and their sockets are: a name below /run/netns, or a path"),
	                    KEY("gue-port", &schema_pool, "where balancers send GUE; default 19523")),
	 .help = "take the wrapping off packets from these balancers",
	 .example = "eth0 --from 10.0.1.0/24",
	 .details = "Runs on the backend's host and needs no daemon. Attached again, it replaces prefixes "
	            "and VIPs without a gap.",
	 .run = run_receiver_attach},
	{"detach",
	 .arguments = ARGUMENTS(INTERFACE),
	 .help = "leave packets wrapped again",
	 .example = "eth0",
	 .run = run_receiver_detach},
	{"list",
	 .help = "list the receivers of this host, their VIPs' sockets, and what they did with packets",
	 .run = run_receiver_list},
	{"check",
	 .arguments = ARGUMENTS(ARGUMENT("IF", VALUE_INTERFACE, NULL, .optional = true)),
	 .help = "look for what would keep packets from this backend host's VIPs",
	 .example = "eth0",
	 .details = "Exit status 1 where it finds a fault. Receivers get the host's addresses and MAC addresses as "
	            "they are now. Nothing else changes.",
	 .run = run_receiver_check})};
/* clang-format on */

// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <string.h>

#include "cli/frame/complain.h"
#include "cli/frame/field.h"
#include "cli/frame/request.h"
#include "cli/frame/show.h"
#include "cli/offline/offline.h"
#include "nouns.h"

static void print_verdict(const json_t *why)
{
	const json_t *reason = json_object_get(why, "reason");
	const char *verdict = field_text(why, "verdict");

	if (!strcmp(verdict, "forward"))
		show_format("verdict", "forward to %s", field_text(why, "backend"));
	else
		show_format("verdict", "%s%s: %s (%s)", verdict,
			    strcmp(verdict, "pass") ? "" : " to this host's own stack",
			    field_text(reason, "sentence"), field_text(reason, "word"));
}

static const char *by_sentence(const char *by)
{
	if (!strcmp(by, "owner"))
		return "the slot's owner";
	if (!strcmp(by, "base"))
		return "where the moving slot's old flows live";
	if (!strcmp(by, "remembered"))
		return "where the flow table remembers this flow";
	return by;
}

static void print_stated(const json_t *stated)
{
	char moment[MOMENT_TEXT];
	const json_t *fact;
	size_t i;

	json_array_foreach (stated, i, fact)
		show_format("stated", "%s %s, by %s at %s", field_text(fact, "backend"),
			    field_text(fact, "health"), field_text(fact, "author"),
			    field_moment(fact, "since", moment));
}

static void why_print(const json_t *why)
{
	const json_t *outer = json_object_get(why, "outer");
	char slot[QUANTITY_TEXT], slots[QUANTITY_TEXT], names[NAMES_TEXT];

	print_verdict(why);
	show_line("service", field_text(why, "service"));
	show_line("pool", field_text(why, "pool"));
	show_line("hash", field_text(why, "hash"));
	if (!field_is_null(why, "slot"))
		show_format("slot", "%s of %s", field_count(why, "slot", slot),
			    field_count(why, "slots", slots));
	show_line("preferences", names_text(json_object_get(why, "preferences"), names));
	print_stated(json_object_get(why, "stated"));
	show_line("owner", field_text(why, "owner"));
	if (json_is_true(json_object_get(why, "moving")))
		show_format("moving", "an old flow that is not remembered would go to %s",
			    *field_text(why, "base") ? field_text(why, "base") : "nobody");
	if (*field_text(why, "backend"))
		show_format("backend", "%s, %s", field_text(why, "backend"),
			    by_sentence(field_text(why, "by")));
	show_line("hops", names_text(json_object_get(why, "hops"), names));
	next_hop_show(json_object_get(why, "next_hop"));
	if (json_is_object(outer))
		show_format("outer header", "%s from %s to %s", field_text(outer, "encap"),
			    field_text(outer, "source"), field_text(outer, "destination"));
	show_line("program", field_text(why, "program"));
}

/* Both ends of one flow are of one family. */
static bool families_agree(const struct call *call)
{
	struct address source, destination;
	uint16_t low, high;

	endpoint_parse(call->words[1], &source, &low, &high);
	endpoint_parse(call->words[2], &destination, &low, &high);
	return source.family == destination.family;
}

static enum exit_status why_offline(const struct call *call)
{
	struct offline offline;
	json_t *view = NULL;
	enum exit_status status = offline_open(call, &offline);

	if (status)
		return status;
	status = offline_why(&offline, &view);
	if (!status)
		status = show_view(call, view, why_print);
	offline_close(&offline);
	return status;
}

static enum exit_status run_why(const struct call *call)
{
	const char *words[] = {call->words[0], call->words[1], call->words[2],
			       call_option(call, "interface")};
	struct refusal refusal = {.what = ""};

	if (!families_agree(call)) {
		refuse(&refusal, -EINVAL, "%s and %s are of different families", words[1], words[2]);
		refusal_right(&refusal, "two IPv4 or two IPv6 addresses: as the client's packet bears them");
		return complain(STATUS_USAGE, &refusal, 0);
	}
	if (call->offline)
		return why_offline(call);
	return request_show(call,
			    words[3] ? "/v1/why?proto=%s&src=%s&dst=%s&interface=%s"
				     : "/v1/why?proto=%s&src=%s&dst=%s",
			    words, why_print);
}

/* clang-format off */
const struct noun why_noun = {"why", "where a flow goes, and why", .verbs = VERBS(
	{"",
	 .arguments = ARGUMENTS(PROTO,
	                        ARGUMENT("SRC", VALUE_ENDPOINT, NULL),
	                        ARGUMENT("DST", VALUE_ENDPOINT, NULL)),
	 .options = OPTIONS(OPTION("interface", VALUE_INTERFACE, "IF", "where the packet arrives")),
	 .help = "walk one flow through the loaded program",
	 .example = "tcp 198.51.100.7:40000 203.0.113.10:5432",
	 .uses = "GET /v1/why",
	 .details = "Runs the very program that is attached, in its observing form: it shares the live "
	            "maps and writes to none.",
	 .flags = VERB_WORKS_OFFLINE,
	 .run = run_why})};
/* clang-format on */

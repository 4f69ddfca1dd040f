// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "cli/change/change_run.h"
#include "cli/frame/field.h"
#include "core/model/schema_table.h"
#include "cli/frame/request.h"
#include "cli/frame/table.h"
#include "nouns.h"
#include "status.h"

enum { DIGEST_SHOWN = 8 };

static enum exit_status run_pool_list(const struct call *call)
{
	struct answer answer = {NULL, NULL};
	enum exit_status status = request_get(call, "/v1/pools", &answer);
	struct table *table;
	char text[QUANTITY_TEXT];
	json_t *pool;
	size_t i;

	if (status)
		return status;
	if (call->json) {
		answer_print(&answer);
		goto out;
	}
	table = table_new("POOL SCHEME >SLOTS ENCAP >UP MOVING SETTLES TABLE HISTORY");
	json_array_foreach (json_object_get(answer.json, "pools"), i, pool) {
		const json_t *digests = json_object_get(pool, "digests");
		double slots = field_number(pool, "table_size");

		table_cell(table, "%s", field_text(pool, "name"));
		table_cell(table, "%s", field_text(pool, "scheme"));
		table_cell(table, "%.0f", slots);
		table_cell(table, "%s", field_text(pool, "encap"));
		table_cell(table, "%.0f/%.0f", field_number(pool, "up"), field_number(pool, "backends"));
		table_cell(table, "%s", moving_text(field_number(pool, "moving"), slots, text));
		table_cell(table, "%s", settles_text(pool, text));
		table_cell(table, "%.*s", DIGEST_SHOWN, field_text(digests, "table"));
		table_cell(table, "%.*s", DIGEST_SHOWN, field_text(digests, "history"));
	}
	table_print(table);
out:
	answer_free(&answer);
	return status;
}

static void show_list(const char *name, const json_t *strings)
{
	json_t *string;
	size_t i;

	if (json_is_string(strings))
		show_line(name, json_string_value(strings));
	json_array_foreach (strings, i, string)
		show_line(i ? "" : name, json_is_string(string) ? json_string_value(string) : "");
}

/* What the scheme alone knows. */
static void show_options(const json_t *options)
{
	const char *key;
	json_t *value;

	json_object_foreach ((json_t *)options, key, value) {
		char name[64];

		snprintf(name, sizeof name, "%s", key);
		for (char *at = name; *at; at++)
			*at = *at == '_' ? ' ' : *at;
		if (json_is_string(value))
			show_line(name, json_string_value(value));
		else
			show_format(name, strcmp(key, "tolerance") ? "%g" : "%g %%",
				    json_number_value(value));
	}
}

static void pool_print(const json_t *pool)
{
	const json_t *grace = json_object_get(pool, "grace"), *digests = json_object_get(pool, "digests");
	char text[QUANTITY_TEXT], udp[QUANTITY_TEXT];

	show_line("pool", field_text(pool, "name"));
	show_line("scheme", field_text(pool, "scheme"));
	show_options(json_object_get(pool, "options"));
	show_format("table size", "%.0f slots", field_number(pool, "table_size"));
	show_line("seed", field_is_null(pool, "seed") ? "the instance's" : field_text(pool, "seed"));
	show_line("hash", field_text(pool, "hash"));
	show_line("encap", field_text(pool, "encap"));
	show_list("source", json_object_get(pool, "source"));
	if (json_is_object(grace))
		show_format("grace", "TCP %s, UDP %s", elapsed_text(field_number(grace, "tcp"), text),
			    elapsed_text(field_number(grace, "udp"), udp));
	show_list("services", json_object_get(pool, "services"));
	show_format("backends", "%.0f, %.0f up", field_number(pool, "backends"), field_number(pool, "up"));
	show_format("moving", "%s slots",
		    moving_text(field_number(pool, "moving"), field_number(pool, "table_size"), text));
	if (!field_is_null(pool, "settles_in"))
		show_line("settles", settles_text(pool, text));
	if (field_is_null(pool, "demand"))
		show_format("flow table", "%s remembered", field_count(pool, "remembered", text));
	else
		show_format("flow table", "%s remembered, %s wanted while slots move",
			    field_count(pool, "remembered", text), field_count(pool, "demand", udp));
	show_line("table", field_text(digests, "table"));
	show_line("history", field_text(digests, "history"));
}

static enum exit_status run_pool_show(const struct call *call)
{
	struct answer answer = {NULL, NULL};
	enum exit_status status = request_get_named(call, "/v1/pools/%s", call->words, &answer);

	if (!status && call->json)
		answer_print(&answer);
	else if (!status)
		pool_print(answer.json);
	answer_free(&answer);
	return status;
}

static void slots_print(const json_t *slots)
{
	struct table *table = table_new("SLOTS OWNER ?OLD-FLOWS ?PREFERENCES");
	char names[NAMES_TEXT];
	json_t *range;
	size_t i;

	json_array_foreach (json_object_get(slots, "ranges"), i, range) {
		double first = field_number(range, "first"), last = field_number(range, "last");

		if (first == last)
			table_cell(table, "%.0f", first);
		else
			table_cell(table, "%.0f-%.0f", first, last);
		table_cell(table, "%s", field_is_null(range, "owner") ? "-" : field_text(range, "owner"));
		table_cell(table, "%s", field_text(range, "base"));
		table_cell(table, "%s", names_text(json_object_get(range, "preferences"), names));
	}
	table_print(table);
}

static enum exit_status run_pool_slots_show(const struct call *call)
{
	struct answer answer = {NULL, NULL};
	enum exit_status status = request_get_named(
		call,
		call_flag(call, "preferences") ? "/v1/pools/%s/slots?preferences=1" : "/v1/pools/%s/slots",
		call->words, &answer);

	if (!status && call->json)
		answer_print(&answer);
	else if (!status)
		slots_print(answer.json);
	answer_free(&answer);
	return status;
}

#define POOL ARGUMENT("POOL", VALUE_NAME, "name")

/* clang-format off */
static const struct verb pool_verbs[] = {
	{"add",
	 .arguments = ARGUMENTS(POOL),
	 .keys = &schema_pool,
	 .help = "add a pool",
	 .example = "db --table-size 65537",
	 .uses = "pool.add",
	 .done = "added",
	 .flags = VERB_CHANGES,
	 .run = run_change},
	{"set",
	 .arguments = ARGUMENTS(POOL),
	 .keys = &schema_pool,
	 .help = "change a pool",
	 .example = "db --grace 20s",
	 .uses = "pool.set",
	 .done = "changed",
	 .details = "Another scheme, table size, seed or option is a migration: --dry-run says how many slots "
	            "would move. Connections stay where they are through it. Options of another scheme go "
	            "back to their defaults with it.",
	 .flags = VERB_CHANGES,
	 .run = run_change},
	{"remove",
	 .arguments = ARGUMENTS(POOL),
	 .help = "remove a pool that no service uses",
	 .example = "db",
	 .uses = "pool.remove",
	 .done = "removed",
	 .flags = VERB_CHANGES,
	 .run = run_change},
	{"show",
	 .arguments = ARGUMENTS(POOL),
	 .help = "show one pool in full",
	 .example = "db",
	 .uses = "GET /v1/pools/POOL",
	 .details = "Balancers that share a VIP must show equal digests.",
	 .run = run_pool_show},
	{"list",
	 .help = "list the pools",
	 .uses = "GET /v1/pools",
	 .run = run_pool_list},
	{"slots show",
	 .arguments = ARGUMENTS(POOL),
	 .options = OPTIONS(FLAG("preferences", "with the backends each slot prefers, best first")),
	 .help = "show who owns which slots now, and where old flows of moving ones live",
	 .example = "db --preferences",
	 .uses = "GET /v1/pools/POOL/slots",
	 .run = run_pool_slots_show},
	{"slots move",
	 .arguments = ARGUMENTS(POOL, ARGUMENT("RANGE", VALUE_RANGE, "slots"),
	                        ARGUMENT("BACKEND", VALUE_NAME, "backend")),
	 .options = OPTIONS(OPTION("owner", VALUE_NAME, "BACKEND", "only those of the slots that this backend owns")),
	 .help = "give slots of a pool with scheme slots to a backend",
	 .example = "cache 0-1023 cache2",
	 .uses = "pool.slots.move",
	 .done = "moved",
	 .details = "A new pool is divided evenly by weight, until its first service: from then on a backend that "
	            "is added owns nothing until slots are moved to it, and one that owns slots is not removed "
	            "before they are moved away, or it is drained. What a drained backend owned goes to those who "
	            "serve it meanwhile.",
	 .flags = VERB_CHANGES,
	 .run = run_change},
	{.verb = NULL},
};
/* clang-format on */

const struct noun pool_noun = {"pool", "a named set of backends with one placement", .verbs = pool_verbs};

// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>

#include "core/model/schema_table.h"
#include "cli/change/change_run.h"
#include "cli/frame/field.h"
#include "cli/frame/request.h"
#include "cli/frame/show.h"
#include "nouns.h"

enum { DIGEST_SHOWN = 8 };

/* "16384 (25%)"; key: where the number of slots is. */
static const char *moving_cell(const json_t *pool, const char *key, char text[CELL_TEXT])
{
	double moving = field_number(pool, "moving"), slots = field_number(pool, key);
	char percent[QUANTITY_TEXT];

	if (moving > 0 && slots > 0)
		snprintf(text, CELL_TEXT, "%.0f (%s%%)", moving, percent_text(moving / slots, percent));
	else
		snprintf(text, CELL_TEXT, "%.0f", moving);
	return text;
}

/* "in 1h56m" */
static const char *settles_cell(const json_t *pool, const char *key, char text[CELL_TEXT])
{
	char in[QUANTITY_TEXT];

	if (field_is_null(pool, key))
		return "-";
	snprintf(text, CELL_TEXT, "in %s", field_elapsed(pool, key, in));
	return text;
}

/* A digest's beginning; list: the digests are an object of their own, status: they are the pool's members. */
static const char *digest_cell(const json_t *pool, const char *key, char text[CELL_TEXT])
{
	const json_t *digests = json_object_get(pool, "digests");

	snprintf(text, CELL_TEXT, "%.*s", DIGEST_SHOWN, known_cell(digests ? digests : pool, key, NULL));
	return text;
}

void pools_print(const json_t *status)
{
	static const struct column columns[] = {
		{"POOL", "name", text_cell},
		{"SCHEME", "scheme", known_cell},
		{"SLOTS", "slots", field_count},
		{"MOVING", "slots", moving_cell},
		{"SETTLES", "settles_in", settles_cell},
		{"TABLE", "table", digest_cell},
		{"HISTORY", "history", digest_cell},
		{.header = NULL},
	};

	show_table(json_object_get(status, "pools"), columns);
}

static void pools_print_list(const json_t *view)
{
	static const struct column columns[] = {
		{"POOL", "name", text_cell},
		{"SCHEME", "scheme", text_cell},
		{">SLOTS", "table_size", field_count},
		{"ENCAP", "encap", text_cell},
		{">UP", "up", field_up},
		{"MOVING", "table_size", moving_cell},
		{"SETTLES", "settles_in", settles_cell},
		{"TABLE", "table", digest_cell},
		{"HISTORY", "history", digest_cell},
		{.header = NULL},
	};

	show_table(json_object_get(view, "pools"), columns);
}

static enum exit_status run_pool_list(const struct call *call)
{
	return request_show(call, "/v1/pools", NULL, pools_print_list);
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

static bool is_percent(const char *name)
{
	const struct schema_key *key = schema_find(&schema_pool, name);

	return key && key->type == SCHEMA_PERCENT;
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
		if (json_is_boolean(value))
			show_line(name, json_is_true(value) ? "true" : "false");
		else if (json_is_string(value))
			show_line(name, json_string_value(value));
		else
			show_format(name, is_percent(key) ? "%g %%" : "%g", json_number_value(value));
	}
}

static void pool_print(const json_t *pool)
{
	const json_t *grace = json_object_get(pool, "grace"), *digests = json_object_get(pool, "digests");
	char text[CELL_TEXT], udp[QUANTITY_TEXT];

	show_line("pool", field_text(pool, "name"));
	show_line("scheme", field_text(pool, "scheme"));
	show_options(json_object_get(pool, "options"));
	show_format("table size", "%.0f slots", field_number(pool, "table_size"));
	show_line("seed", field_is_null(pool, "seed") ? "the instance's" : field_text(pool, "seed"));
	show_line("hash", field_text(pool, "hash"));
	show_line("encap", field_text(pool, "encap"));
	show_list("source", json_object_get(pool, "source"));
	if (json_is_object(grace))
		show_format("grace", "TCP %s, UDP %s", field_elapsed(grace, "tcp", text),
			    field_elapsed(grace, "udp", udp));
	show_list("services", json_object_get(pool, "services"));
	show_format("backends", "%.0f, %.0f up", field_number(pool, "backends"), field_number(pool, "up"));
	show_format("moving", "%s slots", moving_cell(pool, "table_size", text));
	if (!field_is_null(pool, "settles_in"))
		show_line("settles", settles_cell(pool, "settles_in", text));
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
	return request_show(call, "/v1/pools/%s", call->words, pool_print);
}

/* "17", "0-99" */
static const char *range_cell(const json_t *range, const char *key, char text[CELL_TEXT])
{
	double first = field_number(range, key), last = field_number(range, "last");

	if (first == last)
		return count_text(first, text);
	snprintf(text, CELL_TEXT, "%.0f-%.0f", first, last);
	return text;
}

static const char *names_cell(const json_t *range, const char *key, char text[CELL_TEXT])
{
	return names_text(json_object_get(range, key), text);
}

static void slots_print(const json_t *slots)
{
	static const struct column columns[] = {
		{"SLOTS", "first", range_cell},
		{"OWNER", "owner", known_cell},
		{"?OLD-FLOWS", "base", text_cell},
		{"?PREFERENCES", "preferences", names_cell},
		{.header = NULL},
	};

	show_table(json_object_get(slots, "ranges"), columns);
}

static enum exit_status run_pool_slots_show(const struct call *call)
{
	return request_show(call,
			    call_flag(call, "preferences") ? "/v1/pools/%s/slots?preferences=1"
							   : "/v1/pools/%s/slots",
			    call->words, slots_print);
}

#define POOL ARGUMENT("POOL", VALUE_NAME, "name")

/* clang-format off */
const struct noun pool_noun = {"pool", "a named set of backends with one placement", .run = run_change, .verbs = VERBS(
	{"add",
	 .arguments = ARGUMENTS(POOL),
	 .keys = &schema_pool,
	 .help = "add a pool",
	 .example = "db --table-size 65537",
	 .uses = "pool.add",
	 .done = "added"},
	{"set",
	 .arguments = ARGUMENTS(POOL),
	 .keys = &schema_pool,
	 .help = "change a pool",
	 .example = "db --grace 20s",
	 .uses = "pool.set",
	 .done = "changed",
	 .details = "Another scheme, table size, seed or option is a migration: --dry-run says how many slots "
	            "would move. Connections stay where they are through it. Options of another scheme go "
	            "back to their defaults with it."},
	{"remove",
	 .arguments = ARGUMENTS(POOL),
	 .help = "remove a pool that no service uses",
	 .example = "db",
	 .uses = "pool.remove",
	 .done = "removed"},
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
	            "serve it meanwhile."})};
/* clang-format on */

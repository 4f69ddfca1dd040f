// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/study/comparison.h"
#include "cli/frame/complain.h"
#include "cli/frame/figure.h"
#include "cli/frame/monotonic.h"
#include "cli/frame/progress.h"
#include "cli/frame/quantity.h"
#include "cli/frame/table.h"
#include "commands.h"
#include "placement_study.h"

enum { CHUNKS = 16 };

/* One run of the verb. */
struct contest {
	struct study study;
	struct sample sample;
	bool schemes[PLACEMENT_SCHEMES];
	uint32_t replicas;
	double factor; /* 0: none */
	struct progress progress;
	double done, step; /* of the progress */
};

/* One scheme's entry in it. */
struct entry {
	struct placement *before, *after;
	uint16_t *owners[2];
	uint32_t *weights[2];
	double build, lookup; /* seconds; of one key: seconds */
	struct figures figures;
	char warning[200];
};

static void entry_end(struct entry *entry)
{
	placement_free(entry->before);
	placement_free(entry->after);
	for (int side = 0; side < 2; side++) {
		free(entry->owners[side]);
		free(entry->weights[side]);
	}
}

static enum exit_status no_memory(void)
{
	return complain(STATUS_REFUSED, &(struct refusal){.what = ""}, -ENOMEM);
}

/* Owners of all keys, in pieces, so that the bar moves; seconds it took. */
static double owners_find(struct contest *contest, const struct placement *placement, uint16_t *owners,
			  const char *what)
{
	double start = monotonic_seconds();
	struct sample piece = contest->sample;

	if (!contest->sample.prefix) {
		sample_owners(placement, &contest->sample, owners);
		return monotonic_seconds() - start;
	}
	for (uint32_t at = 0; at < contest->sample.count; at += piece.count) {
		piece.first = contest->sample.first + at;
		piece.count = contest->sample.count / CHUNKS + 1;
		if (piece.count > contest->sample.count - at)
			piece.count = contest->sample.count - at;
		sample_owners(placement, &piece, owners + at);
		progress_show(&contest->progress, contest->done + contest->step * at / contest->sample.count,
			      what);
	}
	return monotonic_seconds() - start;
}

static uint32_t *weights_of(const struct placement *placement, const struct crowd *crowd)
{
	uint32_t *weights = calloc(placement_members(placement) + 1, sizeof *weights);

	for (size_t i = 0; weights && i < crowd->count; i++)
		weights[placement_member_number(placement, crowd->members[i].name)] =
			crowd->members[i].weight;
	return weights;
}

static enum exit_status entry_place(struct contest *contest, enum placement_scheme scheme,
				    struct entry *entry)
{
	const char *name = placement_scheme_name(scheme);
	double start = monotonic_seconds();
	enum exit_status status = study_build(&contest->study, scheme, false, NULL, &entry->before);
	uint32_t size;

	entry->build = monotonic_seconds() - start;
	if (!status)
		status = study_build(&contest->study, scheme, true, NULL, &entry->after);
	if (status)
		return status;
	size = sample_size(entry->before, &contest->sample);
	entry->weights[0] = weights_of(entry->before, &contest->study.before);
	entry->weights[1] = weights_of(entry->after, &contest->study.after);
	entry->owners[0] = malloc(size * sizeof(uint16_t));
	entry->owners[1] = malloc(size * sizeof(uint16_t));
	if (!entry->weights[0] || !entry->weights[1] || !entry->owners[0] || !entry->owners[1])
		return no_memory();
	entry->lookup = owners_find(contest, entry->before, entry->owners[0], name) / size;
	if (!contest->sample.prefix) /* a table is read, not asked */
		entry->lookup = NAN;
	contest->done += contest->step;
	owners_find(contest, entry->after, entry->owners[1], name);
	contest->done += contest->step;
	return STATUS_DONE;
}

static enum exit_status entry_measure(struct contest *contest, struct entry *entry)
{
	struct side before = {entry->before, entry->owners[0], entry->weights[0]};
	struct side after = {entry->after, entry->owners[1], entry->weights[1]};
	int error =
		compare(&contest->sample, &before, contest->study.change ? &after : NULL, &entry->figures);

	if (!error && contest->replicas)
		error = compare_replicas(&contest->sample, &before, &after, contest->replicas,
					 &entry->figures);
	if (!error && contest->factor > 0)
		error = compare_bounded(&contest->sample, &before, contest->factor, &entry->figures);
	if (contest->study.change)
		placement_move_warning(entry->before, entry->after, entry->warning, sizeof entry->warning);
	return error ? no_memory() : STATUS_DONE;
}

/* What cannot be told is null, so that every row has every key. */
static json_t *real_or_null(double value)
{
	return isnan(value) ? json_null() : json_real(value);
}

static json_t *entry_json(const struct contest *contest, enum placement_scheme scheme,
			  const struct entry *entry)
{
	const struct figures *figures = &entry->figures;
	json_t *row = json_pack("{s:s,s:f,s:f,s:f}", "scheme", placement_scheme_name(scheme), "max_over_mean",
				figures->greatest, "min_over_mean", figures->least, "deviation",
				figures->deviation);

	if (figures->changed)
		json_object_update_new(row, json_pack("{s:f,s:f,s:f}", "moved", figures->moved, "minimum",
						      figures->minimum, "needless", figures->needless));
	json_object_update_new(row, json_pack("{s:s,s:s,s:f}", "lost", figures->lost, "worst_neighbour",
					      figures->neighbour, "worst_neighbour_share",
					      figures->worst_neighbour));
	if (contest->replicas)
		json_object_update_new(row,
				       json_pack("{s:f,s:f,s:o}", "copies_moved", figures->copies_moved,
						 "copies_lost", figures->copies_lost, "keys_with_duplicates",
						 real_or_null(figures->duplicates)));
	if (contest->factor > 0)
		json_object_update_new(
			row, json_pack("{s:f,s:f}", "cap", figures->cap, "overflow", figures->overflow));
	json_object_update_new(row, json_pack("{s:f,s:o,s:I}", "build_ms", entry->build * 1e3, "lookup_ns",
					      real_or_null(entry->lookup * 1e9), "bytes",
					      (json_int_t)placement_bytes(entry->before)));
	if (contest->study.change)
		json_object_set_new(row, "caution", json_string(entry->warning));
	return row;
}

static const char *cell_percent(const json_t *row, const char *key, char text[QUANTITY_TEXT + 4])
{
	const json_t *value = json_object_get(row, key);

	if (!json_is_real(value))
		return "";
	snprintf(text, QUANTITY_TEXT + 4, "%.2f%%", 100 * json_real_value(value));
	return text;
}

static double number(const json_t *row, const char *key)
{
	return json_number_value(json_object_get(row, key));
}

static void rows_print(const json_t *rows)
{
	struct table *table = table_new(
		"SCHEME >MAX/MEAN >MIN/MEAN >STDDEV >?MOVED >?MINIMUM >?NEEDLESS >WORST-NEIGHBOUR "
		">?COPIES-MOVED >?COPIES-LOST >?DUPLICATES >?CAP >?OVERFLOW >BUILD ?>LOOKUP >BYTES");
	static const char *const shares[] = {"moved",
					     "minimum",
					     "needless",
					     "worst_neighbour_share",
					     "copies_moved",
					     "copies_lost",
					     "keys_with_duplicates"};
	char text[QUANTITY_TEXT + 4];
	json_t *row;
	size_t i;

	json_array_foreach (rows, i, row) {
		table_cell(table, "%s", json_string_value(json_object_get(row, "scheme")));
		table_cell(table, "%.3f", number(row, "max_over_mean"));
		table_cell(table, "%.3f", number(row, "min_over_mean"));
		table_cell(table, "%.3f", number(row, "deviation"));
		for (size_t s = 0; s < sizeof shares / sizeof *shares; s++)
			table_cell(table, "%s", cell_percent(row, shares[s], text));
		table_cell(table, json_object_get(row, "cap") ? "%.0f" : "", number(row, "cap"));
		table_cell(table, "%s", cell_percent(row, "overflow", text));
		table_cell(table, "%.1fms", number(row, "build_ms"));
		table_cell(table, number(row, "lookup_ns") > 0 ? "%.0fns" : "", number(row, "lookup_ns"));
		table_cell(table, "%s", quantity_text(number(row, "bytes"), text));
	}
	table_print(table);
	json_array_foreach (rows, i, row) {
		const char *warning = json_string_value(json_object_get(row, "caution"));

		if (warning && *warning)
			printf("NOTE  %s\n", warning);
	}
}

static enum exit_status rows_show(const struct call *call, const struct contest *contest, json_t *rows)
{
	const char *change = contest->study.change ? contest->study.change : "";

	if (call_flag(call, "csv")) {
		figures_print_csv(rows);
		json_decref(rows);
	} else if (call->json) {
		figures_print_json(json_pack(
			"{s:I,s:s,s:I,s:o}", "members", (json_int_t)contest->study.before.count, "change",
			change, "keys", (json_int_t)(contest->sample.prefix ? contest->sample.count : 0),
			"schemes", rows));
	} else {
		printf("%zu members%s%s, ", contest->study.before.count, *change ? ", then " : "", change);
		if (contest->sample.prefix)
			printf("keys %s%u to %s%u\n", contest->sample.prefix, contest->sample.first,
			       contest->sample.prefix, contest->sample.first + contest->sample.count - 1);
		else
			printf("every slot of the table\n");
		rows_print(rows);
		json_decref(rows);
	}
	return STATUS_DONE;
}

/* The schemes of --schemes, or those that members of any kind and number can be compared under. */
static enum exit_status schemes_read(const struct call *call, struct contest *contest)
{
	const char *text = call_option(call, "schemes");
	struct refusal refusal = {.what = ""};
	size_t count = 0;

	for (int scheme = 0; scheme < PLACEMENT_SCHEMES && !text; scheme++)
		contest->schemes[scheme] = true;
	while (text && *text) {
		size_t length = strcspn(text, ",");
		enum placement_scheme scheme;
		char word[32];

		snprintf(word, sizeof word, "%.*s", (int)length, text);
		if (placement_scheme_parse(word, &scheme)) {
			refuse(&refusal, -EINVAL, "there is no scheme \"%s\"", word);
			refusal_where(&refusal, "--schemes");
			refusal_right(&refusal,
				      "maglev, stable, rendezvous, ring, ketama, jump, modulo, slots");
			return complain(STATUS_USAGE, &refusal, -EINVAL);
		}
		contest->schemes[scheme] = true;
		text += length + (text[length] == ',');
	}
	for (int scheme = 0; scheme < PLACEMENT_SCHEMES; scheme++)
		count += contest->schemes[scheme];
	contest->step = 0.5 / (double)(count ? count : 1);
	return STATUS_DONE;
}

static enum exit_status contest_open(const struct call *call, struct contest *contest)
{
	const char *prefix = call_option(call, "key-prefix");
	enum exit_status status = schemes_read(call, contest);

	if (!status)
		status = study_fraction(call, "load-factor", 1, &contest->factor);
	if (!status)
		status = study_open(call, &contest->study);
	contest->sample =
		(struct sample){.prefix = prefix ? prefix : "key",
				.first = study_number(call, "first-key", 1) - !call_option(call, "first-key"),
				.count = study_number(call, "keys", STUDY_KEYS)};
	if (call_flag(call, "table")) {
		contest->sample.prefix = NULL;
		contest->study.options.keys_only = false;
	}
	if (contest->sample.prefix && call_flag(call, "bare-keys"))
		contest->sample.prefix = "";
	contest->replicas = study_number(call, "replicas", 0);
	return status;
}

enum exit_status placement_compare(const struct call *call)
{
	struct contest contest = {.progress = progress_start()};
	enum exit_status status = contest_open(call, &contest);
	json_t *rows;

	if (status)
		return status;
	rows = json_array();
	for (int scheme = 0; scheme < PLACEMENT_SCHEMES && !status; scheme++) {
		struct entry entry = {.before = NULL};

		if (!contest.schemes[scheme])
			continue;
		status = entry_place(&contest, (enum placement_scheme)scheme, &entry);
		if (!status)
			status = entry_measure(&contest, &entry);
		if (!status)
			json_array_append_new(rows,
					      entry_json(&contest, (enum placement_scheme)scheme, &entry));
		entry_end(&entry);
	}
	progress_end(&contest.progress);
	if (status)
		json_decref(rows);
	else
		status = rows_show(call, &contest, rows);
	study_close(&contest.study);
	return status;
}

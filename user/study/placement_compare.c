// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/study/comparison.h"
#include "cli/frame/complain.h"
#include "cli/frame/field.h"
#include "cli/frame/moment.h"
#include "cli/frame/show.h"
#include "figure.h"
#include "placement_study.h"
#include "placement_verbs.h"
#include "progress.h"

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

static enum exit_status entry_place(struct contest *contest, enum placement_scheme scheme,
				    struct entry *entry)
{
	const char *name = placement_scheme_name(scheme);
	double start = monotonic_seconds();
	enum exit_status status = study_build(&contest->study, scheme, false, &entry->before);
	uint32_t size;

	entry->build = monotonic_seconds() - start;
	status = status ?: study_build(&contest->study, scheme, true, &entry->after);
	if (status)
		return status;
	size = sample_size(entry->before, &contest->sample);
	entry->weights[0] = study_weights(&contest->study, false, entry->before);
	entry->weights[1] = study_weights(&contest->study, true, entry->after);
	entry->owners[0] = malloc(size * sizeof(uint16_t));
	entry->owners[1] = malloc(size * sizeof(uint16_t));
	if (!entry->weights[0] || !entry->weights[1] || !entry->owners[0] || !entry->owners[1])
		return complain_memory();
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
	return error ? complain_memory() : STATUS_DONE;
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

static const char *percent_cell(const json_t *row, const char *key, char text[CELL_TEXT])
{
	const json_t *value = json_object_get(row, key);

	if (!json_is_real(value))
		return "";
	snprintf(text, CELL_TEXT, "%.2f%%", 100 * json_real_value(value));
	return text;
}

static const char *ratio_cell(const json_t *row, const char *key, char text[CELL_TEXT])
{
	snprintf(text, CELL_TEXT, "%.3f", field_number(row, key));
	return text;
}

static const char *cap_cell(const json_t *row, const char *key, char text[CELL_TEXT])
{
	return json_object_get(row, key) ? field_count(row, key, text) : "";
}

static const char *build_cell(const json_t *row, const char *key, char text[CELL_TEXT])
{
	snprintf(text, CELL_TEXT, "%.1fms", field_number(row, key));
	return text;
}

static const char *lookup_cell(const json_t *row, const char *key, char text[CELL_TEXT])
{
	if (field_number(row, key) <= 0)
		return "";
	snprintf(text, CELL_TEXT, "%.0fns", field_number(row, key));
	return text;
}

static void schemes_print(const json_t *rows)
{
	static const struct column columns[] = {
		{"SCHEME", "scheme", text_cell},
		{">MAX/MEAN", "max_over_mean", ratio_cell},
		{">MIN/MEAN", "min_over_mean", ratio_cell},
		{">STDDEV", "deviation", ratio_cell},
		{">?MOVED", "moved", percent_cell},
		{">?MINIMUM", "minimum", percent_cell},
		{">?NEEDLESS", "needless", percent_cell},
		{">WORST-NEIGHBOUR", "worst_neighbour_share", percent_cell},
		{">?COPIES-MOVED", "copies_moved", percent_cell},
		{">?COPIES-LOST", "copies_lost", percent_cell},
		{">?DUPLICATES", "keys_with_duplicates", percent_cell},
		{">?CAP", "cap", cap_cell},
		{">?OVERFLOW", "overflow", percent_cell},
		{">BUILD", "build_ms", build_cell},
		{"?>LOOKUP", "lookup_ns", lookup_cell},
		{">BYTES", "bytes", field_quantity},
		{.header = NULL},
	};
	json_t *row;
	size_t i;

	show_table(rows, columns);
	json_array_foreach (rows, i, row) {
		if (*field_text(row, "caution"))
			printf("NOTE  %s\n", field_text(row, "caution"));
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
		schemes_print(rows);
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

	status = status ?: study_fraction(call, "load-factor", 1, &contest->factor);
	status = status ?: study_open(call, &contest->study);
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
		status = status ?: entry_measure(&contest, &entry);
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

// SPDX-License-Identifier: Apache-2.0
#include "placement_study.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/study/allocation.h"
#include "core/value/nearest.h"
#include "core/value/seed.h"
#include "core/value/slot_range.h"
#include "cli/frame/complain.h"
#include "cli/frame/field.h"
#include "cli/frame/file.h"
#include "cli/frame/request.h"

uint32_t study_number(const struct call *call, const char *option, uint32_t otherwise)
{
	const char *text = call_option(call, option);

	return text ? (uint32_t)strtoul(text, NULL, 10) : otherwise;
}

enum exit_status study_fraction(const struct call *call, const char *option, double low, double *value)
{
	const char *text = call_option(call, option);
	struct refusal refusal = {.what = ""};
	double number;
	char *end;

	if (!text)
		return STATUS_DONE;
	number = strtod(text, &end);
	if (end != text && !*end && number >= low && number <= 1e6) {
		*value = number;
		return STATUS_DONE;
	}
	refuse(&refusal, -EINVAL, "\"%.80s\" is %s", text,
	       end == text || *end ? "not a number"
	       : number < low      ? "too small"
				   : "too large");
	refusal_where(&refusal, "--%s", option);
	refusal_right(&refusal, "a number from %g, like %g", low, low + 0.25);
	return complain(STATUS_USAGE, &refusal, -EINVAL);
}

enum placement_scheme study_scheme(const struct call *call, enum placement_scheme otherwise)
{
	const char *word = call_option(call, "scheme");

	if (word)
		placement_scheme_parse(word, &otherwise);
	return otherwise;
}

/* Members from an array of objects with name, weight and zone, as the API and configurations have them. */
static int members_join(struct crowd *crowd, const json_t *backends)
{
	json_t *backend;
	int error = 0;
	size_t i;

	json_array_foreach (backends, i, backend) {
		json_t *weight = json_object_get(backend, "weight");

		error = crowd_join(crowd, field_text(backend, "name"),
				   weight ? (uint32_t)json_integer_value(weight) : CROWD_WEIGHT,
				   field_text(backend, "zone"));
		if (error)
			return error;
	}
	return 0;
}

static int refuse_absent_pool(const json_t *pools, const char *name, const char *file,
			      struct refusal *refusal)
{
	struct nearest nearest = nearest_to(name ? name : "");
	const json_t *pool;
	size_t i;

	json_array_foreach (pools, i, pool)
		nearest_offer(&nearest, field_text(pool, "name"));
	refuse(refusal, -ENOENT, name ? "there is no pool %s" : "there is no pool", name);
	refusal_where(refusal, "%.180s", file);
	nearest_right(&nearest, refusal, name ? "a pool of this file" : "a file with a pool");
	return -ENOENT;
}

static enum exit_status pool_of_file(const struct call *call, struct crowd *crowd)
{
	const char *file = call_option(call, "file"), *name = call_option(call, "pool");
	struct refusal refusal = {.what = ""};
	json_t *configuration = NULL, *pools, *pool, *found = NULL;
	enum exit_status status = file_read_configuration(file, &configuration);
	int error;
	size_t i;

	if (status)
		return status;
	pools = json_object_get(configuration, "pools");
	json_array_foreach (pools, i, pool)
		if (!found && (!name || !strcmp(field_text(pool, "name"), name)))
			found = pool;
	error = found ? members_join(crowd, json_object_get(found, "backends"))
		      : refuse_absent_pool(pools, name, file, &refusal);
	json_decref(configuration);
	return error ? complain(STATUS_REFUSED, &refusal, error) : STATUS_DONE;
}

static enum exit_status pool_of_daemon(const struct call *call, struct crowd *crowd)
{
	const char *pool = call_option(call, "pool");
	struct answer answer = {NULL, NULL};
	enum exit_status status = request_get(call, "/v1/backends/%s", &pool, &answer);

	if (status)
		return status;
	if (members_join(crowd, json_object_get(answer.json, "backends")))
		status = complain_memory();
	answer_free(&answer);
	return status;
}

/* Words are changes too, in the verbs whose words may be signed. */
static int change_read(const struct call *call, struct study *study)
{
	bool words = call->verb->flags & VERB_SIGNED_WORDS;
	const char *option = call_option(call, "change");
	size_t length = option ? strlen(option) + 1 : 0;

	for (size_t i = 0; words && i < call->word_count; i++)
		length += strlen(call->words[i]) + 1;
	if (!length)
		return 0;
	study->change = calloc(length, 1);
	if (!study->change)
		return -ENOMEM;
	strcat(study->change, option ? option : "");
	for (size_t i = 0; words && i < call->word_count; i++) {
		strcat(study->change, *study->change ? "," : "");
		strcat(study->change, call->words[i]);
	}
	return 0;
}

static enum exit_status members_read(const struct call *call, struct study *study)
{
	const char *members = call_option(call, "members");
	struct refusal refusal = {.what = ""};
	enum exit_status status = STATUS_DONE;
	int error = 0;

	if (call_option(call, "file"))
		status = pool_of_file(call, &study->before);
	else if (call_option(call, "pool"))
		status = pool_of_daemon(call, &study->before);
	if (status)
		return status;
	if (members)
		error = crowd_add(&study->before, members, &refusal);
	if (!error && !study->before.count) {
		error = refuse(&refusal, -EINVAL, "there are no members");
		refusal_right(&refusal, "--members a,b*2,c@east,cache-0..9, or --pool POOL, or --file FILE");
	}
	error = error ?: crowd_copy(&study->before, &study->after);
	error = error ?: change_read(call, study);
	if (!error && study->change)
		error = crowd_change(&study->after, study->change, &refusal);
	return error ? complain(STATUS_USAGE, &refusal, error) : STATUS_DONE;
}

static enum exit_status refuse_pair(const char *option, const char *word, const char *right)
{
	struct refusal refusal;

	refuse(&refusal, -EINVAL, "\"%s\" is not understood", word);
	refusal_where(&refusal, "--%s", option);
	refusal_right(&refusal, "%s", right);
	return complain(STATUS_USAGE, &refusal, -EINVAL);
}

static size_t commas(const char *text)
{
	size_t count = 1;

	while ((text = strchr(text, ',')) != NULL)
		text++, count++;
	return count;
}

static enum exit_status positions_read(const char *text, struct study *study)
{
	study->positions = calloc(commas(text), sizeof *study->positions);
	study->words = strdup(text);
	if (!study->positions || !study->words)
		return complain_memory();
	for (char *at = NULL, *word = strtok_r(study->words, ",", &at); word;
	     word = strtok_r(NULL, ",", &at)) {
		char *equals = strchr(word, '='), *end = equals;
		struct token_position *position = &study->positions[study->options.position_count++];

		if (equals)
			position->position = strtoull(equals + 1, &end, 10);
		if (!equals || end == equals + 1 || *end)
			return refuse_pair("positions", word, "North=10,East=45,West=80");
		*equals = '\0';
		position->member = word;
	}
	study->options.positions = study->positions;
	return STATUS_DONE;
}

static enum exit_status ranges_read(const char *text, struct study *study)
{
	if (strcmp(text, SLOT_RANGES_EVEN) != 0 &&
	    slot_ranges_parse(text, &study->ranges, &study->options.range_count) < 0)
		return complain_memory();
	study->options.ranges = study->ranges;
	return STATUS_DONE;
}

/* Tokens placed for balance, in joining order: before's, then after's, who keep those that they had. */
static enum exit_status tokens_place(const struct call *call, struct study *study)
{
	uint32_t tokens = study_number(call, "tokens", 0);
	const struct crowd *crowds[] = {&study->before, &study->after};

	if (tokens > 4096)
		return refuse_pair("tokens", call_option(call, "tokens"),
				   "at most 4096: they are meant to be few");
	for (int side = 0; tokens && side < 2; side++)
		if (allocate_tokens(crowds[side]->members, crowds[side]->count, tokens,
				    &study->allocated[side]))
			return complain_memory();
	study->options.virtual_nodes = tokens;
	return STATUS_DONE;
}

static enum exit_status options_read(const struct call *call, struct study *study)
{
	struct placement_options *options = &study->options;
	const char *hash = call_option(call, "hash"), *ketama = call_option(call, "ketama");
	const char *positions = call_option(call, "positions"), *ranges = call_option(call, "ranges");
	const char *seed = call_option(call, "seed");
	const char *tolerance = call_option(call, "tolerance");
	enum exit_status status = STATUS_DONE;

	study->slots = study_number(call, "table-size", 0);
	if (seed)
		seed_parse(seed, &study->seed);
	if (hash)
		placement_hash_parse(hash, &options->hash);
	options->ketama = ketama && !strcmp(ketama, "nginx") ? KETAMA_NGINX : KETAMA_LIBMEMCACHED;
	options->virtual_nodes = study_number(call, "virtual-nodes", 0);
	options->ring_size = study_number(call, "ring-size", 0);
	options->after = call_flag(call, "after");
	options->keys_only = true;
	options->tolerance = tolerance ? (uint32_t)(strtod(tolerance, NULL) * 10 + 0.5) : 0;
	if (positions && ranges)
		status = refuse_pair("ranges", ranges,
				     "--positions are a ring's, --ranges those of slots: one of them");
	else if (positions)
		status = positions_read(positions, study);
	else if (ranges)
		status = ranges_read(ranges, study);
	if (!status && call_option(call, "tokens"))
		status = tokens_place(call, study);
	return status;
}

enum exit_status study_open(const struct call *call, struct study *ret)
{
	enum exit_status status;

	*ret = (struct study){.seed = 0};
	status = members_read(call, ret);
	if (!status)
		status = options_read(call, ret);
	if (status)
		study_close(ret);
	return status;
}

void study_close(struct study *study)
{
	crowd_free(&study->before);
	crowd_free(&study->after);
	free(study->positions);
	free(study->allocated[0]);
	free(study->allocated[1]);
	free(study->ranges);
	free(study->words);
	free(study->change);
}

enum exit_status study_build(const struct study *study, enum placement_scheme scheme, bool after,
			     struct placement **ret)
{
	const struct crowd *crowd = after ? &study->after : &study->before;
	uint32_t slots = scheme == PLACEMENT_SLOTS ? 16384 : PLACEMENT_DEFAULT_SLOTS;
	struct placement_options options = study->options;
	struct member_set set = {.scheme = scheme,
				 .slots = study->slots ? study->slots : slots,
				 .seed = study->seed,
				 .members = crowd->members,
				 .count = crowd->count,
				 .options = &options};
	struct refusal refusal = {.what = ""};
	int error;

	if (study->allocated[after] && scheme == PLACEMENT_RING) {
		options.positions = study->allocated[after];
		options.position_count = crowd->count * study->options.virtual_nodes;
	}
	error = placement_build(&set, ret, &refusal);
	if (error && !*refusal.where)
		refusal_where(&refusal, "scheme %s", placement_scheme_name(scheme));
	return error ? complain(STATUS_REFUSED, &refusal, error) : STATUS_DONE;
}

uint32_t *study_weights(const struct study *study, bool after, const struct placement *placement)
{
	const struct crowd *crowd = after ? &study->after : &study->before;
	uint32_t *weights = calloc(placement_members(placement) + 1, sizeof *weights);

	for (size_t i = 0; weights && i < crowd->count; i++)
		weights[placement_member_number(placement, crowd->members[i].name)] =
			crowd->members[i].weight;
	return weights;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "stored_state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "daemon/base/clock.h"
#include "daemon/base/event_log.h"
#include "daemon/change/change.h"
#include "daemon/change/recovery.h"
#include "core/config/model_json.h"

#define DAY (24 * 60 * 60 * INT64_C(1000)) /* ms */

enum { PRUNE = 60 * 1000 /* ms */ };

/* At a start ------------------------------------------------------------------- */

/* What a version without facts held in its generations becomes facts, once. */
static int open_facts(struct instance *instance, struct refusal *refusal)
{
	char *taken = store_setting(instance->store, "facts");
	int error = facts_open(instance->store, instance->clock.steady.boot, &instance->facts, refusal);

	if (!error && !taken)
		error = facts_take(instance->facts, instance->model, instance->generation.author,
				   &instance->clock.steady, refusal);
	if (!error && !taken)
		error = store_setting_set(instance->store, "facts", "taken", refusal);
	free(taken);
	if (!error)
		facts_leave_words(instance->facts, instance->model, NULL);
	return error;
}

static int make_seed(uint64_t *ret, struct refusal *refusal)
{
	uint64_t seed = 0;

	while (!seed)
		if (getrandom(&seed, sizeof seed, 0) != sizeof seed)
			return refuse(refusal, -errno, "the kernel gives no random seed: %s",
				      strerror(errno));
	*ret = seed;
	return 0;
}

static int begin_model(struct instance *instance, struct refusal *refusal)
{
	uint64_t seed = instance->options->seed;
	int error = 0;

	if (!seed)
		error = make_seed(&seed, refusal);
	if (error)
		return error;
	instance->model = model_new(seed);
	instance->ledger = ledger_new();
	if (!instance->model || !instance->ledger)
		return -ENOMEM;
	instance->generation = (struct generation){.number = 1, .time = clock_unix()};
	strcpy(instance->generation.author, "holdfastd");
	strcpy(instance->generation.cause, "first start");
	return 0;
}

static int store_first(struct instance *instance, struct refusal *refusal)
{
	json_t *ledger = ledger_to_json(instance->ledger);
	const struct stored_change first = {
		.generation = &instance->generation, .model = instance->text, .ledger = ledger};
	int error = ledger ? store_commit(instance->store, &first, refusal) : -ENOMEM;

	json_decref(ledger);
	return error;
}

static int check_seed(const struct instance *instance, struct refusal *refusal)
{
	uint64_t given = instance->options->seed;

	if (!given || given == instance->model->seed)
		return 0;
	refuse(refusal, -EINVAL, "instance %s has the seed %016llx already", instance->options->instance,
	       (unsigned long long)instance->model->seed);
	refusal_where(refusal, "--seed %016llx", (unsigned long long)given);
	refusal_right(refusal, "leave --seed away: another seed would move every flow");
	return -EINVAL;
}

/* Makes the first generation of an empty database, unless the pins serve what another database knew. */
static int begin_first(struct instance *instance, struct refusal *refusal)
{
	int error = 0;

	if (!instance->model) /* else --fresh has made it */
		error = recovery_check_lost(instance->options, instance->database, refusal);
	if (!error && !instance->model)
		error = begin_model(instance, refusal);
	return error;
}

static int read_latest(struct instance *instance, bool *ret_first, struct refusal *refusal)
{
	json_t *model = NULL, *ledger = NULL;
	int error = store_latest(instance->store, &instance->generation, &model, &ledger, refusal);

	*ret_first = error == -ENOENT;
	if (error == -ENOENT)
		return begin_first(instance, refusal);
	if (error)
		return error;
	error = model_from_json(model, &instance->model, refusal);
	if (!error)
		error = ledger_from_json(ledger, &instance->ledger);
	json_decref(model);
	json_decref(ledger);
	return error ? error : check_seed(instance, refusal);
}

static int open_database(struct instance *instance, struct refusal *refusal)
{
	const struct options *options = instance->options;
	const struct store_limits limits = {.count = options->keep_generations,
					    .age = options->keep_days * DAY,
					    .bytes = (uint64_t)options->keep_megabytes << 20};

	return store_open(instance->database, &limits, &instance->store, refusal);
}

/* A database that is not there is made only where the pins do not need another. */
int stored_state_open(struct instance *instance, struct refusal *refusal)
{
	const struct options *options = instance->options;
	struct stat status;
	int error = 0;

	if (snprintf(instance->database, sizeof instance->database, "%s/%s.db", options->state_directory,
		     options->instance) >= (int)sizeof instance->database)
		return refuse(refusal, -ENAMETOOLONG, "%s is too long a path", options->state_directory);
	if (options->fresh) {
		error = recovery_begin(instance, refusal);
		if (!error)
			error = check_seed(instance, refusal);
		if (!error)
			error = recovery_set_aside(instance->database, refusal);
	} else if (stat(instance->database, &status) || !status.st_size) {
		error = recovery_check_lost(options, instance->database, refusal);
	}
	if (!error)
		error = open_database(instance, refusal);
	if (!error)
		steady_clock_begin(&instance->clock, instance->store);
	return error;
}

int stored_state_load(struct instance *instance, struct refusal *refusal)
{
	bool first;
	int error = read_latest(instance, &first, refusal);

	if (error)
		return error;
	instance->first = first && !instance->options->fresh;
	instance->text = model_dump(instance->model);
	if (!instance->text)
		return -ENOMEM;
	if (first)
		error = store_first(instance, refusal);
	return error ? error : open_facts(instance, refusal);
}

/* Upkeep ----------------------------------------------------------------------- */

static void prune(struct instance *instance, int64_t now)
{
	int error;

	if (now < instance->prune_at || store_problem(instance->store)->what[0])
		return;
	instance->prune_at = now + PRUNE;
	if (now - instance->clock.noted_at >= PRUNE)
		steady_clock_note(&instance->clock, instance->store);
	error = store_prune(instance->store);
	if (error && error != -ENOLCK)
		log_line(LOG_LEVEL_WARNING, "old generations cannot be forgotten");
	facts_prune(instance->facts);
}

static void watch_store(struct instance *instance)
{
	const struct refusal *problem = store_watch(instance->store);
	bool has = problem->what[0];

	if (has && !instance->store_failed)
		event_note(LOG_LEVEL_ERROR, "database", problem->where, "%s: %s", problem->what,
			   problem->right);
	else if (!has && instance->store_failed)
		event_note(LOG_LEVEL_NOTICE, "database", "", "the database is written again");
	instance->store_failed = has;
}

void upkeep_save(struct instance *instance)
{
	struct refusal refusal = {0};
	int done = store_write_anew(instance->store, &refusal);

	if (done < 0)
		log_refusal(LOG_LEVEL_ERROR, "the database", &refusal);
	else if (done)
		event_note(LOG_LEVEL_NOTICE, "database", instance->database,
			   "was removed, and is written anew");
	watch_store(instance);
}

void upkeep_tick(struct instance *instance)
{
	watch_store(instance);
	prune(instance, clock_monotonic());
}

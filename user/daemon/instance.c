/* SPDX-License-Identifier: Apache-2.0 */
#include "instance.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "kern/base/boot.h"
#include "kern/instance/lifecycle.h"
#include "kern/instance/own_macs.h"
#include "kern/program/instance_pins.h"
#include "kern/program/load.h"
#include "kern/program/program_upgrade.h"
#include "kern/xdp/orphan.h"
#include "daemon/change/change.h"
#include "daemon/base/clock.h"
#include "daemon/change/install.h"
#include "daemon/base/event_log.h"
#include "daemon/watch/hold.h"
#include "daemon/base/log.h"
#include "daemon/change/recovery.h"
#include "daemon/change/refresh.h"

enum { SETTLE_AT_START = 100, PRUNE = 60 * 1000 /* ms */ };

#define DAY (24 * 60 * 60 * INT64_C(1000)) /* ms */

int64_t instance_clock(const struct instance *instance)
{
	return steady_at(&instance->steady, clock_monotonic());
}

int64_t instance_wall(const struct instance *instance, int64_t stamp)
{
	return stamp_move(stamp, clock_unix() - instance_clock(instance));
}

/* What the store holds ------------------------------------------------------ */

/* A note that fails is made again in a minute; until then a reboot costs deadlines that much more. */
static void note_clock(struct instance *instance)
{
	struct refusal refusal = {0};
	char text[STEADY_TEXT];

	instance->noted_at = clock_monotonic();
	steady_note(&instance->steady, instance->noted_at, text);
	if (store_setting_set(instance->store, "clock", text, &refusal))
		log_refusal(LOG_LEVEL_WARNING, "the instance's clock is not noted", &refusal);
}

static void begin_clock(struct instance *instance)
{
	char *noted = store_setting(instance->store, "clock"), boot[BOOT_ID];

	boot_read(boot);
	instance->noted_at = clock_monotonic();
	/* What goes on as it was noted needs no other note yet. */
	if (!steady_begin(&instance->steady, noted, boot, instance->noted_at, clock_unix()))
		note_clock(instance);
	free(noted);
}

/* What a version without facts held in its generations becomes facts, once. */
static int open_facts(struct instance *instance, struct refusal *refusal)
{
	char *taken = store_setting(instance->store, "facts");
	int error = facts_open(instance->store, instance->steady.boot, &instance->facts, refusal);

	if (!error && !taken)
		error = facts_take(instance->facts, instance->model, instance->generation.author,
				   &instance->steady, refusal);
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
static int open_store(struct instance *instance, struct refusal *refusal)
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
	return error ? error : open_database(instance, refusal);
}

static int load_state(struct instance *instance, struct refusal *refusal)
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

/* What the data plane holds -------------------------------------------------- */

/* Only what differs from what is there is written: a data plane that is right is not touched. */
static int reconcile(struct instance *instance, const struct image *before, struct refusal *refusal)
{
	struct install install = {.before = before, .settle = SETTLE_AT_START};
	struct ahead *ahead = instance->model->ahead;
	int error = ledger_assign(instance->ledger, instance->model,
				  dataplane_counter_limit(instance->dataplane), refusal);

	if (error)
		return error;
	/* The data plane holds no names, so placements are built here, however long that takes. */
	instance->model->ahead = NULL;
	error = install_plan(instance, &install, refusal);
	instance->model->ahead = ahead;
	if (!error && !plan_empty(install.plan))
		log_line(LOG_LEVEL_NOTICE, "the data plane is made what generation %u says",
			 instance->generation.number);
	if (!error)
		error = install_image(instance, &install, refusal);
	install_close(instance, &install);
	return error;
}

static bool has_backends(const struct model *model)
{
	for (size_t i = 0; i < model->pool_count; i++) {
		if (model->pools[i].backend_count)
			return true;
	}
	return false;
}

static void tell_program(const struct dataplane *dataplane)
{
	const char *tag = dataplane_program_tag(dataplane), *replaced = dataplane_replaced(dataplane);

	if (replaced)
		event_note(LOG_LEVEL_NOTICE, "program", "", "program %s replaced %s of another build", tag,
			   replaced);
	else
		event_note(LOG_LEVEL_NOTICE, "program", "", "program %s %s", tag,
			   dataplane_adopted(dataplane) ? "adopted" : "loaded");
}

/* A second set of pins beside a program that balances already would change nothing that packets see. */
static int check_orphans(const struct instance *instance, struct refusal *refusal)
{
	int error = 0;

	for (size_t i = 0; !error && i < instance->model->interface_count; i++)
		error = orphan_wait(NULL, instance->model->interfaces[i].name, refusal);
	return error;
}

/* starting: the database may be another than the one by which the pins were made. */
static int load_dataplane(struct instance *instance, bool starting, struct refusal *refusal)
{
	struct image *before = NULL;
	int error = check_orphans(instance, refusal);

	if (!error)
		error = dataplane_open(instance->options->instance, &instance->options->limits,
				       &instance->dataplane, refusal);

	/* A database that has backends, and a flow table that has just been made: a reboot. */
	if (!error && dataplane_is_new(instance->dataplane) && has_backends(instance->model))
		dataplane_forgot(instance->dataplane, (uint32_t)(clock_monotonic() / 1000) + 1);
	if (!error)
		error = dataplane_read(instance->dataplane, &before);
	if (!error && starting && !instance->options->fresh)
		error = recovery_check_numbers(instance, instance->database, before, refusal);
	if (!error)
		error = reconcile(instance, before, refusal);
	image_free(before);
	if (error)
		return error;
	tell_program(instance->dataplane);
	interfaces_settle(instance->interfaces, instance->model);
	return 0;
}

static int open_parts(struct instance *instance)
{
	int error = next_hops_open(&instance->dataplane, &instance->ledger, &instance->next_hops);

	if (!error)
		error = interfaces_open(&instance->dataplane, &instance->interfaces);
	if (!error)
		error = rates_open(&instance->dataplane, &instance->rates);
	if (!error)
		error = slot_counts_open(&instance->slot_counts);
	if (!error)
		error = census_open(&instance->dataplane, &instance->census);
	if (!error)
		error = evidence_open(&instance->dataplane, instance->census, &instance->evidence);
	if (!error)
		error = probe_open(&instance->probe);
	return error;
}

int instance_open(const struct options *options, struct instance **ret, struct refusal *refusal)
{
	struct instance *instance = calloc(1, sizeof *instance);
	int error;

	if (!instance)
		return -ENOMEM;
	instance->options = options;
	instance->started = clock_monotonic();
	error = open_store(instance, refusal);
	if (!error) {
		begin_clock(instance);
		instance->drains_seen = instance_clock(instance);
		error = load_state(instance, refusal);
	}
	if (!error)
		error = open_parts(instance);
	if (!error)
		error = load_dataplane(instance, true, refusal);
	if (error) {
		instance_close(instance);
		return error;
	}
	/* What is counted from now on is new. */
	overflow_tick(&instance->overflow, instance->dataplane, clock_monotonic());
	losses_tick(&instance->losses, instance->dataplane, instance->image, clock_monotonic());
	instance_sample(instance);
	*ret = instance;
	return 0;
}

void instance_close(struct instance *instance)
{
	if (!instance)
		return;
	if (instance->store) {
		store_wait(instance->store, true);
		events_flush(instance->store);
		note_clock(instance);
	}
	probe_close(instance->probe);
	evidence_close(instance->evidence);
	census_close(instance->census);
	slot_counts_close(instance->slot_counts);
	rates_close(instance->rates);
	interfaces_close(instance->interfaces);
	next_hops_close(instance->next_hops);
	image_free(instance->image);
	dataplane_close(instance->dataplane);
	ledger_free(instance->ledger);
	model_free(instance->model);
	free(instance->text);
	facts_close(instance->facts);
	store_close(instance->store);
	free(instance);
}

void instance_leave(struct instance *instance)
{
	struct refusal refusal = {0};
	int left;

	if (instance->unheld.what[0] || interfaces_wanted(instance->interfaces, instance->model))
		return;
	left = dataplane_leave(instance->options->instance, &refusal);
	if (left < 0)
		log_refusal(LOG_LEVEL_WARNING, "pins are left behind", &refusal);
	else if (left)
		log_line(LOG_LEVEL_NOTICE,
			 "nothing is attached: the daemon removes maps, programs and neighbour entries");
}

/* While it runs --------------------------------------------------------------- */

void instance_sample(struct instance *instance)
{
	rates_sample(instance->rates, clock_monotonic());
}

static void prune(struct instance *instance, int64_t now)
{
	int error;

	if (now < instance->prune_at || store_problem(instance->store)->what[0])
		return;
	instance->prune_at = now + PRUNE;
	if (now - instance->noted_at >= PRUNE)
		note_clock(instance);
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

void instance_save(struct instance *instance)
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

void instance_tick(struct instance *instance)
{
	watch_store(instance);
	prune(instance, clock_monotonic());
	interfaces_retry(instance->interfaces, instance->model);
	carriers_tick(&instance->carriers, instance->interfaces, instance->next_hops, instance->model);
	dataplane_know_macs(instance->dataplane);
	refresh_tick(instance);
	if (probe_tick(instance->probe, instance->model, instance->facts))
		refresh_image(instance);
	instance_sample(instance);
	overflow_tick(&instance->overflow, instance->dataplane, clock_monotonic());
	losses_tick(&instance->losses, instance->dataplane, instance->image, clock_monotonic());
	events_flush(instance->store);
}

/* The words of the image lie in the maps that go. */
static int reopen_dataplane(struct instance *instance, struct refusal *refusal)
{
	image_free(instance->image);
	instance->image = NULL;
	dataplane_close(instance->dataplane);
	instance->dataplane = NULL;
	next_hops_unloaded(instance->next_hops);
	census_forget(instance->census);
	instance->released = 0;
	return load_dataplane(instance, false, refusal);
}

/* The maps are those that this process has: whichever of the two programs a link runs, it forwards right. */
static int take_programs(struct instance *instance, struct refusal *refusal)
{
	int error = dataplane_refresh(instance->dataplane);

	if (error) {
		refuse(refusal, error, "pins were removed during the upgrade: %s", strerror(-error));
		refusal_right(refusal, "holdfast upgrade, again");
	}
	return error;
}

int instance_upgrade(struct instance *instance, bool *ret_changed, struct refusal *refusal)
{
	enum { MAPS_REPLACED = 1 };
	bool changed = dataplane_outdated(instance->dataplane);
	int done = hold_renew(instance);

	if (done)
		*refusal = instance->unheld;
	else
		done = dataplane_upgrade(instance->options->instance, refusal);
	if (done < 0)
		return done;
	if (done != MAPS_REPLACED)
		done = take_programs(instance, refusal);
	if (done < 0)
		return done;
	if (done == MAPS_REPLACED)
		done = reopen_dataplane(instance, refusal);
	/* What forwards is right, but this process has lost its hold on it: the next one takes it up. */
	if (done) {
		log_refusal(LOG_LEVEL_ERROR, "after the upgrade", refusal);
		abort();
	}
	event_note(LOG_LEVEL_NOTICE, "program", "",
		   changed ? "program %s is attached by upgrade"
			   : "upgrade: program %s is this build's already, nothing changed",
		   dataplane_program_tag(instance->dataplane));
	*ret_changed = changed;
	return 0;
}

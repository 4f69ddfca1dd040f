/* SPDX-License-Identifier: Apache-2.0 */
#include "upkeep.h"

#include <errno.h>

#include "daemon/base/clock.h"
#include "daemon/base/event_log.h"

enum { PRUNE = 60 * 1000 /* ms */ };

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

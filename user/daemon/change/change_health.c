/* SPDX-License-Identifier: Apache-2.0 */
#include "change_health.h"

#include <errno.h>
#include <string.h>

#include "core/operation/operation_argument.h"
#include "preparation.h"

static const struct backend *named(const struct model *model, const json_t *arguments)
{
	const struct pool *pool = model_pool(model, argument_text(arguments, "pool"));

	return pool ? pool_backend(pool, argument_text(arguments, "name")) : NULL;
}

static int read_words(struct instance *instance, struct model *next, const struct change *change,
		      struct words *words, struct refusal *refusal)
{
	int error = 0;

	words->warnings = json_array();
	words->took = change->takes_health && !change->dry_run;
	if (words->took)
		error = facts_take(instance->facts, next, change->author, NULL, refusal);
	facts_leave_words(instance->facts, next, words->warnings);
	return error;
}

int words_read(struct instance *instance, const char *word, const json_t *arguments, struct model *next,
	       struct change *change, struct words *ret, struct refusal *refusal)
{
	const struct backend *backend = named(next, arguments);
	const char *pool = argument_text(arguments, "pool");
	const struct fact *fact;

	if (change->whole) {
		int error = read_words(instance, next, change, ret, refusal);

		change->warnings = ret->warnings;
		return error;
	}
	/* What is added is new, also where what has its name and address was still leaving. */
	fact = backend && !strcmp(word, "backend.add") ? facts_find(instance->facts, pool, backend) : NULL;
	if (!fact)
		return 0;
	fact_make(instance->facts, pool, backend, HEALTH_UNKNOWN, change->author, &ret->fact);
	change->fact = &ret->fact;
	return 0;
}

void words_end(struct instance *instance, struct words *words, int error)
{
	if (error && words->took)
		facts_forget(instance->facts);
	json_decref(words->warnings);
}

int change_health(struct instance *instance, const json_t *arguments, const struct change *change,
		  json_t **ret, struct refusal *refusal)
{
	static const enum health_state states[] = {[HEALTH_AUTO] = HEALTH_UNKNOWN,
						   [HEALTH_FORCED_UP] = HEALTH_UP,
						   [HEALTH_FORCED_DOWN] = HEALTH_DOWN};
	struct change told = *change;
	const struct backend *backend;
	struct fact fact;
	struct model *next;
	int error = operation_apply(instance->model, "backend.health", arguments,
				    steady_clock_now(&instance->clock), &next, refusal);

	if (error == -EAGAIN)
		preparation_begin(instance->preparation, instance->model, "backend.health", arguments);
	if (error)
		return error;
	backend = named(next, arguments);
	told.cause = "backend health";
	told.missing_ok = true;
	if (backend) { /* else it has left: there is nothing to state it of */
		fact_make(instance->facts, argument_text(arguments, "pool"), backend, states[backend->health],
			  change->author, &fact);
		told.fact = &fact;
	}
	if (!told.limit)
		told.limit = GUARD_NO_LIMIT;
	return change_model(instance, next, &told, ret, refusal);
}

/* SPDX-License-Identifier: Apache-2.0 */

#include "core/config/model_json.h"
#include "core/model/assignment.h"
#include "core/model/history.h"
#include "core/model/leaving.h"
#include "core/model/removal.h"
#include "core/value/steady.h"
#include "operation_argument.h"

/* What verbs have set stays, unless the configuration states another. */
static void keep_state(struct backend *backend, const struct backend *before, const json_t *stated,
		       int64_t now)
{
	if (!json_object_get(stated, "admin")) {
		backend->admin = before->admin;
		backend->deadline = before->deadline;
	}
	if (!json_object_get(stated, "health"))
		backend->health = before->health;
	if (json_object_get(stated, "since"))
		return;
	if (backend->admin == before->admin)
		backend->since = before->since;
	else
		backend->since = now;
}

/* A deadline keeps the time that was left when it was written. A stamp that is in force here already is of
 * this clock.
 */
static void align_backend(struct backend *backend, const struct backend *before, int64_t ahead)
{
	if (before && backend->since == before->since && backend->deadline == before->deadline)
		return;
	backend->since = stamp_move(backend->since, ahead);
	backend->deadline = stamp_move(backend->deadline, ahead);
}

/* The stamps of a model that was written by another clock, or by this one earlier. */
static void align_stamps(struct model *model, const struct model *before, int64_t now)
{
	int64_t ahead = now - model->clock;

	for (size_t i = 0; i < model->pool_count; i++) {
		struct pool *pool = &model->pools[i];
		const struct pool *pool_before = model_pool(before, pool->name);

		for (size_t j = 0; j < pool->backend_count; j++) {
			struct backend *backend = &pool->backends[j];

			align_backend(backend,
				      pool_before
					      ? pool_backend_at(pool_before, backend->name, &backend->address)
					      : NULL,
				      ahead);
		}
	}
	history_align(model, before, ahead);
	model->clock = 0;
}

/* Nothing is kept of a backend that was leaving: it may have left on another balancer. */
static void keep_pool_states(struct pool *pool, const struct pool *before, const json_t *backends,
			     int64_t now)
{
	const json_t *stated;
	size_t i;

	json_array_foreach (backends, i, stated) {
		struct backend *backend = pool_backend(pool, argument_text(stated, "name"));
		const struct backend *old =
			backend ? pool_backend_at(before, backend->name, &backend->address) : NULL;

		if (old && !old->removing && !json_is_true(json_object_get(stated, "replaced")))
			keep_state(backend, old, stated, now);
	}
}

static void keep_states(struct model *model, const struct model *before, const json_t *configuration,
			int64_t now)
{
	const json_t *pool_json;
	size_t i;

	json_array_foreach (json_object_get(configuration, "pools"), i, pool_json) {
		const char *name = argument_text(pool_json, "name");
		const struct pool *pool_before = model_pool(before, name);

		if (pool_before)
			keep_pool_states(model_pool(model, name), pool_before,
					 json_object_get(pool_json, "backends"), now);
	}
}

/* A configuration that does not state who owns a pool's slots leaves them where they are. */
static int keep_ranges(struct model *model, const struct model *before, const json_t *configuration,
		       struct refusal *refusal)
{
	const json_t *pool_json;
	int error = 0;
	size_t i;

	json_array_foreach (json_object_get(configuration, "pools"), i, pool_json) {
		struct pool *pool = model_pool(model, argument_text(pool_json, "name"));
		const struct pool *pool_before = model_pool(before, pool->name);

		if (error < 0 || !pool_before || pool->scheme != PLACEMENT_SLOTS ||
		    pool_before->scheme != PLACEMENT_SLOTS || pool->slots != pool_before->slots ||
		    json_object_get(pool_json, "ranges"))
			continue;
		error = assignment_pass_on(before, pool_before, pool, false, refusal);
	}
	return error;
}

/* A history that is stated is a neighbour's, and rules; a configuration has none. */
static int keep_history(struct model *model, struct model *before, const json_t *configuration, int64_t now)
{
	if (json_object_get(configuration, "history"))
		return history_merge(model, before, now);
	model->history = before->history;
	model->history_count = before->history_count;
	before->history = NULL;
	before->history_count = 0;
	return history_note(model, before, now);
}

int model_apply(struct model *model, const json_t *arguments, int64_t now, struct refusal *refusal)
{
	const json_t *configuration = json_object_get(arguments, "configuration");
	struct model *fresh, before;
	int error;

	error = model_from_json(configuration, &fresh, refusal);
	if (error < 0)
		return error;
	if (fresh->clock)
		align_stamps(fresh, model, now);
	if (!json_object_get(configuration, "removals") && !json_object_get(configuration, "history"))
		error = removals_keep(fresh, model);
	keep_states(fresh, model, configuration, now);
	if (error == 0)
		error = model_keep_leaving(fresh, model, now, refusal);
	if (error == 0)
		error = keep_ranges(fresh, model, configuration, refusal);
	if (error == 0)
		error = assignment_fix(fresh);
	if (error == 0)
		error = keep_history(fresh, model, configuration, now);
	if (error < 0) {
		model_free(fresh);
		return error;
	}
	before = *model;
	*model = *fresh;
	*fresh = before;
	model_free(fresh);
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <holdfast/abi.h>
#include <string.h>

#include "assignment.h"
#include "history.h"
#include "operation_edit.h"

/* What verbs have set stays, unless the configuration states another. */
static void keep_state(struct backend *backend, const struct backend *before, const json_t *stated,
		       int64_t now)
{
	if (!json_object_get(stated, "admin")) {
		backend->admin = before->admin;
		backend->deadline = before->deadline;
		backend->removing = before->removing;
	}
	if (!json_object_get(stated, "health"))
		backend->health = before->health;
	if (json_object_get(stated, "since"))
		return;
	if (backend->admin == before->admin && backend->health == before->health)
		backend->since = before->since;
	else
		backend->since = now;
}

static void keep_states(struct model *model, const struct model *before, const json_t *configuration,
			int64_t now)
{
	const json_t *pool_json, *backend_json;
	size_t i, j;

	json_array_foreach (json_object_get(configuration, "pools"), i, pool_json) {
		const char *name = argument_text(pool_json, "name");
		const struct pool *pool = model_pool(model, name), *pool_before = model_pool(before, name);

		if (!pool_before)
			continue;
		json_array_foreach (json_object_get(pool_json, "backends"), j, backend_json) {
			const char *backend = argument_text(backend_json, "name");
			const struct backend *backend_before = pool_backend(pool_before, backend);

			if (backend_before)
				keep_state(pool_backend(pool, backend), backend_before, backend_json, now);
		}
	}
}

/* Of a pool whose hops are of one family another family's backend cannot stay even for a while. */
static bool may_stay(const struct pool *pool, const struct backend *backend)
{
	if (backend->admin == ADMIN_DISABLED)
		return false;
	if (pool->encap == HF_ENCAP_GUE)
		for (size_t i = 0; i < pool->backend_count; i++)
			if (pool->backends[i].address.family != backend->address.family)
				return false;
	return true;
}

/* A backend that a configuration no longer names (a state would say so) leaves as `backend remove` lets it:
 * drained first. */
static int keep_leaving(struct pool *pool, const struct pool *before, int64_t now)
{
	for (size_t i = 0; i < before->backend_count; i++) {
		struct backend backend = before->backends[i];
		int error;

		if (pool_backend(pool, backend.name) || !may_stay(pool, &backend))
			continue;
		if (backend.admin != ADMIN_DRAINING) {
			backend.admin = ADMIN_DRAINING;
			backend.since = now;
			backend.deadline = 0;
		}
		backend.removing = true;
		error = pool_insert_backend(pool, &backend);
		if (error < 0)
			return error;
	}
	return 0;
}

static int keep_all_leaving(struct model *model, const struct model *before, int64_t now)
{
	int error = 0;

	for (size_t i = 0; error == 0 && i < model->pool_count; i++) {
		const struct pool *pool_before = model_pool(before, model->pools[i].name);

		if (pool_before && pool_is_served(before, pool_before->name))
			error = keep_leaving(&model->pools[i], pool_before, now);
	}
	return error;
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
	keep_states(fresh, model, configuration, now);
	error = json_object_get(configuration, "history") ? 0 : keep_all_leaving(fresh, model, now);
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

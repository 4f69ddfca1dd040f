/* SPDX-License-Identifier: Apache-2.0 */
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

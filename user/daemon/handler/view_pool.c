/* SPDX-License-Identifier: Apache-2.0 */
/* Pools, and their slots as the data plane has them now. */
#include <errno.h>

#include "core/model/model.h"
#include "daemon/base/clock.h"
#include "reach.h"
#include "views.h"

static json_t *pool_object(struct instance *instance, const struct pool *pool)
{
	struct pool_state state = {
		.model = instance->model,
		.pool = pool,
		.image = image_pool(instance->image, pool->name),
		.opened = rates_pool(instance->rates, instance->model, instance->ledger, pool->name),
		.now = clock_monotonic() / 1000,
	};
	size_t takers;

	pool_count(instance, pool, &takers, &state.up);
	state.remembered = census_remembered(&instance->census, state.image);
	return pool_view(&state);
}

json_t *view_pools(struct instance *instance)
{
	json_t *list = json_array();

	for (size_t i = 0; i < instance->model->pool_count; i++)
		json_array_append_new(list, pool_object(instance, &instance->model->pools[i]));
	return json_pack("{s:o}", "pools", list);
}

int view_pool(struct instance *instance, const struct request *request, json_t **ret, struct refusal *refusal)
{
	const struct pool *pool = named_pool(instance->model, request->parameters[0], refusal);

	if (!pool)
		return -ENOENT;
	*ret = pool_object(instance, pool);
	return *ret ? 0 : -ENOMEM;
}

int view_slots(struct instance *instance, const struct request *request, json_t **ret,
	       struct refusal *refusal)
{
	const struct pool *pool = named_pool(instance->model, request->parameters[0], refusal);
	const struct pool_image *image = pool ? image_pool(instance->image, pool->name) : NULL;
	bool preferences;
	struct placement *placement = NULL;
	const uint64_t *words;
	struct hf_table table;
	int error;

	if (!image)
		return -ENOENT;
	error = request_flag(request, "preferences", &preferences, refusal);
	if (!error)
		error = dataplane_pool(instance->dataplane, image->number, &table, &words);
	if (error)
		return error;
	/* A placement of another size is that of a table which is not loaded yet. */
	if (preferences && image->placement && placement_slots(image->placement) == table.size)
		placement = image->placement;
	*ret = slots_view(&(struct names){instance->ledger, instance->model}, image->name, words, table.size,
			  placement);
	return *ret ? 0 : -ENOMEM;
}

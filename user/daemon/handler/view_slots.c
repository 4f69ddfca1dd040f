/* SPDX-License-Identifier: Apache-2.0 */
/* A pool's slots as the data plane has them now. */
#include <errno.h>

#include "core/model/model.h"
#include "core/view/view.h"
#include "views.h"

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

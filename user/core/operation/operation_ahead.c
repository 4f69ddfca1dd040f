/* SPDX-License-Identifier: Apache-2.0 */
#include "core/model/pool_placement.h"
#include "core/placement/ahead.h"
#include "operation.h"

static void compute_all(const struct model *model)
{
	struct placement *placement;

	for (size_t i = 0; i < model->pool_count; i++)
		if (!pool_placement(model, &model->pools[i], NULL, &placement, NULL))
			placement_free(placement);
}

void ahead_compute(struct model *model, const char *word, const json_t *arguments, int64_t now)
{
	struct model *next = NULL;

	ahead_compute_missing(model->ahead, true);
	if (!word)
		compute_all(model);
	else if (!operation_apply(model, word, arguments, now, &next, NULL))
		compute_all(next);
	model_free(next);
	ahead_compute_missing(model->ahead, false);
}

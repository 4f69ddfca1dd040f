/* SPDX-License-Identifier: Apache-2.0 */
#include "model.h"

#include <stdlib.h>

#include "history.h"
#include "model_edit.h"
#include "schema_table.h"

struct model *model_new(uint64_t seed)
{
	struct model *model = calloc(1, sizeof *model);

	if (!model)
		return NULL;
	model->seed = seed;
	model->move_limit = MOVE_LIMIT_DEFAULT;
	return model;
}

void model_free(struct model *model)
{
	if (!model)
		return;
	schema_release_object(&schema_root, model);
	free(model);
}

struct model *model_copy(const struct model *model)
{
	struct model *copy = malloc(sizeof *copy);

	if (copy && schema_copy_object(&schema_root, copy, model) < 0) {
		model_free(copy);
		return NULL;
	}
	return copy;
}

static void sort(void *items, size_t count, size_t size, int (*order)(const void *, const void *))
{
	if (count > 1)
		qsort(items, count, size, order);
}

void model_sort(struct model *model)
{
	sort(model->interfaces, model->interface_count, sizeof *model->interfaces, interface_order);
	sort(model->pools, model->pool_count, sizeof *model->pools, pool_order);
	sort(model->services, model->service_count, sizeof *model->services, service_order);
	sort(model->removals, model->removal_count, sizeof *model->removals, removal_order);
	for (size_t i = 0; i < model->pool_count; i++)
		sort(model->pools[i].backends, model->pools[i].backend_count, sizeof(struct backend),
		     backend_order);
	history_tidy(model);
}

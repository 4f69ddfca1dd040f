/* SPDX-License-Identifier: Apache-2.0 */
#include "model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "history.h"
#include "member_record.h"
#include "model_edit.h"
#include "pool_options.h"

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
	for (size_t i = 0; i < model->pool_count; i++) {
		free(model->pools[i].backends);
		pool_options_release(&model->pools[i].options);
	}
	free(model->interfaces);
	free(model->pools);
	free(model->services);
	free(model->removals);
	for (size_t i = 0; i < model->history_count; i++)
		member_record_release(&model->history[i]);
	free(model->history);
	free(model);
}

/* An empty list is NULL, which is not a failure. */
static int copy_list(void *ret_items, const void *items, size_t count, size_t size)
{
	void *copy = NULL;

	if (count) {
		copy = malloc(count * size);
		if (!copy)
			return -ENOMEM;
		memcpy(copy, items, count * size);
	}
	*(void **)ret_items = copy;
	return 0;
}

static int copy_pool(struct pool *copy, const struct pool *pool)
{
	int error = pool_options_copy(&copy->options, &pool->options);

	if (error < 0)
		return error;
	error = copy_list(&copy->backends, pool->backends, pool->backend_count, sizeof *pool->backends);
	if (error < 0)
		pool_options_release(&copy->options);
	return error;
}

static int copy_lists(struct model *copy, const struct model *model)
{
	int error;

	error = copy_list(&copy->interfaces, model->interfaces, model->interface_count,
			  sizeof *model->interfaces);
	if (error < 0)
		return error;
	copy->interface_count = model->interface_count;
	error = copy_list(&copy->services, model->services, model->service_count, sizeof *model->services);
	if (error < 0)
		return error;
	copy->service_count = model->service_count;
	error = copy_list(&copy->removals, model->removals, model->removal_count, sizeof *model->removals);
	if (error < 0)
		return error;
	copy->removal_count = model->removal_count;
	error = copy_list(&copy->pools, model->pools, model->pool_count, sizeof *model->pools);
	if (error < 0)
		return error;
	for (size_t i = 0; i < model->pool_count; i++) {
		error = copy_pool(&copy->pools[i], &model->pools[i]);
		if (error < 0)
			return error;
		copy->pool_count++;
	}
	return history_copy(copy, model);
}

struct model *model_copy(const struct model *model)
{
	struct model *copy = malloc(sizeof *copy);

	if (!copy)
		return NULL;
	*copy = *model;
	copy->interfaces = NULL;
	copy->pools = NULL;
	copy->services = NULL;
	copy->removals = NULL;
	copy->history = NULL;
	copy->removal_count = copy->interface_count = copy->pool_count = copy->service_count =
		copy->history_count = 0;
	if (copy_lists(copy, model) < 0) {
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

/* Finding -------------------------------------------------------------------- */

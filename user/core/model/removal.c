/* SPDX-License-Identifier: Apache-2.0 */
#include "removal.h"

#include <stdlib.h>
#include <string.h>

#include "model_edit.h"

struct removal *model_removal(const struct model *model, const char *pool, const char *name)
{
	struct removal key = {0};

	if (!model->removal_count || strlen(pool) >= NAME_SIZE || strlen(name) >= NAME_SIZE)
		return NULL;
	strcpy(key.pool, pool);
	strcpy(key.name, name);
	return bsearch(&key, model->removals, model->removal_count, sizeof key, removal_order);
}

void removal_forget(struct model *model, const char *pool, const char *name)
{
	struct removal *removal = model_removal(model, pool, name);

	if (removal)
		model_remove(model, &schema_removal, removal);
}

void removals_forget(struct model *model, const char *pool)
{
	for (size_t i = model->removal_count; i-- > 0;)
		if (strcmp(model->removals[i].pool, pool) == 0)
			model_remove(model, &schema_removal, &model->removals[i]);
}

/* The oldest of a pool's makes room for the latest. */
static void forget_oldest(struct model *model, const char *pool)
{
	size_t count = 0, oldest = 0;

	for (size_t i = 0; i < model->removal_count; i++) {
		if (strcmp(model->removals[i].pool, pool) != 0)
			continue;
		if (!count++ || model->removals[i].since < model->removals[oldest].since)
			oldest = i;
	}
	if (count >= REMOVALS_MOST)
		model_remove(model, &schema_removal, &model->removals[oldest]);
}

int removal_note(struct model *model, const struct pool *pool, const struct backend *backend, int64_t now)
{
	struct removal removal = {.address = backend->address, .since = now};

	strcpy(removal.pool, pool->name);
	strcpy(removal.name, backend->name);
	removal_forget(model, pool->name, backend->name);
	forget_oldest(model, pool->name);
	return model_insert(model, &schema_removal, &removal);
}

int removals_keep(struct model *after, const struct model *before)
{
	int error = 0;

	for (size_t i = 0; error == 0 && i < before->removal_count; i++) {
		const struct removal *removal = &before->removals[i];
		struct pool *pool = model_pool(after, removal->pool);
		struct backend *named = pool ? pool_backend(pool, removal->name) : NULL;

		if (!named || !address_equal(&named->address, &removal->address))
			continue;
		pool_remove_backend(pool, named);
		error = model_insert(after, &schema_removal, removal);
	}
	return error;
}

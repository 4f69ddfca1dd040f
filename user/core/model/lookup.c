/* SPDX-License-Identifier: Apache-2.0 */
#include "lookup.h"

#include <errno.h>

#include "core/value/nearest.h"

struct pool *named_pool(const struct model *model, const char *name, struct refusal *refusal)
{
	struct nearest nearest = nearest_to(name);
	struct pool *pool = model_pool(model, name);

	if (pool)
		return pool;
	for (size_t i = 0; i < model->pool_count; i++)
		nearest_offer(&nearest, model->pools[i].name);
	refuse(refusal, -ENOENT, "there is no pool %.63s", name);
	nearest_right(&nearest, refusal, "the name of a pool; `holdfast pool list` shows them");
	return NULL;
}

struct backend *pool_named_backend(const struct pool *pool, const char *name, struct refusal *refusal)
{
	struct nearest nearest = nearest_to(name);
	struct backend *backend = pool_backend(pool, name);

	if (backend)
		return backend;
	for (size_t i = 0; i < pool->backend_count; i++)
		nearest_offer(&nearest, pool->backends[i].name);
	refuse(refusal, -ENOENT, "there is no backend %.111s", name);
	refusal_where(refusal, "pool %s", pool->name);
	nearest_right(&nearest, refusal, "the name of a backend; `holdfast backend list` shows them");
	return NULL;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "operation_edit.h"

int pool_add(struct model *model, const json_t *arguments, int64_t now, struct refusal *refusal)
{
	struct pool pool;
	int error;

	(void)now;
	schema_defaults(&schema_pool, &pool);
	error = arguments_read(&schema_pool, &pool, arguments, refusal);
	if (error < 0) {
		refusal_where(refusal, "pool %.63s", argument_text(arguments, "name"));
		return error;
	}
	error = model_insert_pool(model, &pool);
	if (error == -EEXIST) {
		refuse(refusal, -EEXIST, "pool %s is there already", pool.name);
		refusal_right(refusal, "another name, or `holdfast pool set %s` to change it", pool.name);
	}
	return error;
}

int pool_set(struct model *model, const json_t *arguments, int64_t now, struct refusal *refusal)
{
	struct pool *pool = named_pool(model, argument_text(arguments, "name"), refusal);
	int error;

	(void)now;
	if (!pool)
		return -ENOENT;
	error = arguments_read(&schema_pool, pool, arguments, refusal);
	if (error < 0)
		refusal_where(refusal, "pool %s", pool->name);
	return error;
}

int pool_remove(struct model *model, const json_t *arguments, int64_t now, struct refusal *refusal)
{
	struct pool *pool = named_pool(model, argument_text(arguments, "name"), refusal);
	char text[ENDPOINT_TEXT];

	(void)now;
	if (!pool)
		return -ENOENT;
	for (size_t i = 0; i < model->service_count; i++) {
		const struct service *service = &model->services[i];

		if (pool != model_pool(model, service->pool))
			continue;
		refuse(refusal, -EBUSY, "pool %s is used by service %s %s", pool->name,
		       proto_name(service->proto),
		       endpoint_text(&service->vip, service->port_low, service->port_high, text));
		refusal_where(refusal, "pool %s", pool->name);
		refusal_right(refusal, "its services removed, or set to another pool, first");
		return -EBUSY;
	}
	model_remove_pool(model, pool);
	return 0;
}

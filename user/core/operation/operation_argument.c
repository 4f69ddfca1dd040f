/* SPDX-License-Identifier: Apache-2.0 */
#include "operation_argument.h"

#include <errno.h>

const char *argument_text(const json_t *arguments, const char *name)
{
	const char *text = json_string_value(json_object_get(arguments, name));

	return text ? text : "";
}

int arguments_read(const struct schema *schema, void *object, const json_t *arguments,
		   struct refusal *refusal)
{
	for (const struct schema_key *key = schema->keys; key->name; key++) {
		const json_t *value = json_object_get(arguments, key->name);

		if (!value || key->type == SCHEMA_LIST || key->type == SCHEMA_LISTEN)
			continue;
		if (schema_read(key, object, value, refusal) < 0)
			return -EINVAL;
	}
	return 0;
}

struct backend *named_backend(const struct model *model, const json_t *arguments, struct pool **ret_pool,
			      struct refusal *refusal)
{
	struct pool *pool = named_pool(model, argument_text(arguments, "pool"), refusal);
	struct backend *backend;

	if (!pool)
		return NULL;
	backend = pool_named_backend(pool, argument_text(arguments, "name"), refusal);
	if (backend)
		*ret_pool = pool;
	return backend;
}

struct backend *unless_leaving(const struct pool *pool, struct backend *backend, struct refusal *refusal)
{
	char label[BACKEND_TEXT], address[ADDRESS_TEXT];

	if (!backend || !backend->removing)
		return backend;
	refuse(refusal, -ENOENT, "backend %s is leaving", backend_label(backend, label));
	refusal_where(refusal, "pool %s", pool->name);
	refusal_right(refusal,
		      "`holdfast backend add %s/%s %s` brings it back, `holdfast backend remove %s/%s "
		      "--now` ends its drain",
		      pool->name, backend->name, address_text(&backend->address, address), pool->name, label);
	return NULL;
}

struct backend *staying_backend(const struct model *model, const json_t *arguments, struct pool **ret_pool,
				struct refusal *refusal)
{
	struct backend *backend = named_backend(model, arguments, ret_pool, refusal);

	return backend ? unless_leaving(*ret_pool, backend, refusal) : NULL;
}

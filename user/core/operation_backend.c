/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "assignment.h"
#include "operation_edit.h"

static int read_arguments(const struct pool *pool, struct backend *backend, const json_t *arguments,
			  struct refusal *refusal)
{
	int error = arguments_read(&schema_backend, backend, arguments, refusal);

	if (error < 0)
		refusal_where(refusal, "pool %s, backend %.63s", pool->name,
			      argument_text(arguments, "name"));
	return error;
}

int backend_add(struct model *model, const json_t *arguments, int64_t now, struct refusal *refusal)
{
	struct pool *pool = named_pool(model, argument_text(arguments, "pool"), refusal);
	struct backend backend;
	int error;

	(void)now;
	if (!pool)
		return -ENOENT;
	schema_defaults(&schema_backend, &backend);
	error = read_arguments(pool, &backend, arguments, refusal);
	if (error < 0)
		return error;
	error = pool_insert_backend(pool, &backend);
	if (error == -EEXIST) {
		refuse(refusal, -EEXIST, "backend %s is there already", backend.name);
		refusal_where(refusal, "pool %s", pool->name);
		refusal_right(refusal, "another name, or `holdfast backend set %s/%s` to change it",
			      pool->name, backend.name);
	}
	return error;
}

int backend_set(struct model *model, const json_t *arguments, int64_t now, struct refusal *refusal)
{
	struct pool *pool;
	struct backend *backend = named_backend(model, arguments, &pool, refusal);

	(void)now;
	return backend ? read_arguments(pool, backend, arguments, refusal) : -ENOENT;
}

/* A state that is there already keeps its time. */
static void set_admin(struct backend *backend, enum admin_state admin, int64_t now)
{
	if (backend->admin != admin)
		backend->since = now;
	backend->admin = admin;
	backend->deadline = 0;
	backend->removing = false;
}

/* What it owns of a slot assignment goes to whom each slot prefers next. */
static int remove_now(const struct model *model, struct pool *pool, struct backend *backend,
		      struct refusal *refusal)
{
	size_t size = pool->backend_count * sizeof *pool->backends;
	struct pool before = *pool;
	int error;

	if (!pool->options.ranges) {
		pool_remove_backend(pool, backend);
		return 0;
	}
	before.backends = malloc(size);
	before.options.ranges = strdup(pool->options.ranges);
	error = before.backends && before.options.ranges ? 0 : -ENOMEM;
	if (error == 0) {
		memcpy(before.backends, pool->backends, size);
		pool_remove_backend(pool, backend);
		error = assignment_pass_on(model, &before, pool, true, refusal);
	}
	free(before.backends);
	free(before.options.ranges);
	return error;
}

/* Drains first: whoever has the flows removes it `now` when it is drained. A disabled backend has none. */
int backend_remove(struct model *model, const json_t *arguments, int64_t now, struct refusal *refusal)
{
	const json_t *at_once = json_object_get(arguments, "now");
	struct pool *pool;
	struct backend *backend = named_backend(model, arguments, &pool, refusal);

	if (!backend)
		return -ENOENT;
	if (at_once && !json_is_boolean(at_once)) {
		refuse(refusal, -EINVAL, "now is no boolean");
		refusal_where(refusal, "pool %s, backend %s", pool->name, backend->name);
		refusal_right(refusal, "true or false");
		return -EINVAL;
	}
	if (json_is_true(at_once) || backend->admin == ADMIN_DISABLED) {
		return remove_now(model, pool, backend, refusal);
	}
	if (backend->admin == ADMIN_ACTIVE && assignment_refuse_owner(pool, backend, refusal) < 0)
		return -EBUSY;
	if (backend->admin != ADMIN_DRAINING)
		set_admin(backend, ADMIN_DRAINING, now);
	backend->removing = true;
	return 0;
}

int backend_activate(struct model *model, const json_t *arguments, int64_t now, struct refusal *refusal)
{
	struct pool *pool;
	struct backend *backend = named_backend(model, arguments, &pool, refusal);

	if (!backend)
		return -ENOENT;
	set_admin(backend, ADMIN_ACTIVE, now);
	return 0;
}

int backend_disable(struct model *model, const json_t *arguments, int64_t now, struct refusal *refusal)
{
	struct pool *pool;
	struct backend *backend = named_backend(model, arguments, &pool, refusal);

	if (!backend)
		return -ENOENT;
	set_admin(backend, ADMIN_DISABLED, now);
	return 0;
}

int backend_drain(struct model *model, const json_t *arguments, int64_t now, struct refusal *refusal)
{
	static const struct schema_key deadline_key = {"deadline", SCHEMA_DURATION, .size = sizeof(uint32_t),
						       .low = 1, .high = 30 * 86400};
	const json_t *value = json_object_get(arguments, "deadline");
	struct pool *pool;
	struct backend *backend = named_backend(model, arguments, &pool, refusal);
	uint32_t deadline = 0;

	if (!backend)
		return -ENOENT;
	if (value && schema_read(&deadline_key, &deadline, value, refusal) < 0) {
		refusal_where(refusal, "pool %s, backend %s", pool->name, backend->name);
		return -EINVAL;
	}
	set_admin(backend, ADMIN_DRAINING, now);
	if (deadline)
		backend->deadline = now + (int64_t)deadline * 1000;
	return 0;
}

int backend_health(struct model *model, const json_t *arguments, int64_t now, struct refusal *refusal)
{
	struct pool *pool;
	struct backend *backend = named_backend(model, arguments, &pool, refusal);
	struct schema_key state_key = *schema_find(&schema_backend, "health");
	enum health_rule before;

	if (!backend)
		return -ENOENT;
	state_key.name = "state";
	before = backend->health;
	if (schema_read(&state_key, backend, json_object_get(arguments, "state"), refusal) < 0) {
		refusal_where(refusal, "pool %s, backend %s", pool->name, backend->name);
		return -EINVAL;
	}
	if (backend->health != before)
		backend->since = now;
	return 0;
}

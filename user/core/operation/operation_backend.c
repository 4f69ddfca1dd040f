/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "core/model/assignment.h"
#include "core/model/leaving.h"
#include "core/model/model_edit.h"
#include "core/model/removal.h"
#include "operation_argument.h"

static int read_arguments(const struct pool *pool, struct backend *backend, const json_t *arguments,
			  struct refusal *refusal)
{
	int error = arguments_read(&schema_backend, backend, arguments, refusal);

	if (error < 0)
		refusal_where(refusal, "pool %s, backend %.63s", pool->name,
			      argument_text(arguments, "name"));
	return error;
}

/* The state of a backend that nothing was said of yet. */
static void backend_begin(struct backend *backend)
{
	backend->admin = ADMIN_ACTIVE;
	backend->health = HEALTH_AUTO;
	backend->since = backend->deadline = 0;
}

int backend_add(struct model *model, const json_t *arguments, int64_t now, struct refusal *refusal)
{
	struct pool *pool = named_pool(model, argument_text(arguments, "pool"), refusal);
	const struct backend *present;
	struct backend backend;
	int error;

	if (!pool)
		return -ENOENT;
	schema_defaults(&schema_backend, &backend);
	error = read_arguments(pool, &backend, arguments, refusal);
	if (error < 0)
		return error;
	present = pool_backend(pool, backend.name);
	if (!present || present->removing) {
		removal_forget(model, pool->name, backend.name);
		return pool_replace_backend(pool, &backend, pool_has_flows(model, pool), now, refusal);
	}
	refuse(refusal, -EEXIST, "backend %s is there already", backend.name);
	refusal_where(refusal, "pool %s", pool->name);
	refusal_right(refusal, "another name, or `holdfast backend set %s/%s` to change it", pool->name,
		      backend.name);
	return -EEXIST;
}

/* Another address is another server: it does not inherit the old one's state. */
int backend_set(struct model *model, const json_t *arguments, int64_t now, struct refusal *refusal)
{
	struct pool *pool;
	struct backend *backend = staying_backend(model, arguments, &pool, refusal), changed;
	int error;

	if (!backend)
		return -ENOENT;
	changed = *backend;
	error = read_arguments(pool, &changed, arguments, refusal);
	if (error < 0)
		return error;
	if (address_equal(&changed.address, &backend->address)) {
		*backend = changed;
		return 0;
	}
	backend_begin(&changed);
	return pool_replace_backend(pool, &changed, pool_has_flows(model, pool), now, refusal);
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

/* *ret_backend is NULL if it has left: there is nothing to do. */
static int named_backend_or_left(const struct model *model, const json_t *arguments, struct pool **ret_pool,
				 struct backend **ret_backend, struct refusal *refusal)
{
	const char *pool = argument_text(arguments, "pool"), *name = argument_text(arguments, "name");

	*ret_backend = named_backend(model, arguments, ret_pool, refusal);
	if (*ret_backend)
		return 0;
	*ret_pool = model_pool(model, pool);
	return *ret_pool && backend_has_left(model, *ret_pool, name) ? 0 : -ENOENT;
}

/* What it owns of a slot assignment goes to whom each slot prefers next. */
static int remove_now(const struct model *model, struct pool *pool, struct backend *backend,
		      struct refusal *refusal)
{
	int error;

	backend->removing = true;
	error = assignment_leave(model, pool, refusal);
	if (error == 0)
		pool_remove_backend(pool, backend);
	return error;
}

/*
 * Drains first, and is removed when it is drained, or `now`. A disabled backend has no flows. One that leaves
 * or has left is removed already.
 */
int backend_remove(struct model *model, const json_t *arguments, int64_t now, struct refusal *refusal)
{
	const json_t *at_once = json_object_get(arguments, "now");
	struct pool *pool;
	struct backend *backend;

	if (at_once && !json_is_boolean(at_once)) {
		refuse(refusal, -EINVAL, "now is not true or false");
		refusal_where(refusal, "pool %s, backend %s", argument_text(arguments, "pool"),
			      argument_text(arguments, "name"));
		refusal_right(refusal, "true or false");
		return -EINVAL;
	}
	if (named_backend_or_left(model, arguments, &pool, &backend, refusal) < 0)
		return -ENOENT;
	if (!backend)
		return 0;
	if (!json_is_true(at_once) && backend->admin == ADMIN_ACTIVE &&
	    assignment_refuse_owner(pool, backend, refusal) < 0)
		return -EBUSY;
	/* Where it is leaving already, for whatever reason, nothing changes. */
	if (!backend->removing && removal_note(model, pool, backend, now) < 0)
		return -ENOMEM;
	if (json_is_true(at_once) || backend->admin == ADMIN_DISABLED)
		return remove_now(model, pool, backend, refusal);
	backend_leave(backend, now);
	return 0;
}

static int set_named_admin(const struct model *model, const json_t *arguments, enum admin_state admin,
			   int64_t now, struct refusal *refusal)
{
	struct pool *pool;
	struct backend *backend = staying_backend(model, arguments, &pool, refusal);

	if (!backend)
		return -ENOENT;
	set_admin(backend, admin, now);
	return 0;
}

int backend_activate(struct model *model, const json_t *arguments, int64_t now, struct refusal *refusal)
{
	return set_named_admin(model, arguments, ADMIN_ACTIVE, now, refusal);
}

int backend_disable(struct model *model, const json_t *arguments, int64_t now, struct refusal *refusal)
{
	return set_named_admin(model, arguments, ADMIN_DISABLED, now, refusal);
}

/* One that leaves drains already, and goes on leaving: only its deadline can change. */
int backend_drain(struct model *model, const json_t *arguments, int64_t now, struct refusal *refusal)
{
	static const struct schema_key deadline_key = {"deadline", SCHEMA_DURATION, .size = sizeof(uint32_t),
						       .low = 1, .high = 30 * 86400};
	const json_t *value = json_object_get(arguments, "deadline");
	struct pool *pool;
	struct backend *backend;
	uint32_t deadline = 0;
	bool removing;

	if (named_backend_or_left(model, arguments, &pool, &backend, refusal) < 0)
		return -ENOENT;
	if (value && schema_read(&deadline_key, &deadline, value, refusal) < 0) {
		refusal_where(refusal, "pool %s, backend %s", pool->name, argument_text(arguments, "name"));
		return -EINVAL;
	}
	if (!backend)
		return 0;
	removing = backend->removing;
	set_admin(backend, ADMIN_DRAINING, now);
	backend->removing = removing;
	if (deadline)
		backend->deadline = now + (int64_t)deadline * 1000;
	return 0;
}

int backend_health(struct model *model, const json_t *arguments, int64_t now, struct refusal *refusal)
{
	struct pool *pool;
	struct backend *backend, left;
	struct schema_key state_key = *schema_find(&schema_backend, "health");

	(void)now;
	if (named_backend_or_left(model, arguments, &pool, &backend, refusal) < 0)
		return -ENOENT;
	state_key.name = "state";
	if (schema_read(&state_key, backend ? backend : &left, json_object_get(arguments, "state"), refusal) <
	    0) {
		refusal_where(refusal, "pool %s, backend %s", pool->name, argument_text(arguments, "name"));
		return -EINVAL;
	}
	return 0;
}

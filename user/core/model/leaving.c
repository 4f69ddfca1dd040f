/* SPDX-License-Identifier: Apache-2.0 */
#include "leaving.h"

#include <errno.h>
#include <holdfast/abi.h>
#include <string.h>

#include "assignment.h"
#include "history.h"
#include "model_edit.h"

void backend_leave(struct backend *backend, int64_t now)
{
	if (backend->admin != ADMIN_DRAINING) {
		backend->admin = ADMIN_DRAINING;
		backend->since = now;
		backend->deadline = 0;
	}
	backend->removing = true;
}

/* Other addresses ------------------------------------------------------------------ */

static int check_family(const struct pool *pool, const struct backend *old, const struct backend *next,
			struct refusal *refusal)
{
	if (pool->encap != HF_ENCAP_GUE || old->removing || old->address.family == next->address.family)
		return 0;
	refuse(refusal, -EINVAL,
	       "the new address is of IPv%u, and the old one of IPv%u could not stay beside it until it is "
	       "drained: with encap gue a pool's backends are of one family",
	       next->address.family, old->address.family);
	refusal_where(refusal, "pool %s, backend %s", pool->name, old->name);
	refusal_right(refusal, "an IPv%u address, or another pool for the new address", old->address.family);
	return -EINVAL;
}

static int insert_replaced(struct pool *pool, struct backend backend, int64_t now)
{
	int error;

	backend_leave(&backend, now);
	backend.replaced = true;
	error = pool_insert_backend(pool, &backend);
	return error == -EEXIST ? 0 : error;
}

int pool_replace_backend(struct pool *pool, const struct backend *next, bool flows, int64_t now,
			 struct refusal *refusal)
{
	struct backend *same = pool_backend_at(pool, next->name, &next->address), *old, copy;
	int error = 0;

	if (same)
		pool_remove_backend(pool, same);
	old = pool_backend(pool, next->name);
	if (old) {
		error = check_family(pool, old, next, refusal);
		if (error < 0)
			return error;
		copy = *old;
		pool_remove_backend(pool, old);
		if ((flows || copy.removing) && copy.admin != ADMIN_DISABLED)
			error = insert_replaced(pool, copy, now);
	}
	return error < 0 ? error : pool_insert_backend(pool, next);
}

/* What is named no more ------------------------------------------------------------ */

static int pool_keep_leaving(struct pool *after, const struct pool *before, int64_t now,
			     struct refusal *refusal)
{
	for (size_t i = 0; i < before->backend_count; i++) {
		struct backend backend = before->backends[i];
		const struct backend *named = pool_backend(after, backend.name);
		int error;

		if (pool_backend_at(after, backend.name, &backend.address) || backend.admin == ADMIN_DISABLED)
			continue;
		error = named ? check_family(after, &backend, named, refusal) : 0;
		if (error < 0)
			return error;
		backend_leave(&backend, now);
		backend.replaced = named;
		error = pool_insert_backend(after, &backend);
		if (error < 0)
			return error;
	}
	return 0;
}

int model_keep_leaving(struct model *after, const struct model *before, int64_t now, struct refusal *refusal)
{
	int error = 0;

	for (size_t i = 0; error == 0 && i < after->pool_count; i++) {
		const struct pool *pool = model_pool(before, after->pools[i].name);

		if (pool && pool_has_flows(before, pool))
			error = pool_keep_leaving(&after->pools[i], pool, now, refusal);
	}
	return error;
}

/* What must hold ------------------------------------------------------------------- */

static void name_again(struct pool *pool)
{
	for (size_t i = pool_members(pool); i < pool->backend_count; i++) {
		struct backend backend = pool->backends[i];

		if (pool_backend(pool, backend.name))
			continue;
		pool_remove_backend(pool, &pool->backends[i]);
		backend.replaced = false;
		pool_insert_backend(pool, &backend); /* there is room: one was removed */
	}
}

/* The family of the backends that stay; 0: none stays, or they are of both families. */
static uint8_t family_of(const struct pool *pool)
{
	uint8_t family = 0;

	for (size_t i = 0; i < pool->backend_count; i++) {
		const struct backend *backend = &pool->backends[i];

		if (backend->removing)
			continue;
		if (family && backend->address.family != family)
			return 0;
		family = backend->address.family;
	}
	return family;
}

static void drop_foreign(struct pool *pool)
{
	uint8_t family = pool->encap == HF_ENCAP_GUE ? family_of(pool) : 0;

	for (size_t i = pool->backend_count; family && i-- > 0;)
		if (pool->backends[i].removing && pool->backends[i].address.family != family)
			pool_remove_backend(pool, &pool->backends[i]);
}

/* What is sent to a VIP comes back here: nothing of the backend can be reached any more. */
static void drop_vips(const struct model *model, struct pool *pool)
{
	for (size_t i = pool->backend_count; i-- > 0;)
		if (pool->backends[i].removing && model_has_vip(model, &pool->backends[i].address))
			pool_remove_backend(pool, &pool->backends[i]);
}

int model_settle_leaving(struct model *model, struct refusal *refusal)
{
	int error = 0;

	for (size_t i = 0; error == 0 && i < model->pool_count; i++) {
		drop_foreign(&model->pools[i]);
		drop_vips(model, &model->pools[i]);
		name_again(&model->pools[i]);
		error = assignment_leave(model, &model->pools[i], refusal);
	}
	return error;
}

/* What was ------------------------------------------------------------------------- */

bool backend_has_left(const struct model *model, const struct pool *pool, const char *label)
{
	size_t length = strcspn(label, "@"), count;
	const struct member_record *records = history_of(model, pool->name, &count);
	char name[NAME_SIZE];

	if (length >= sizeof name)
		return false;
	memcpy(name, label, length);
	name[length] = '\0';
	if (label[length] && pool_backend(pool, name)) /* another address has the name */
		return true;
	for (size_t i = 0; i < count; i++)
		if (members_name(records[i].members, name))
			return true;
	return false;
}

static void append_replaced(json_t *list, const struct pool *before, const struct pool *after)
{
	for (size_t i = 0; i < pool_members(before); i++) {
		const struct backend *old = &before->backends[i], *new = pool_backend(after, old->name);
		char from[ADDRESS_TEXT], to[ADDRESS_TEXT];

		if (!new || old->removing || address_equal(&old->address, &new->address) ||
		    !pool_backend_at(after, old->name, &old->address))
			continue;
		json_array_append_new(list, json_pack("{ss ss ss ss}", "pool", before->name, "name",
						      old->name, "before", address_text(&old->address, from),
						      "after", address_text(&new->address, to)));
	}
}

json_t *replaced_to_json(const struct model *before, const struct model *after)
{
	json_t *list = json_array();

	for (size_t i = 0; list && i < before->pool_count; i++) {
		const struct pool *pool = model_pool(after, before->pools[i].name);

		if (pool)
			append_replaced(list, &before->pools[i], pool);
	}
	return list;
}

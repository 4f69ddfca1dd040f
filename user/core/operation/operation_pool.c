/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <holdfast/abi.h>
#include <stdlib.h>

#include "core/model/assignment.h"
#include "core/model/model_edit.h"
#include "core/model/pool_options.h"
#include "core/model/removal.h"
#include "core/schema/diagnosis.h"
#include "operation_argument.h"

int pool_add(struct model *model, const json_t *arguments, int64_t now, struct refusal *refusal)
{
	struct pool pool;
	int error;

	(void)now;
	schema_defaults(&schema_pool, &pool);
	error = arguments_read(&schema_pool, &pool, arguments, refusal);
	if (error < 0)
		refusal_where(refusal, "pool %.63s", argument_text(arguments, "name"));
	else
		error = model_insert(model, &schema_pool, &pool);
	if (error < 0)
		pool_options_release(&pool.options);
	if (error == -EEXIST) {
		refuse(refusal, -EEXIST, "pool %s is there already", pool.name);
		refusal_right(refusal, "another name, or `holdfast pool set %s` to change it", pool.name);
	}
	return error;
}

/* What another scheme asked is over with it, and an assignment with the size of its table. */
static void drop_options(struct pool *pool, enum placement_scheme scheme, uint32_t slots,
			 const json_t *arguments)
{
	if (pool->scheme != scheme)
		pool_options_forget(pool, arguments);
	if (pool->slots == slots || json_object_get(arguments, "ranges"))
		return;
	free(pool->options.ranges);
	pool->options.ranges = NULL;
}

/* A port of receivers is over with gue, too. */
static void drop_port(struct pool *pool, uint8_t encap, const json_t *arguments)
{
	if (encap == HF_ENCAP_GUE && pool->encap != encap && !json_object_get(arguments, "gue_port"))
		pool->gue_port = GUE_PORT_DEFAULT;
}

int pool_set(struct model *model, const json_t *arguments, int64_t now, struct refusal *refusal)
{
	struct pool *pool = named_pool(model, argument_text(arguments, "name"), refusal);
	enum placement_scheme scheme;
	uint32_t slots;
	uint8_t encap;
	int error;

	(void)now;
	if (!pool)
		return -ENOENT;
	encap = pool->encap;
	scheme = pool->scheme;
	slots = pool->slots;
	error = arguments_read(&schema_pool, pool, arguments, refusal);
	if (error < 0) {
		refusal_where(refusal, "pool %s", pool->name);
		return error;
	}
	drop_options(pool, scheme, slots, arguments);
	drop_port(pool, encap, arguments);
	return 0;
}

/* "17" or "0-99": of the table. */
static int read_slots(const struct pool *pool, const json_t *arguments, struct slot_range *ret,
		      struct refusal *refusal)
{
	const char *text = argument_text(arguments, "slots");
	char quoted[QUOTED_TEXT];

	if (slots_parse(text, &ret->first, &ret->last) == 0 && ret->last < pool->slots)
		return 0;
	refuse(refusal, -EINVAL, "slots cannot be %s, which %s", quote(text, quoted),
	       diagnose_slots(text, pool->slots - 1).why);
	refusal_where(refusal, "pool %s", pool->name);
	refusal_right(refusal, "a slot or a range of slots from 0 to %u, such as 17 or 0-99",
		      pool->slots - 1);
	return -EINVAL;
}

static const struct backend *backend_argument(const struct pool *pool, const json_t *arguments,
					      const char *name, struct refusal *refusal)
{
	return unless_leaving(pool, pool_named_backend(pool, argument_text(arguments, name), refusal),
			      refusal);
}

int pool_slots_move(struct model *model, const json_t *arguments, int64_t now, struct refusal *refusal)
{
	struct pool *pool = named_pool(model, argument_text(arguments, "name"), refusal);
	const struct backend *to, *from = NULL;
	struct slot_range range;
	int error;

	(void)now;
	if (!pool)
		return -ENOENT;
	if (pool->scheme != PLACEMENT_SLOTS) {
		refuse(refusal, -EINVAL, "scheme %s places slots itself",
		       placement_scheme_name(pool->scheme));
		refusal_where(refusal, "pool %s", pool->name);
		refusal_right(refusal, "a pool with scheme slots");
		return -EINVAL;
	}
	to = backend_argument(pool, arguments, "backend", refusal);
	if (to && json_object_get(arguments, "owner"))
		from = backend_argument(pool, arguments, "owner", refusal);
	if (!to || (json_object_get(arguments, "owner") && !from))
		return -ENOENT;
	error = read_slots(pool, arguments, &range, refusal);
	if (error < 0)
		return error;
	range.member = to->name;
	return assignment_move(model, pool, &range, from, refusal);
}

int pool_remove(struct model *model, const json_t *arguments, int64_t now, struct refusal *refusal)
{
	struct pool *pool = named_pool(model, argument_text(arguments, "name"), refusal);
	char text[LISTEN_TEXT];

	(void)now;
	if (!pool)
		return -ENOENT;
	for (size_t i = 0; i < model->service_count; i++) {
		const struct service *service = &model->services[i];

		if (pool != model_pool(model, service->pool))
			continue;
		refuse(refusal, -EBUSY, "service %s uses it", listen_text(&service->listen, text));
		refusal_where(refusal, "pool %s", pool->name);
		refusal_right(refusal, "its services removed, or set to another pool, first");
		return -EBUSY;
	}
	removals_forget(model, pool->name);
	model_remove(model, &schema_pool, pool);
	return 0;
}

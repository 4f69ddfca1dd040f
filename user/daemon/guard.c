/* SPDX-License-Identifier: Apache-2.0 */
#include "guard.h"

#include <errno.h>
#include <string.h>

#include "views.h"

/* Unlike what the limit holds up, nobody does this in passing. */
static const char breaks[] = "breaks-flows";

static size_t takers(const struct image *image, const char *name)
{
	const struct pool_image *pool = image_pool(image, name);
	size_t count = 0;

	for (size_t i = 0; pool && pool->placement && i < placement_members(pool->placement); i++)
		count += pool->members[i].takes_new && pool->members[i].weight;
	return count;
}

/* Flows that find another slot find another backend. A pool that has nobody has no flows either. */
static int check_rebuilt(const struct guarded *guarded, const struct plan_pool *pool, struct refusal *refusal)
{
	if (!pool->rebuilt || !pool->image || pool->image->table.old_size ||
	    !pool_is_served(guarded->before, pool->name) || !takers(guarded->image_before, pool->name))
		return 0;
	refuse(refusal, -EPERM,
	       "another table size, seed or hash gives every flow another slot: 100%% would move");
	refusal_where(refusal, "pool %s", pool->name);
	refusal_right(refusal, "--force, if its flows may break");
	refusal_kind(refusal, breaks);
	return -EPERM;
}

static int check_stranded(const struct guarded *guarded, const char *pool, struct refusal *refusal)
{
	if (!pool_is_served(guarded->after, pool) || takers(guarded->image_after, pool) ||
	    !takers(guarded->image_before, pool))
		return 0;
	refuse(refusal, -EPERM, "no backend would be left to take new flows");
	refusal_where(refusal, "pool %s", pool);
	refusal_right(refusal, "another backend first, or --force");
	refusal_kind(refusal, breaks);
	return -EPERM;
}

static int check_service(const struct guarded *guarded, const struct service *service,
			 struct refusal *refusal)
{
	const struct service *old = model_service(guarded->before, service->proto, &service->vip,
						  service->port_low, service->port_high);
	char text[SERVICE_TEXT];

	if (!old || !strcmp(old->pool, service->pool) || !takers(guarded->image_before, old->pool))
		return 0;
	refuse(refusal, -EPERM, "its flows would leave pool %s for pool %s: 100%% would move", old->pool,
	       service->pool);
	refusal_where(refusal, "service %s", service_text(service, text));
	refusal_right(refusal, "--force, if its flows may break");
	refusal_kind(refusal, breaks);
	return -EPERM;
}

int guard_check(const struct guarded *guarded, struct refusal *refusal)
{
	const struct model *after = guarded->after;
	int error = 0;

	for (size_t i = 0; !error && i < guarded->plan->pool_count; i++)
		error = check_rebuilt(guarded, &guarded->plan->pools[i], refusal);
	for (size_t i = 0; !error && i < after->pool_count; i++)
		error = check_stranded(guarded, after->pools[i].name, refusal);
	for (size_t i = 0; !error && i < after->service_count; i++)
		error = check_service(guarded, &after->services[i], refusal);
	if (!error && guarded->limit != GUARD_NO_LIMIT)
		error = plan_guard(guarded->plan, guarded->limit, refusal);
	return error;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "guard.h"

#include <errno.h>
#include <string.h>

#include "core/model/model_edit.h"

/* These changes always need --force. */
static int refuse_break(struct refusal *refusal, const char *noun, const char *name, const char *right)
{
	refusal_where(refusal, "%s %s", noun, name);
	refusal_right(refusal, "%s", right);
	refusal_kind(refusal, "breaks-flows");
	return -EPERM;
}

static size_t takers(const struct image *image, const char *name)
{
	const struct pool_image *pool = image_pool(image, name);
	size_t count = 0;

	for (size_t i = 0; pool && pool->placement && i < placement_members(pool->placement); i++)
		count += pool->members[i].takes_new && pool->members[i].weight;
	return count;
}

/* Backends that take no new flows may have old ones. */
static bool holds_flows(const struct image *image, const char *name)
{
	const struct pool_image *pool = image_pool(image, name);

	for (size_t i = 0; pool && pool->placement && i < placement_members(pool->placement); i++)
		if (pool->members[i].serves || pool->members[i].takes_new)
			return true;
	return false;
}

/* Flows that find another slot find another backend. */
static int check_rebuilt(const struct guarded *guarded, const struct plan_pool *pool, struct refusal *refusal)
{
	if (!pool->rebuilt || !pool->image || pool->image->table.old_size ||
	    !pool_is_served(guarded->before, pool->name) || !holds_flows(guarded->image_before, pool->name))
		return 0;
	refuse(refusal, -EPERM,
	       "another table size, seed or hash gives every flow another slot: 100%% would move");
	return refuse_break(refusal, "pool", pool->name, "--force, if its flows may break");
}

static int check_stranded(const struct guarded *guarded, const char *pool, struct refusal *refusal)
{
	if (!pool_is_served(guarded->after, pool) || takers(guarded->image_after, pool) ||
	    !takers(guarded->image_before, pool))
		return 0;
	refuse(refusal, -EPERM, "no backend would be left to take new flows");
	return refuse_break(refusal, "pool", pool, "another backend first, or --force");
}

static int refuse_service(const struct service *service, const struct service *next, struct refusal *refusal)
{
	char text[LISTEN_TEXT];

	if (next)
		refuse(refusal, -EPERM, "flows of %s would leave pool %s for pool %s",
		       listen_text(&next->listen, text), service->pool, next->pool);
	else
		refuse(refusal, -EPERM, "this ends the service on some or all of its ports");
	return refuse_break(refusal, "service", listen_text(&service->listen, text),
			    next ? "--force, if its flows may break"
				 : "--force, if it should end; if not, check that the file is complete");
}

static bool same_vip(const struct service *a, const struct service *b)
{
	return a->proto == b->proto && address_equal(&a->vip, &b->vip);
}

/*
 * Checks a service's ports, one interval after the other. Services are sorted by protocol, VIP and
 * port, and none of a model overlap: *at is the first of the later model that may concern this service.
 */
static int check_service(const struct guarded *guarded, const struct service *service, size_t *at,
			 struct refusal *refusal)
{
	const struct model *after = guarded->after;
	uint32_t port = service->port_low; /* the first that no service serves, so far */

	while (*at < after->service_count && service_order(&after->services[*at], service) < 0 &&
	       !(same_vip(&after->services[*at], service) && after->services[*at].port_high >= port))
		++*at;
	for (size_t i = *at; i < after->service_count; i++) {
		const struct service *next = &after->services[i];

		if (!same_vip(next, service) || next->port_low > service->port_high)
			break;
		if (strcmp(next->pool, service->pool) != 0 &&
		    holds_flows(guarded->image_before, service->pool))
			return refuse_service(service, next, refusal);
		if (next->port_low <= port)
			port = next->port_high + 1U;
	}
	if (guarded->whole && port <= service->port_high)
		return refuse_service(service, NULL, refusal);
	return 0;
}

static int guard_services(const struct guarded *guarded, struct refusal *refusal)
{
	const struct model *before = guarded->before;
	size_t at = 0;
	int error = 0;

	for (size_t i = 0; !error && i < before->service_count; i++)
		error = check_service(guarded, &before->services[i], &at, refusal);
	return error;
}

static int guard_interfaces(const struct guarded *guarded, struct refusal *refusal)
{
	if (!guarded->whole || !guarded->before->interface_count || guarded->after->interface_count)
		return 0;
	refuse(refusal, -EPERM, "the last interface would be detached: no traffic would be balanced");
	return refuse_break(refusal, "interface", guarded->before->interfaces[0].name,
			    "--force, if it should be; if not, check that the file is complete");
}

/* Backends take off what they expect: packets in another form do not reach their servers. */
static int check_encap(const struct guarded *guarded, const struct pool *pool, struct refusal *refusal)
{
	const struct pool *before = model_pool(guarded->before, pool->name);

	if (!guarded->whole || !before || before->encap == pool->encap ||
	    !pool_is_served(guarded->before, pool->name) || !holds_flows(guarded->image_before, pool->name))
		return 0;
	refuse(refusal, -EPERM, "its packets would be wrapped by %s instead of %s", encap_name(pool->encap),
	       encap_name(before->encap));
	return refuse_break(refusal, "pool", pool->name,
			    "--force, if every backend takes both; if not, look whether the file is whole");
}

int guard_check(const struct guarded *guarded, struct refusal *refusal)
{
	const struct model *after = guarded->after;
	int error = 0;

	for (size_t i = 0; !error && i < guarded->plan->pool_count; i++)
		error = check_rebuilt(guarded, &guarded->plan->pools[i], refusal);
	for (size_t i = 0; !error && i < after->pool_count; i++)
		error = check_stranded(guarded, after->pools[i].name, refusal);
	for (size_t i = 0; !error && i < after->pool_count; i++)
		error = check_encap(guarded, &after->pools[i], refusal);
	if (!error)
		error = guard_services(guarded, refusal);
	if (!error)
		error = guard_interfaces(guarded, refusal);
	if (!error && guarded->limit != GUARD_NO_LIMIT)
		error = plan_guard(guarded->plan, guarded->limit, refusal);
	return error;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "objection.h"

#include <errno.h>
#include <holdfast/abi.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/model_check.h"
#include "core/value/address_use.h"
#include "core/value/duration.h"

/* A TCP connection of people may be silent for so long. */
enum { TCP_IDLE_SHORT = 60 /* seconds */ };

struct objector {
	const struct model *before, *after;
	objection_visit *visit;
	void *context;
};

static int object_to(const struct objector *objector, enum objection_weight weight, const struct fault *fault,
		     struct objection *objection)
{
	objection->weight = weight;
	if (weight == OBJECTION_MISTAKE)
		refusal_kind(&objection->refusal, "likely-mistake");
	fault_where(fault, &objection->refusal);
	return objector->visit(objection, objector->context);
}

/* The model before ------------------------------------------------------------------- */

static const struct pool *pool_before(const struct objector *objector, const struct pool *pool)
{
	return objector->before ? model_pool(objector->before, pool->name) : NULL;
}

/* Those that leave are on their way out, and no change depends on whether they have gone. */
static size_t stayed_at(const struct objector *objector, const struct pool *pool,
			const struct address *address)
{
	const struct pool *before = pool_before(objector, pool);
	size_t count = 0;

	for (size_t i = 0; before && i < before->backend_count; i++)
		count +=
			!before->backends[i].removing && address_equal(&before->backends[i].address, address);
	return count;
}

static bool had_vip(const struct objector *objector, const struct address *address)
{
	return objector->before && model_has_vip(objector->before, address);
}

/* Backends --------------------------------------------------------------------------- */

static void refuse_class(struct refusal *refusal, const struct address *address,
			 const struct address_class *class, const char *right)
{
	const struct prefix *prefix = &class->prefix;
	char text[ADDRESS_TEXT], range[PREFIX_TEXT];
	struct address ipv4 = {.family = 4};

	refuse(refusal, -EINVAL, "%s is %s (%s), and %s", address_text(address, text), class->name,
	       prefix_text(prefix, range), class->why);
	refusal_right(refusal, "%s", right);
	if (address->family != 6 || prefix->bits != 96)
		return;
	memcpy(ipv4.bytes, address->bytes + 12, 4);
	refusal_right(refusal, "%s, if the IPv4 address is meant", address_text(&ipv4, text));
}

static int object_to_backend(const struct objector *objector, const struct pool *pool,
			     const struct backend *backend)
{
	const struct fault fault = {FAULT_BACKEND, backend, pool, "address"};
	const struct address_class *class = address_class(&backend->address);
	struct objection objection = {0};
	char text[ADDRESS_TEXT];

	if (class && !stayed_at(objector, pool, &backend->address)) {
		refuse_class(&objection.refusal, &backend->address, class,
			     "an address at which this host reaches the backend");
		return object_to(objector, OBJECTION_WRONG, &fault, &objection);
	}
	if (!model_has_vip(objector->after, &backend->address) ||
	    (had_vip(objector, &backend->address) && stayed_at(objector, pool, &backend->address)))
		return 0;
	refuse(&objection.refusal, -EINVAL,
	       "%s is a VIP of this instance, so packets for the backend would come back here",
	       address_text(&backend->address, text));
	refusal_right(&objection.refusal, "a backend at an address that no service listens on");
	return object_to(objector, OBJECTION_WRONG, &fault, &objection);
}

static int by_address(const void *a, const void *b)
{
	const struct backend *const *left = a, *const *right = b;
	int order = address_compare(&(*left)->address, &(*right)->address);

	return order ? order : strcmp((*left)->name, (*right)->name);
}

/* Of `count` backends at one address: one that was not there before, or the last. */
static const struct backend *newest_of(const struct objector *objector, const struct pool *pool,
				       const struct backend **same, size_t count)
{
	const struct pool *before = pool_before(objector, pool);

	for (size_t i = 0; before && i < count; i++)
		if (!pool_backend_at(before, same[i]->name, &same[i]->address))
			return same[i];
	return same[count - 1];
}

static int object_to_same(const struct objector *objector, const struct pool *pool,
			  const struct backend **same, size_t count)
{
	const struct backend *newest = newest_of(objector, pool, same, count);
	const struct fault fault = {FAULT_BACKEND, newest, pool, "address"};
	const struct backend *other = same[0] == newest ? same[1] : same[0];
	struct objection objection = {0};
	char text[ADDRESS_TEXT];

	if (count <= stayed_at(objector, pool, &newest->address))
		return 0;
	refuse(&objection.refusal, -EPERM,
	       "backend %s has the address %s already, so one server would get %zu shares, and draining one "
	       "name "
	       "would not drain it",
	       other->name, address_text(&other->address, text), count);
	refusal_right(&objection.refusal,
		      "one name with a greater weight; --force, if several names are meant");
	return object_to(objector, OBJECTION_MISTAKE, &fault, &objection);
}

static int object_to_same_addresses(const struct objector *objector, const struct pool *pool)
{
	const struct backend **sorted = malloc((pool->backend_count + 1) * sizeof(const struct backend *));
	size_t count = 0, run;
	int result = 0;

	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < pool->backend_count; i++)
		if (!pool->backends[i].removing)
			sorted[count++] = &pool->backends[i];
	if (count > 1)
		qsort(sorted, count, sizeof *sorted, by_address);
	for (size_t i = 0; !result && i < count; i += run) {
		run = 1;
		while (i + run < count && address_equal(&sorted[i]->address, &sorted[i + run]->address))
			run++;
		if (run > 1)
			result = object_to_same(objector, pool, &sorted[i], run);
	}
	free(sorted);
	return result;
}

/* Pools ------------------------------------------------------------------------------ */

static bool same_prefix(const struct prefix *a, const struct prefix *b)
{
	return a->bits == b->bits && address_equal(&a->address, &b->address);
}

static int object_to_source(const struct objector *objector, const struct pool *pool,
			    const struct prefix *source)
{
	const struct pool *before = pool_before(objector, pool);
	const struct fault fault = {FAULT_POOL, pool, NULL, "source"};
	const struct address_class *class = source->address.family ? prefix_class(source) : NULL;
	char text[PREFIX_TEXT], prefix[PREFIX_TEXT];
	struct objection objection = {0};

	if (!class ||
	    (before && (same_prefix(source, &before->source4) || same_prefix(source, &before->source6))))
		return 0;
	refuse(&objection.refusal, -EINVAL, "source %s has addresses that are %s (%s)",
	       prefix_text(source, text), class->name, prefix_text(&class->prefix, prefix));
	refusal_right(&objection.refusal, "a prefix without them, such as 192.0.2.0/24");
	return object_to(objector, OBJECTION_WRONG, &fault, &objection);
}

static bool idle_port(const struct pool *pool)
{
	return pool->encap != HF_ENCAP_GUE && pool->gue_port != GUE_PORT_DEFAULT;
}

static int object_to_port(const struct objector *objector, const struct pool *pool)
{
	const struct pool *before = pool_before(objector, pool);
	const struct fault fault = {FAULT_POOL, pool, NULL, "gue_port"};
	struct objection objection = {0};

	if (!idle_port(pool) || (before && idle_port(before) && before->gue_port == pool->gue_port))
		return 0;
	refuse(&objection.refusal, -EINVAL, "gue_port %u has no effect with encap %s", pool->gue_port,
	       encap_name(pool->encap));
	refusal_right(&objection.refusal, "encap gue, or no gue_port");
	return object_to(objector, OBJECTION_WRONG, &fault, &objection);
}

static int object_to_pool(const struct objector *objector, const struct pool *pool)
{
	int result = object_to_source(objector, pool, &pool->source4);

	if (!result)
		result = object_to_source(objector, pool, &pool->source6);
	if (!result)
		result = object_to_port(objector, pool);
	for (size_t i = 0; !result && i < pool->backend_count; i++)
		if (!pool->backends[i].removing)
			result = object_to_backend(objector, pool, &pool->backends[i]);
	return result ? result : object_to_same_addresses(objector, pool);
}

/* Services --------------------------------------------------------------------------- */

static int object_to_vip(const struct objector *objector, const struct service *service)
{
	const struct fault fault = {FAULT_SERVICE, service, NULL, "listen"};
	const struct address_class *class = address_class(&service->vip);
	struct objection objection = {0};

	if (!class || had_vip(objector, &service->vip))
		return 0;
	refuse_class(&objection.refusal, &service->vip, class,
		     "an address that routers can send here, such as 203.0.113.10");
	return object_to(objector, OBJECTION_WRONG, &fault, &objection);
}

static int object_to_idle(const struct objector *objector, const struct service *service)
{
	const struct service *before =
		objector->before ? model_service(objector->before, service->proto, &service->vip,
						 service->port_low, service->port_high)
				 : NULL;
	const struct fault fault = {FAULT_SERVICE, service, NULL, "idle"};
	struct objection objection = {0};
	char text[DURATION_TEXT];

	if (!service->idle || (before && before->idle == service->idle && before->track == service->track))
		return 0;
	duration_text(service->idle, text);
	if (service->track == HF_TRACK_NEVER)
		refuse(&objection.refusal, 0, "idle %s has no effect while track is never", text);
	else if (service->proto == IPPROTO_TCP && service->idle < TCP_IDLE_SHORT)
		refuse(&objection.refusal, 0,
		       "a connection that is silent for more than %s counts as ended, and breaks when its "
		       "slot "
		       "has moved",
		       text);
	else
		return 0;
	return object_to(objector, OBJECTION_NOTE, &fault, &objection);
}

/* All of it -------------------------------------------------------------------------- */

int objections_visit(const struct model *before, const struct model *after, objection_visit *visit,
		     void *context)
{
	const struct objector objector = {before, after, visit, context};
	int result = 0;

	for (size_t i = 0; !result && i < after->pool_count; i++)
		result = object_to_pool(&objector, &after->pools[i]);
	for (size_t i = 0; !result && i < after->service_count; i++) {
		result = object_to_vip(&objector, &after->services[i]);
		if (!result)
			result = object_to_idle(&objector, &after->services[i]);
	}
	return result;
}

static int take_wrong(const struct objection *objection, void *refusal)
{
	if (objection->weight != OBJECTION_WRONG)
		return 0;
	if (refusal)
		*(struct refusal *)refusal = objection->refusal;
	return -EINVAL;
}

int objections_check(const struct model *before, const struct model *after, struct refusal *refusal)
{
	return objections_visit(before, after, take_wrong, refusal);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "counter_reset.h"

#include <string.h>

#include "daemon/base/log.h"

static void clear(struct dataplane *dataplane, uint32_t first, uint32_t count)
{
	if (dataplane_counters_clear(dataplane, first, count))
		log_line(LOG_LEVEL_WARNING, "counters from %u on cannot be cleared", first);
}

static void clear_backends(const struct instance *instance, const struct install *install,
			   const struct pool *pool, uint32_t first, uint32_t ordinals)
{
	const char *old_pool, *old_name;
	struct address old_address;

	for (size_t i = 0; i < pool->backend_count; i++) {
		uint16_t number = ledger_backend(install->ledger, pool->name, &pool->backends[i]);
		uint16_t ordinal = ledger_ordinal(install->ledger, number);

		if (ordinal < ordinals &&
		    !ledger_backend_name(instance->ledger, number, &old_pool, &old_name, &old_address))
			clear(instance->dataplane, first + ordinal, 1);
	}
}

/* A range that was outgrown goes on in the next; what is counted in the old one until the switch, a moment,
 * is not. */
static void move_service(struct dataplane *dataplane, uint32_t from, uint32_t count, uint32_t to)
{
	if (dataplane_counters_copy(dataplane, from, to, count))
		log_line(LOG_LEVEL_WARNING, "counters from %u on cannot be carried over", from);
}

static bool keeps_pool(const struct model *before, const struct service *service)
{
	const struct service *old =
		model_service(before, service->proto, &service->vip, service->port_low, service->port_high);

	return old && !strcmp(old->pool, service->pool);
}

static void begin_service(const struct instance *instance, const struct install *install,
			  const struct service *service, bool backends)
{
	const struct pool *pool = model_pool(install->model, service->pool);
	uint32_t old_first = 0, old_ordinals = 0, first = 0, ordinals = 0;
	uint16_t old = ledger_service(instance->ledger, service, &old_first, &old_ordinals);

	if (!ledger_service(install->ledger, service, &first, &ordinals))
		return;
	if (!old || old_first != first)
		clear(instance->dataplane, first, ordinals);
	if (old && old_first != first && keeps_pool(instance->model, service))
		move_service(instance->dataplane, old_first,
			     old_ordinals < ordinals ? old_ordinals : ordinals, first);
	else if (old && old_first == first && pool && backends)
		clear_backends(instance, install, pool, first, ordinals);
}

static bool brings_backends(const struct plan *plan)
{
	for (size_t i = 0; i < plan->backend_count; i++)
		if (plan->backends[i].change == PLAN_ADD)
			return true;
	return false;
}

void counters_reset(const struct instance *instance, const struct install *install)
{
	bool backends = brings_backends(install->plan);

	for (size_t i = 0; (backends || install->plan->services) && i < install->model->service_count; i++)
		begin_service(instance, install, &install->model->services[i], backends);
}

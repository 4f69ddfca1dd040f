/* SPDX-License-Identifier: Apache-2.0 */
#include "fresh.h"

#include "log.h"

static void clear(struct dataplane *dataplane, uint32_t first, uint32_t count)
{
	if (dataplane_counters_clear(dataplane, first, count))
		log_line(LOG_LEVEL_WARNING, "counters from %u on cannot be cleared", first);
}

static void clear_backends(struct dataplane *dataplane, const struct pool *pool, uint32_t first,
			   uint32_t ordinals, const struct ledger *before, const struct ledger *after)
{
	const char *old_pool, *old_name;
	struct address old_address;

	for (size_t i = 0; i < pool->backend_count; i++) {
		uint16_t number = ledger_backend(after, pool->name, &pool->backends[i]);
		uint16_t ordinal = ledger_ordinal(after, number);

		if (ordinal < ordinals &&
		    !ledger_backend_name(before, number, &old_pool, &old_name, &old_address))
			clear(dataplane, first + ordinal, 1);
	}
}

static bool brings_backends(const struct plan *plan)
{
	for (size_t i = 0; i < plan->backend_count; i++)
		if (plan->backends[i].change == PLAN_ADD)
			return true;
	return false;
}

void fresh_counters(struct dataplane *dataplane, const struct plan *plan, const struct model *model,
		    const struct ledger *before, const struct ledger *after)
{
	bool backends = brings_backends(plan);

	for (size_t i = 0; (backends || plan->services) && i < model->service_count; i++) {
		const struct service *service = &model->services[i];
		const struct pool *pool = model_pool(model, service->pool);
		uint32_t old_first = 0, old_ordinals = 0, first = 0, ordinals = 0;
		uint16_t old = ledger_service(before, service, &old_first, &old_ordinals);

		if (!ledger_service(after, service, &first, &ordinals))
			continue;
		if (!old || old_first != first)
			clear(dataplane, first, ordinals);
		else if (pool && backends)
			clear_backends(dataplane, pool, first, ordinals, before, after);
	}
}

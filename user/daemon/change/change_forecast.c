/* SPDX-License-Identifier: Apache-2.0 */
#include "change_forecast.h"

#include <stdlib.h>

#include "core/review/forecast.h"

static uint32_t flows_on_moved(struct instance *instance, const struct plan_pool *pool)
{
	const struct pool_image *before = image_pool_numbered(instance->image, pool->number);
	uint64_t *slots;
	uint32_t flows;

	switch (forecast_flows(before, pool)) {
	case FORECAST_NO_FLOWS:
		return 0;
	case FORECAST_ALL_FLOWS:
		return census_remembered(&instance->census, before);
	case FORECAST_MOVED_FLOWS:
		break;
	}
	slots = forecast_moved_slots(before, pool->image);
	flows = slots ? flows_on_slots(instance->dataplane, pool->number, slots, before->table.size) : 0;
	free(slots);
	return flows;
}

json_t *change_forecast(struct instance *instance, const struct plan *plan, bool flows)
{
	struct pool_traffic *traffic = calloc(plan->pool_count + 1, sizeof *traffic);
	json_t *json;

	for (size_t i = 0; traffic && i < plan->pool_count; i++) {
		const struct plan_pool *pool = &plan->pools[i];

		traffic[i].opened =
			rates_pool(instance->rates, instance->model, instance->ledger, pool->name);
		traffic[i].counted = flows;
		traffic[i].remembered = flows ? flows_on_moved(instance, pool) : 0;
	}
	json = traffic ? forecast_to_json(plan, traffic) : NULL;
	free(traffic);
	return json;
}

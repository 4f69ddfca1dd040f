/* SPDX-License-Identifier: Apache-2.0 */
#include "forecast.h"

#include <holdfast/slot.h>
#include <stdlib.h>

#include "core/value/bits.h"

enum forecast_flows forecast_flows(const struct pool_image *before, const struct plan_pool *pool)
{
	if (!before || pool->change == PLAN_ADD)
		return FORECAST_NO_FLOWS;
	return pool->change == PLAN_REMOVE || pool->rebuilt ? FORECAST_ALL_FLOWS : FORECAST_MOVED_FLOWS;
}

uint64_t *forecast_moved_slots(const struct pool_image *before, const struct pool_image *after)
{
	uint64_t *slots = calloc(before->table.size / 64 + 1, sizeof *slots);

	for (uint32_t i = 0; slots && i < before->table.size; i++) {
		uint16_t owner = hf_slot_owner(before->words[i]);

		if (owner && owner != hf_slot_owner(after->words[i]))
			bit_set(slots, i);
	}
	return slots;
}

json_t *forecast_to_json(const struct plan *plan, const struct pool_traffic *traffic)
{
	json_t *json = plan_to_json(plan), *pools = json_object_get(json, "pools");

	for (size_t i = 0; json && i < plan->pool_count; i++) {
		const struct tally *opened = &traffic[i].opened;
		json_t *line = json_array_get(pools, i);

		json_object_set_new(line, "new_per_second",
				    tally_new_flows(opened, plan_pool_share(&plan->pools[i])));
		json_object_set_new(line, "flows_unseen", json_boolean(opened->unseen));
		json_object_set_new(line, "remembered",
				    traffic[i].counted ? json_integer(traffic[i].remembered) : json_null());
	}
	return json;
}

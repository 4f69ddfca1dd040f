/* SPDX-License-Identifier: Apache-2.0 */
#include "forecast.h"

#include <holdfast/slot.h>
#include <stdlib.h>

/* A bit for each slot that leaves an owner. NULL: out of memory. */
static uint64_t *moved_slots(const struct pool_image *before, const struct pool_image *after)
{
	uint64_t *slots = calloc(before->table.size / 64 + 1, sizeof *slots);

	for (uint32_t i = 0; slots && i < before->table.size; i++) {
		uint16_t owner = hf_slot_owner(before->words[i]);

		if (owner && owner != hf_slot_owner(after->words[i]))
			slots[i / 64] |= 1ULL << i % 64;
	}
	return slots;
}

static uint32_t flows_on_moved(struct instance *instance, const struct plan_pool *pool)
{
	const struct pool_image *before = image_pool_numbered(instance->image, pool->number);
	uint64_t *slots;
	uint32_t flows;

	if (!before || pool->change == PLAN_ADD)
		return 0;
	if (pool->change == PLAN_REMOVE || pool->rebuilt)
		return census_remembered(instance->census, before);
	slots = moved_slots(before, pool->image);
	flows = slots ? flows_on_slots(instance->dataplane, pool->number, slots, before->table.size) : 0;
	free(slots);
	return flows;
}

json_t *forecast_plan(struct instance *instance, const struct plan *plan, bool flows)
{
	json_t *json = plan_to_json(plan), *pools = json_object_get(json, "pools");

	for (size_t i = 0; json && i < plan->pool_count; i++) {
		const struct plan_pool *pool = &plan->pools[i];
		struct tally opened =
			rates_pool(instance->rates, instance->model, instance->ledger, pool->name);
		json_t *line = json_array_get(pools, i);

		json_object_set_new(line, "new_per_second", tally_new_flows(&opened, plan_pool_share(pool)));
		json_object_set_new(line, "flows_unseen", json_boolean(opened.unseen));
		json_object_set_new(line, "remembered",
				    flows ? json_integer(flows_on_moved(instance, pool)) : json_null());
	}
	return json;
}

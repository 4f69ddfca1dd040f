/* SPDX-License-Identifier: Apache-2.0 */
#include <holdfast/flowhash.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>
#include <version.h>

#include "daemon/base/clock.h"
#include "views.h"
#include "kern/program/load.h"

json_t *view_version(struct instance *instance)
{
	(void)instance;
	return json_pack("{s:s, s:i, s:i}", "version", HOLDFAST_VERSION, "abi", HF_ABI_VERSION, "flow_hash",
			 HF_FLOWHASH_VERSION);
}

static json_t *pools_list(const struct instance *instance, int64_t *ret_slots)
{
	uint32_t now = clock_monotonic() / 1000;
	json_t *list = json_array();

	*ret_slots = 0;
	for (size_t i = 0; i < instance->model->pool_count; i++) {
		const struct pool *pool = &instance->model->pools[i];

		json_array_append_new(list, pool_line_view(pool->name, placement_scheme_name(pool->scheme),
							   pool->slots,
							   image_pool(instance->image, pool->name), now));
		*ret_slots += pool->slots;
	}
	return list;
}

static json_t *flows_object(struct instance *instance)
{
	const struct flow_census *census = census_take(&instance->census, CENSUS_SHOWN);
	uint64_t events[HF_FLOW_EVENTS] = {0}, flows = 0;

	if (census)
		flows = (uint64_t)census->opening + census->established + census->closing;
	if (flow_events(instance->dataplane, events))
		memset(events, 0, sizeof events);
	return flows_view(flows, census ? census->closing : 0, census ? census->limit : 0, events);
}

json_t *view_status(struct instance *instance)
{
	char host[HOST_NAME_MAX + 1] = "";
	struct status_state state = {
		.instance = instance->options->instance,
		.version = HOLDFAST_VERSION,
		.host = host,
		.seed = &instance->model->seed,
		.flow_hash = HF_FLOWHASH_VERSION,
		.slots_limit = dataplane_slot_limit(instance->dataplane),
	};

	rates_sample(instance->rates, clock_monotonic());
	gethostname(host, sizeof host - 1);
	state.problems = problems_list(instance);
	state.generation = generation_object(&instance->generation);
	state.clock = steady_clock_now(&instance->clock);
	state.uptime = clock_monotonic() - instance->started;
	state.interfaces = interfaces_list(instance);
	state.services = services_list(instance);
	state.pools = pools_list(instance, &state.slots_used);
	state.flows = flows_object(instance);
	state.warnings = warnings_list(instance);
	return status_view(&state);
}

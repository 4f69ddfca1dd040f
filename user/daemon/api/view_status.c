/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <holdfast/flowhash.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>
#include <version.h>

#include "daemon/base/clock.h"
#include "views.h"
#include "kern/program/load.h"

int view_version(struct instance *instance, const struct request *request, json_t **ret,
		 struct refusal *refusal)
{
	(void)instance;
	(void)request;
	(void)refusal;
	*ret = json_pack("{s:s, s:i, s:i}", "version", HOLDFAST_VERSION, "abi", HF_ABI_VERSION, "flow_hash",
			 HF_FLOWHASH_VERSION);
	return *ret ? 0 : -ENOMEM;
}

static json_t *pools_list(const struct instance *instance, int64_t *ret_slots)
{
	json_t *list = json_array();

	*ret_slots = 0;
	for (size_t i = 0; i < instance->model->pool_count; i++) {
		const struct pool *pool = &instance->model->pools[i];
		const struct pool_image *image = image_pool(instance->image, pool->name);
		const struct pool_line line = {
			.name = pool->name,
			.scheme = placement_scheme_name(pool->scheme),
			.slots = pool->slots,
			.moving = image ? image->moving : 0,
			.settles = pool_settles(image, clock_monotonic() / 1000),
			.has_digests = true,
			.digest = image ? image->digest : 0,
			.history_digest = image ? image->history_digest : 0,
		};

		json_array_append_new(list, pool_line_view(&line));
		*ret_slots += pool->slots;
	}
	return list;
}

static json_t *flows_object(struct instance *instance)
{
	const struct flow_census *census = census_take(&instance->census, CENSUS_SHOWN);
	uint64_t events[HF_FLOW_EVENTS] = {0};
	struct flows_state state = {.events = events};

	if (census) {
		state.remembered = (int64_t)census->opening + census->established + census->closing;
		state.closing = census->closing;
		state.limit = census->limit;
	}
	if (flow_events(instance->dataplane, events))
		memset(events, 0, sizeof events);
	return flows_view(&state);
}

int view_status(struct instance *instance, const struct request *request, json_t **ret,
		struct refusal *refusal)
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

	(void)request;
	(void)refusal;
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
	*ret = status_view(&state);
	return *ret ? 0 : -ENOMEM;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "drain.h"

#include "change.h"
#include "clock.h"
#include "events.h"

enum { CENSUS_AGE = 1000 /* ms */ };

/* Old flows that were never seen live at a moving slot's base until the slot is ripe. */
static bool may_hold_unseen(struct instance *instance, const char *pool, const struct drain_state *state)
{
	const struct pool_image *image = image_pool(instance->image, pool);

	return state->slots.based && image && image->settles > clock_monotonic() / 1000;
}

void drain_state(struct instance *instance, const struct pool *pool, const struct backend *backend,
		 struct drain_state *ret)
{
	uint16_t number = ledger_backend(instance->ledger, pool->name, backend);
	const struct flow_census *census = census_take(instance->census, CENSUS_AGE);
	const struct backend_flows *flows = census && number ? &census->backends[number] : NULL;
	struct drain_state state = {.heard = -1};

	state.slots = shares_backend(instance->shares, instance->image, number);
	if (flows) {
		state.open = flows->opening + flows->established;
		state.closing = flows->closing;
		if (flows->heard)
			state.heard = clock_monotonic() / 1000 - flows->heard;
	}
	state.drained = backend->admin != ADMIN_ACTIVE && flows && !state.slots.owned && !state.open &&
			!may_hold_unseen(instance, pool->name, &state);
	*ret = state;
}

static bool may_leave(struct instance *instance, const struct pool *pool, const struct backend *backend)
{
	struct drain_state state;

	if (!backend->removing)
		return false;
	drain_state(instance, pool, backend, &state);
	return state.drained;
}

static void remove_backend(struct instance *instance, const char *pool, const char *backend)
{
	char cause[192];
	const struct change change = {.author = "holdfastd", .cause = cause, .force = true};
	json_t *arguments = json_pack("{s:s, s:s, s:b}", "pool", pool, "name", backend, "now", 1),
	       *answer = NULL;
	struct refusal refusal = {0};

	snprintf(cause, sizeof cause, "drained %s/%s", pool, backend);
	if (!arguments || change_operation(instance, "backend.remove", arguments, &change, &answer, &refusal))
		log_refusal(LOG_LEVEL_WARNING, cause, &refusal);
	json_decref(answer);
	json_decref(arguments);
}

/* The model is another after each removal: one at a time, the next in a second. */
void drain_finish(struct instance *instance)
{
	for (size_t i = 0; i < instance->model->pool_count; i++) {
		const struct pool *pool = &instance->model->pools[i];

		for (size_t j = 0; j < pool->backend_count; j++) {
			if (!may_leave(instance, pool, &pool->backends[j]))
				continue;
			remove_backend(instance, pool->name, pool->backends[j].name);
			return;
		}
	}
}

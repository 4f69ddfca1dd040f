/* SPDX-License-Identifier: Apache-2.0 */
#include "drain.h"

#include "change.h"
#include "clock.h"
#include "events.h"

enum { CENSUS_AGE = 1000 /* ms */ };

/*
 * Old flows that were never seen live at a moving slot's base until the slot is ripe. The bases of a pool
 * that migrates are in its old table: any of its backends may be one. After a reboot nothing is known of any,
 * and whoever is silent may be so for as long as the services allow.
 */
static bool may_hold_unseen(struct instance *instance, const char *pool, const struct drain_state *state)
{
	const struct pool_image *image = image_pool(instance->image, pool);
	int64_t now = clock_monotonic() / 1000, forgotten = dataplane_forgotten(instance->dataplane);

	if (!image)
		return false;
	return ((state->slots.based || image->table.old_size) && image->settles > now) ||
	       (forgotten && forgotten + image->idle > now);
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

static void remove_backend(struct instance *instance, const char *pool, const char *backend)
{
	char cause[256];
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

/* A word for each end, once: what was told is remembered by number. */
static void tell(struct instance *instance, const struct pool *pool, const struct backend *backend,
		 const struct drain_state *state, int64_t now)
{
	uint16_t number = ledger_backend(instance->ledger, pool->name, backend);
	char subject[NAME_SIZE + BACKEND_TEXT], label[BACKEND_TEXT];

	snprintf(subject, sizeof subject, "%s/%s", pool->name, backend_label(backend, label));
	if (backend->deadline > instance->drains_seen && backend->deadline <= now)
		event_note(LOG_LEVEL_NOTICE, "drain", subject,
			   "the deadline has passed: %u remembered flows are cut", state->open);
	if (state->drained && !instance->drained[number])
		event_note(LOG_LEVEL_NOTICE, "drain", subject, "drained: it can be switched off");
	instance->drained[number] = state->drained;
}

/* Returns whether the model is another now. */
static bool watch(struct instance *instance, const struct pool *pool, const struct backend *backend,
		  int64_t now)
{
	char label[BACKEND_TEXT];
	struct drain_state state;

	if (backend->admin != ADMIN_DRAINING) {
		instance->drained[ledger_backend(instance->ledger, pool->name, backend)] = false;
		return false;
	}
	drain_state(instance, pool, backend, &state);
	tell(instance, pool, backend, &state, now);
	if (!backend->removing || !state.drained)
		return false;
	remove_backend(instance, pool->name, backend_label(backend, label));
	return true;
}

/* One removal at a time, the next in a second: the model that is walked is gone after it. */
void drain_tick(struct instance *instance)
{
	int64_t now = clock_unix();
	bool changed = false;

	for (size_t i = 0; !changed && i < instance->model->pool_count; i++) {
		const struct pool *pool = &instance->model->pools[i];

		for (size_t j = 0; !changed && j < pool->backend_count; j++)
			changed = watch(instance, pool, &pool->backends[j], now);
	}
	instance->drains_seen = now;
}

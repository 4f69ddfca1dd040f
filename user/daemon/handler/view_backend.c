/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>

#include "core/model/model.h"
#include "core/value/duration.h"
#include "daemon/base/clock.h"
#include "daemon/change/drain.h"
#include "reach.h"
#include "views.h"

enum { NOTE_TEXT = 2 * AGE_TEXT + REACH_TEXT + 32 };

/* "4m, last heard 2s"; "12s: no route" */
static const char *note_text(struct instance *instance, const struct backend *backend,
			     const struct fact *fact, const struct drain_state *drain,
			     const struct reach *reach, char text[NOTE_TEXT])
{
	char since[AGE_TEXT] = "", heard[AGE_TEXT] = "", words[REACH_TEXT];
	const char *problem = reach_text(reach, words);

	if (fact && fact->state == HEALTH_DOWN)
		age_text(fact_age(instance->facts, fact), since);
	else if (backend->since && backend->admin != ADMIN_ACTIVE)
		age_text((steady_clock_now(&instance->clock) - backend->since) / 1000, since);
	if (drain->heard >= 0 && backend->admin != ADMIN_ACTIVE)
		age_text(drain->heard, heard);
	snprintf(text, NOTE_TEXT, "%s%s%s%s%s%s", since, heard[0] && since[0] ? ", " : "",
		 heard[0] ? "last heard " : "", heard, problem && (since[0] || heard[0]) ? ": " : "",
		 problem ? problem : "");
	return text;
}

static json_t *backend_object(struct instance *instance, const struct pool *pool,
			      const struct backend *backend)
{
	uint16_t number = ledger_backend(instance->ledger, pool->name, backend);
	const struct fact *fact = facts_find(instance->facts, pool->name, backend);
	char label[BACKEND_TEXT], note[NOTE_TEXT];
	struct drain_state drain;
	struct reach reach;

	drain_state(instance, pool, backend, &drain);
	backend_reach(instance, pool, backend, &reach);
	return backend_view(&(struct backend_state){
		.pool = pool->name,
		.name = backend_label(backend, label),
		.address = backend->address,
		.configured = backend,
		.drained = drain.drained && backend->admin == ADMIN_DRAINING,
		.health = fact ? fact->state : HEALTH_UNKNOWN,
		.health_author = fact ? fact->author : NULL,
		.health_since = fact ? fact->time : 0,
		.slots = drain.slots.owned,
		.pool_slots = pool->slots,
		.tally = rates_backend(instance->rates, number),
		.since = steady_clock_wall(&instance->clock, backend->since),
		.deadline = steady_clock_wall(&instance->clock, backend->deadline),
		.based = drain.slots.based,
		.remembered = drain.open + drain.closing,
		.closing = drain.closing,
		.counted = drain.counted,
		.heard = drain.heard,
		.number = number,
		.next_hop = reach_view(instance, &reach, number),
		.note = note_text(instance, backend, fact, &drain, &reach, note),
	});
}

json_t *backends_list(struct instance *instance, const struct pool *only)
{
	json_t *list = json_array();

	for (size_t i = 0; i < instance->model->pool_count; i++) {
		const struct pool *pool = &instance->model->pools[i];

		for (size_t j = 0; (!only || pool == only) && j < pool->backend_count; j++)
			json_array_append_new(list, backend_object(instance, pool, &pool->backends[j]));
	}
	return list;
}

int view_backends(struct instance *instance, const struct request *request, json_t **ret,
		  struct refusal *refusal)
{
	const char *name = request->parameters[0];
	const struct pool *pool = name ? named_pool(instance->model, name, refusal) : NULL;

	if (name && !pool)
		return -ENOENT;
	rates_sample(instance->rates, clock_monotonic());
	*ret = json_pack("{s:o}", "backends", backends_list(instance, pool));
	return *ret ? 0 : -ENOMEM;
}

int view_backend(struct instance *instance, const struct request *request, json_t **ret,
		 struct refusal *refusal)
{
	const struct pool *pool = named_pool(instance->model, request->parameters[0], refusal);
	const struct backend *backend;

	if (!pool)
		return -ENOENT;
	backend = pool_named_backend(pool, request->parameters[1], refusal);
	if (!backend)
		return -ENOENT;
	rates_sample(instance->rates, clock_monotonic());
	*ret = backend_object(instance, pool, backend);
	return *ret ? 0 : -ENOMEM;
}

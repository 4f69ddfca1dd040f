/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>

#include "core/model/lookup.h"
#include "daemon/base/clock.h"
#include "daemon/change/drain.h"
#include "core/value/age.h"
#include "reach.h"
#include "views.h"

/* "4m, last heard 2s"; "12s: no route" */
static json_t *note_json(struct instance *instance, const struct backend *backend, const struct fact *fact,
			 const struct drain_state *drain, const struct reach *reach)
{
	char text[REACH_TEXT];
	const char *problem = reach_text(reach, text);
	bool down = fact && fact->state == HEALTH_DOWN;
	char since[AGE_TEXT] = "", heard[AGE_TEXT] = "";

	if (down)
		age_text(fact_age(instance->facts, fact), since);
	else if (backend->since && backend->admin != ADMIN_ACTIVE)
		age_text((steady_clock_now(&instance->clock) - backend->since) / 1000, since);
	if (drain->heard >= 0 && backend->admin != ADMIN_ACTIVE)
		age_text(drain->heard, heard);
	return json_sprintf("%s%s%s%s%s%s", since, heard[0] && since[0] ? ", " : "",
			    heard[0] ? "last heard " : "", heard,
			    problem && (since[0] || heard[0]) ? ": " : "", problem ? problem : "");
}

static json_t *time_json(int64_t milliseconds)
{
	return milliseconds ? json_real(milliseconds / 1000.0) : json_null();
}

static json_t *stamp_json(const struct instance *instance, int64_t stamp)
{
	return time_json(steady_clock_wall(&instance->clock, stamp));
}

/* How far it is on its way out. */
static void set_drain(json_t *json, struct instance *instance, const struct backend *backend,
		      const struct drain_state *drain)
{
	json_object_set_new(json, "since", stamp_json(instance, backend->since));
	json_object_set_new(json, "deadline", stamp_json(instance, backend->deadline));
	json_object_set_new(json, "removing", json_boolean(backend->removing));
	json_object_set_new(json, "based", json_integer(drain->slots.based));
	json_object_set_new(json, "remembered", json_integer(drain->open + drain->closing));
	json_object_set_new(json, "closing", json_integer(drain->closing));
	json_object_set_new(json, "counted",
			    drain->counted < 0 ? json_null() : json_real(drain->counted / 1000.0));
	json_object_set_new(json, "heard", drain->heard < 0 ? json_null() : json_integer(drain->heard));
}

static void set_state(json_t *json, const struct pool *pool, const struct backend *backend, bool drained)
{
	char address[ADDRESS_TEXT], label[BACKEND_TEXT];

	json_object_set_new(json, "pool", json_string(pool->name));
	json_object_set_new(json, "name", json_string(backend_label(backend, label)));
	json_object_set_new(json, "address", json_string(address_text(&backend->address, address)));
	json_object_set_new(json, "weight", json_integer(backend->weight));
	json_object_set_new(json, "zone", json_string(backend->zone));
	json_object_set_new(json, "admin", json_string(drained ? "drained" : admin_name(backend->admin)));
}

/* What is stated of it, by whom and when. */
static void set_health(json_t *json, const struct fact *fact)
{
	const char *state = health_name(fact ? fact->state : HEALTH_UNKNOWN);

	json_object_set_new(json, "health", json_string(state));
	json_object_set_new(json, "health_rule", json_string(fact ? state : "auto"));
	json_object_set_new(json, "health_author", fact ? json_string(fact->author) : json_null());
	json_object_set_new(json, "health_since", time_json(fact ? fact->time : 0));
}

json_t *backend_json(struct instance *instance, const struct pool *pool, const struct backend *backend)
{
	uint16_t number = ledger_backend(instance->ledger, pool->name, backend);
	const struct tally *tally = rates_backend(instance->rates, number);
	const struct fact *fact = facts_find(instance->facts, pool->name, backend);
	struct drain_state drain;
	json_t *json = json_object();
	struct reach reach;

	drain_state(instance, pool, backend, &drain);
	backend_reach(instance, pool, backend, &reach);
	set_state(json, pool, backend, drain.drained && backend->admin == ADMIN_DRAINING);
	set_health(json, fact);
	json_object_set_new(json, "slots", json_integer(drain.slots.owned));
	json_object_set_new(json, "share",
			    json_real(pool->slots ? (double)drain.slots.owned / pool->slots : 0));
	set_drain(json, instance, backend, &drain);
	set_tally(json, tally);
	json_object_set_new(json, "number", json_integer(number));
	json_object_set_new(json, "next_hop", next_hop_json(instance, &reach, number));
	json_object_set_new(json, "note", note_json(instance, backend, fact, &drain, &reach));
	return json;
}

json_t *backends_json(struct instance *instance, const struct pool *only)
{
	json_t *list = json_array();

	for (size_t i = 0; i < instance->model->pool_count; i++) {
		const struct pool *pool = &instance->model->pools[i];

		for (size_t j = 0; (!only || pool == only) && j < pool->backend_count; j++)
			json_array_append_new(list, backend_json(instance, pool, &pool->backends[j]));
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
	*ret = json_pack("{s:o}", "backends", backends_json(instance, pool));
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
	*ret = backend_json(instance, pool, backend);
	return *ret ? 0 : -ENOMEM;
}

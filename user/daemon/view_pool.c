/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "views.h"

static int refuse_pool(const char *name, struct refusal *refusal)
{
	refuse(refusal, -ENOENT, "there is no pool %.63s", name);
	refusal_right(refusal, "holdfast pool list shows what there is");
	return -ENOENT;
}

/* Pools ---------------------------------------------------------------------- */

static bool takes_flows(struct instance *instance, const struct pool *pool, const struct backend *backend)
{
	uint16_t number = ledger_backend(instance->ledger, pool->name, backend);
	const struct backend_image *image = number ? image_backend(instance->image, number) : NULL;

	return image && image->entry.flags & HF_BACKEND_TAKES_NEW && backend->weight;
}

size_t pool_up(struct instance *instance, const struct pool *pool)
{
	size_t up = 0;

	for (size_t i = 0; i < pool->backend_count; i++)
		up += takes_flows(instance, pool, &pool->backends[i]);
	return up;
}

static json_t *sources_json(const struct pool *pool)
{
	const struct prefix *sources[] = {&pool->source4, &pool->source6};
	json_t *list = json_array();
	char text[PREFIX_TEXT];

	for (int i = 0; i < 2; i++)
		if (sources[i]->address.family)
			json_array_append_new(list, json_string(prefix_text(sources[i], text)));
	return list;
}

static json_t *pool_services(const struct model *model, const struct pool *pool)
{
	json_t *list = json_array();
	char text[SERVICE_TEXT];

	for (size_t i = 0; i < model->service_count; i++)
		if (!strcmp(model->services[i].pool, pool->name))
			json_array_append_new(list, json_string(service_text(&model->services[i], text)));
	return list;
}

json_t *pool_json(struct instance *instance, const struct pool *pool)
{
	const struct pool_image *image = image_pool(instance->image, pool->name);
	json_t *json = json_object();
	char digest[17], seed[17];

	snprintf(digest, sizeof digest, "%016llx", image ? (unsigned long long)image->digest : 0);
	snprintf(seed, sizeof seed, "%016llx", (unsigned long long)pool->seed);
	json_object_set_new(json, "name", json_string(pool->name));
	json_object_set_new(json, "scheme", json_string(placement_scheme_name(pool->scheme)));
	json_object_set_new(json, "table_size", json_integer(pool->slots));
	json_object_set_new(json, "seed", pool->seed ? json_string(seed) : json_null());
	json_object_set_new(json, "hash", json_string(hash_name(pool->hash)));
	json_object_set_new(json, "encap", json_string(encap_name(pool->encap)));
	json_object_set_new(json, "source", sources_json(pool));
	json_object_set_new(json, "grace",
			    json_pack("{s:I, s:I}", "tcp", (json_int_t)pool->tcp_grace, "udp",
				      (json_int_t)pool->udp_grace));
	json_object_set_new(json, "services", pool_services(instance->model, pool));
	json_object_set_new(json, "backends", json_integer(pool->backend_count));
	json_object_set_new(json, "up", json_integer(pool_up(instance, pool)));
	json_object_set_new(
		json, "moving",
		json_integer(image ? shares_moving(instance->shares, instance->image, image->number) : 0));
	json_object_set_new(json, "settles_in", json_null());
	json_object_set_new(json, "digests",
			    json_pack("{s:s, s:s}", "table", digest, "history", "0000000000000000"));
	return json;
}

int view_pools(struct instance *instance, const struct request *request, json_t **ret,
	       struct refusal *refusal)
{
	json_t *list = json_array();

	(void)request;
	(void)refusal;
	for (size_t i = 0; i < instance->model->pool_count; i++)
		json_array_append_new(list, pool_json(instance, &instance->model->pools[i]));
	*ret = json_pack("{s:o}", "pools", list);
	return *ret ? 0 : -ENOMEM;
}

int view_pool(struct instance *instance, const struct request *request, json_t **ret, struct refusal *refusal)
{
	const struct pool *pool = model_pool(instance->model, request->parameters[0]);

	if (!pool)
		return refuse_pool(request->parameters[0], refusal);
	*ret = pool_json(instance, pool);
	return *ret ? 0 : -ENOMEM;
}

/* Backends ------------------------------------------------------------------- */

static json_t *mac_json(const uint8_t mac[6])
{
	char text[18];

	snprintf(text, sizeof text, "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2], mac[3], mac[4],
		 mac[5]);
	return json_string(text);
}

json_t *next_hop_json(const struct nexthop *nexthop)
{
	char gateway[ADDRESS_TEXT];

	if (!nexthop)
		return json_null();
	if (nexthop->gateway.family)
		address_text(&nexthop->gateway, gateway);
	return json_pack("{s:s?, s:o, s:s?, s:I, s:b, s:s?}", "interface",
			 nexthop->ifindex ? nexthop->interface : NULL, "mac",
			 nexthop->resolved ? mac_json(nexthop->mac) : json_null(), "gateway",
			 nexthop->gateway.family ? gateway : NULL, "mtu", (json_int_t)nexthop->mtu,
			 "resolved", nexthop->resolved, "problem", nexthop->problem);
}

const char *backend_problem(struct instance *instance, const struct backend *backend)
{
	const struct nexthop *nexthop = hops_get(instance->hops, &backend->address);

	return nexthop ? nexthop->problem : NULL;
}

static const char *rule_name(enum health_rule rule)
{
	return rule == HEALTH_FORCED_UP ? "up" : rule == HEALTH_FORCED_DOWN ? "down" : "auto";
}

static enum health_state health_of_backend(struct instance *instance, const struct pool *pool,
					   const struct backend *backend)
{
	if (backend->health == HEALTH_AUTO)
		return instance_health(instance, pool->name, backend->name);
	return backend->health == HEALTH_FORCED_UP ? HEALTH_UP : HEALTH_DOWN;
}

static void set_state(struct instance *instance, json_t *json, const struct pool *pool,
		      const struct backend *backend)
{
	char address[ADDRESS_TEXT];

	json_object_set_new(json, "pool", json_string(pool->name));
	json_object_set_new(json, "name", json_string(backend->name));
	json_object_set_new(json, "address", json_string(address_text(&backend->address, address)));
	json_object_set_new(json, "weight", json_integer(backend->weight));
	json_object_set_new(json, "zone", json_string(backend->zone));
	json_object_set_new(json, "admin", json_string(admin_name(backend->admin)));
	json_object_set_new(json, "health",
			    json_string(health_name(health_of_backend(instance, pool, backend))));
	json_object_set_new(json, "health_rule", json_string(rule_name(backend->health)));
}

json_t *backend_json(struct instance *instance, const struct pool *pool, const struct backend *backend)
{
	uint16_t number = ledger_backend(instance->ledger, pool->name, backend);
	uint32_t slots = shares_backend(instance->shares, instance->image, number);
	const struct tally *tally = rates_backend(instance->rates, number);
	const char *problem = backend_problem(instance, backend);
	json_t *json = json_object();

	set_state(instance, json, pool, backend);
	json_object_set_new(json, "slots", json_integer(slots));
	json_object_set_new(json, "share", json_real(pool->slots ? (double)slots / pool->slots : 0));
	json_object_set_new(json, "new_per_second", json_real(tally->flows));
	json_object_set_new(json, "packets_per_second", json_real(tally->packets));
	json_object_set_new(json, "bits_per_second", json_real(tally->bytes * 8));
	json_object_set_new(json, "remembered", json_integer(0));
	json_object_set_new(json, "packets", json_integer(tally->total.packets));
	json_object_set_new(json, "bytes", json_integer(tally->total.bytes));
	json_object_set_new(json, "flows", json_integer(tally->total.flows));
	json_object_set_new(json, "number", json_integer(number));
	json_object_set_new(json, "next_hop", next_hop_json(hops_get(instance->hops, &backend->address)));
	json_object_set_new(json, "note", json_string(problem ? problem : ""));
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
	const struct pool *pool = name ? model_pool(instance->model, name) : NULL;

	if (name && !pool)
		return refuse_pool(name, refusal);
	instance_sample(instance);
	*ret = json_pack("{s:o}", "backends", backends_json(instance, pool));
	return *ret ? 0 : -ENOMEM;
}

int view_backend(struct instance *instance, const struct request *request, json_t **ret,
		 struct refusal *refusal)
{
	const struct pool *pool = model_pool(instance->model, request->parameters[0]);
	const struct backend *backend;

	if (!pool)
		return refuse_pool(request->parameters[0], refusal);
	backend = pool_backend(pool, request->parameters[1]);
	if (!backend) {
		refuse(refusal, -ENOENT, "there is no backend %.63s/%.63s", pool->name,
		       request->parameters[1]);
		refusal_right(refusal, "holdfast backend list %s shows what there is", pool->name);
		return -ENOENT;
	}
	instance_sample(instance);
	*ret = backend_json(instance, pool, backend);
	return *ret ? 0 : -ENOMEM;
}

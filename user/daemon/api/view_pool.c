/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/model/lookup.h"
#include "core/model/pool_options.h"
#include "daemon/base/clock.h"
#include "core/model/service_text.h"
#include "reach.h"
#include "views.h"

/* Pools ---------------------------------------------------------------------- */

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

json_t *settles_json(const struct pool_image *image)
{
	int64_t now = clock_monotonic() / 1000;

	if (!image || !image->moving || !image->settles)
		return json_null();
	return json_integer(image->settles > now ? image->settles - now : 0);
}

/* Entries of the flow table that the moving slots may come to need; null where flows begin unseen. */
static json_t *demand_json(struct instance *instance, const struct pool *pool, const struct pool_image *image)
{
	struct tally opened = rates_pool(instance->rates, instance->model, instance->ledger, pool->name);

	if (!image || !image->moving)
		return json_integer(0);
	if (opened.unseen)
		return json_null();
	return json_integer((json_int_t)pool_image_demand(image, census_remembered(instance->census, image),
							  opened.flows, clock_monotonic() / 1000));
}

json_t *pool_json(struct instance *instance, const struct pool *pool)
{
	const struct pool_image *image = image_pool(instance->image, pool->name);
	json_t *json = json_object();
	char table[17], history[17], seed[17];

	snprintf(table, sizeof table, "%016llx", image ? (unsigned long long)image->digest : 0);
	snprintf(history, sizeof history, "%016llx", image ? (unsigned long long)image->history_digest : 0);
	snprintf(seed, sizeof seed, "%016llx", (unsigned long long)pool->seed);
	json_object_set_new(json, "name", json_string(pool->name));
	json_object_set_new(json, "scheme", json_string(placement_scheme_name(pool->scheme)));
	json_object_set_new(json, "options", pool_options_to_json(pool));
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
	json_object_set_new(json, "moving", json_integer(image ? image->moving : 0));
	json_object_set_new(json, "settles_in", settles_json(image));
	json_object_set_new(json, "remembered", json_integer(census_remembered(instance->census, image)));
	json_object_set_new(json, "demand", demand_json(instance, pool, image));
	json_object_set_new(json, "digests", json_pack("{s:s, s:s}", "table", table, "history", history));
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
	const struct pool *pool = named_pool(instance->model, request->parameters[0], refusal);

	if (!pool)
		return -ENOENT;
	*ret = pool_json(instance, pool);
	return *ret ? 0 : -ENOMEM;
}

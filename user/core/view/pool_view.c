/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "core/model/pool_options.h"
#include "view.h"

static json_t *sources_view(const struct pool *pool)
{
	const struct prefix *sources[] = {&pool->source4, &pool->source6};
	json_t *list = json_array();
	char text[PREFIX_TEXT];

	for (int i = 0; i < 2; i++)
		if (sources[i]->address.family)
			json_array_append_new(list, json_string(prefix_text(sources[i], text)));
	return list;
}

static json_t *services_named(const struct model *model, const struct pool *pool)
{
	json_t *list = json_array();
	char text[LISTEN_TEXT];

	for (size_t i = 0; i < model->service_count; i++)
		if (!strcmp(model->services[i].pool, pool->name))
			json_array_append_new(list,
					      json_string(listen_text(&model->services[i].listen, text)));
	return list;
}

/* Seconds until the last moving slot is ripe to settle; -1: none moves, or that is not known. */
static int64_t pool_settles(const struct pool_image *image, uint32_t now)
{
	if (!image || !image->moving || !image->settles)
		return -1;
	return image->settles > now ? image->settles - now : 0;
}

/* Entries of the flow table that the moving slots may come to need; null where flows begin unseen. */
static json_t *demand_view(const struct pool_state *state)
{
	if (!state->image || !state->image->moving)
		return json_integer(0);
	if (state->opened.unseen)
		return json_null();
	return json_integer((json_int_t)pool_image_demand(state->image, state->remembered,
							  state->opened.flows, state->now));
}

static json_t *digests_view(const struct pool_image *image)
{
	return json_pack("{s:o, s:o}", "table",
			 json_sprintf("%016llx", image ? (unsigned long long)image->digest : 0), "history",
			 json_sprintf("%016llx", image ? (unsigned long long)image->history_digest : 0));
}

json_t *pool_view(const struct pool_state *state)
{
	const struct pool_image *image = state->image;
	const struct pool *pool = state->pool;

	return json_pack(
		"{s:s, s:s, s:o, s:I, s:o, s:s, s:s, s:o, s:{s:I, s:I}, s:o, s:I, s:I, s:I, s:o, s:I, "
		"s:o, s:o}",
		"name", pool->name, "scheme", placement_scheme_name(pool->scheme), "options",
		pool_options_to_json(pool), "table_size", (json_int_t)pool->slots, "seed",
		pool->seed ? json_sprintf("%016llx", (unsigned long long)pool->seed) : json_null(), "hash",
		hash_name(pool->hash), "encap", encap_name(pool->encap), "source", sources_view(pool),
		"grace", "tcp", (json_int_t)pool->tcp_grace, "udp", (json_int_t)pool->udp_grace, "services",
		services_named(state->model, pool), "backends", (json_int_t)pool->backend_count, "up",
		(json_int_t)state->up, "moving", (json_int_t)(image ? image->moving : 0), "settles_in",
		known_integer(pool_settles(image, state->now)), "remembered", (json_int_t)state->remembered,
		"demand", demand_view(state), "digests", digests_view(image));
}

json_t *pool_line_view(const char *name, const char *scheme, uint32_t slots, const struct pool_image *image,
		       uint32_t now)
{
	bool known = !image || image->name[0]; /* one that was read from the maps has no digests */
	char table[9], history[9];

	snprintf(table, sizeof table, "%08x", image ? (unsigned int)(image->digest >> 32) : 0);
	snprintf(history, sizeof history, "%08x", image ? (unsigned int)(image->history_digest >> 32) : 0);
	return json_pack("{s:s, s:s?, s:I, s:I, s:o, s:s?, s:s?}", "name", name, "scheme", scheme, "slots",
			 (json_int_t)slots, "moving", (json_int_t)(image ? image->moving : 0), "settles_in",
			 known_integer(pool_settles(image, now)), "table", known ? table : NULL, "history",
			 known ? history : NULL);
}

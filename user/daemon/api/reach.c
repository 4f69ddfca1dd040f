/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The data plane decides: a backend can be reached if its entry has a next hop now, whatever the kernel says
 * of the route. The kernel's words are shown as the cause.
 */
#include "reach.h"

#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include "daemon/change/drain.h"
#include "core/value/age.h"

void backend_reach(struct instance *instance, const struct pool *pool, const struct backend *backend,
		   struct reach *ret)
{
	next_hops_reach(instance->next_hops, &backend->address,
			ledger_backend(instance->ledger, pool->name, backend), ret);
}

/* Names the cause; equal causes are one address. */
static const char *reach_cause(const struct reach *reach)
{
	if (!reach->nexthop)
		return "its next hop is not looked up yet";
	if (reach->nexthop->problem)
		return reach->nexthop->problem;
	return reach->ifindex ? NULL : "the data plane has no entry for its interface";
}

const char *reach_text(const struct reach *reach, char text[REACH_TEXT])
{
	const char *cause = reach_cause(reach);
	char since[AGE_TEXT];

	if (reach->held < 0 || !cause)
		return cause;
	snprintf(text, REACH_TEXT, "held: lost %s ago (%s)", age_text(reach->held / 1000, since), cause);
	return text;
}

static json_t *mac_json(const uint8_t mac[6])
{
	char text[18];

	snprintf(text, sizeof text, "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2], mac[3], mac[4],
		 mac[5]);
	return json_string(text);
}

/* The next hop that packets still use, although the kernel has lost it. */
static json_t *held_json(struct instance *instance, const struct reach *reach, uint16_t number)
{
	char interface[IF_NAMESIZE];
	struct hf_backend entry = {0};

	dataplane_backend(instance->dataplane, number, &entry);
	return json_pack("{s:s?, s:o, s:n, s:I, s:b, s:s?, s:f}", "interface",
			 if_indextoname(reach->ifindex, interface), "mac", mac_json(reach->mac), "gateway",
			 "mtu", (json_int_t)entry.mtu, "resolved", 0, "problem", reach_cause(reach), "held",
			 reach->held / 1000.0);
}

json_t *next_hop_json(struct instance *instance, const struct reach *reach, uint16_t number)
{
	const struct nexthop *nexthop = reach ? reach->nexthop : NULL;
	char gateway[ADDRESS_TEXT];

	if (!nexthop)
		return json_null();
	if (reach->held >= 0)
		return held_json(instance, reach, number);
	if (nexthop->gateway.family)
		address_text(&nexthop->gateway, gateway);
	return json_pack("{s:s?, s:o, s:s?, s:I, s:b, s:s?, s:n}", "interface",
			 nexthop->ifindex ? nexthop->interface : NULL, "mac",
			 nexthop->resolved ? mac_json(nexthop->mac) : json_null(), "gateway",
			 nexthop->gateway.family ? gateway : NULL, "mtu", (json_int_t)nexthop->mtu,
			 "resolved", nexthop->resolved && reach->ifindex, "problem", reach_cause(reach),
			 "held");
}

/* Pools ---------------------------------------------------------------------- */

static bool has_next_hop(const struct instance *instance, uint16_t number)
{
	uint8_t mac[6];

	return dataplane_next_hop(instance->dataplane, number, mac);
}

void pool_count(const struct instance *instance, const struct pool *pool, size_t *ret_takers, size_t *ret_up)
{
	*ret_takers = *ret_up = 0;
	for (size_t i = 0; i < pool->backend_count; i++) {
		uint16_t number = ledger_backend(instance->ledger, pool->name, &pool->backends[i]);
		const struct backend_image *image = number ? image_backend(instance->image, number) : NULL;

		if (!image || !(image->entry.flags & HF_BACKEND_TAKES_NEW) || !pool->backends[i].weight)
			continue;
		++*ret_takers;
		*ret_up += has_next_hop(instance, number);
	}
}

size_t pool_up(const struct instance *instance, const struct pool *pool)
{
	size_t takers, up;

	pool_count(instance, pool, &takers, &up);
	return up;
}

bool backend_drops(struct instance *instance, const struct pool *pool, const struct backend *backend)
{
	struct drain_state state;

	if (has_next_hop(instance, ledger_backend(instance->ledger, pool->name, backend)) ||
	    !pool_is_served(instance->model, pool->name))
		return false;
	drain_state(instance, pool, backend, &state);
	return state.slots.owned || state.slots.based || state.open;
}

/* The backends whose packets are dropped for one cause, the first few of them by name. */
struct drops {
	const char *cause;
	size_t count;
	char names[512];
};

enum { CAUSES = 8, NAMED = 5 };

static void note_drop(struct drops drops[CAUSES], const struct pool *pool, const struct backend *backend,
		      const char *cause)
{
	struct drops *same = drops;
	char label[BACKEND_TEXT];
	size_t length;

	while (same < &drops[CAUSES - 1] && same->cause && strcmp(same->cause, cause) != 0)
		same++;
	if (!same->cause)
		same->cause = cause;
	if (same->count++ >= NAMED)
		return;
	length = strlen(same->names);
	snprintf(same->names + length, sizeof same->names - length, "%s%s/%s", length ? ", " : "", pool->name,
		 backend_label(backend, label));
}

static void append_pool_drops(struct instance *instance, const struct pool *pool, json_t *list)
{
	struct drops drops[CAUSES] = {0};
	struct reach reach;

	for (size_t i = 0; i < pool->backend_count; i++) {
		if (!backend_drops(instance, pool, &pool->backends[i]))
			continue;
		backend_reach(instance, pool, &pool->backends[i], &reach);
		note_drop(drops, pool, &pool->backends[i], reach_cause(&reach));
	}
	for (size_t i = 0; i < CAUSES && drops[i].count; i++) {
		char more[32] = "";

		if (drops[i].count > NAMED)
			snprintf(more, sizeof more, " and %zu more", drops[i].count - NAMED);
		json_array_append_new(list, json_sprintf("packets to %s%s are dropped: %s", drops[i].names,
							 more, drops[i].cause));
	}
}

void append_drops(struct instance *instance, json_t *list)
{
	for (size_t i = 0; i < instance->model->pool_count; i++)
		append_pool_drops(instance, &instance->model->pools[i], list);
}

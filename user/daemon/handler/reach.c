/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The data plane decides: a backend can be reached if its entry has a next hop now, whatever the kernel says
 * of the route. The kernel's words are shown as the cause.
 */
#include "reach.h"

#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include "core/view/view.h"
#include "daemon/change/drain.h"
#include "core/value/duration.h"

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

json_t *reach_view(struct instance *instance, const struct reach *reach, uint16_t number)
{
	const struct nexthop *nexthop = reach->nexthop;
	bool held = reach->held >= 0;
	char interface[IF_NAMESIZE];
	struct hf_backend entry = {0};

	if (!nexthop)
		return json_null();
	if (held)
		dataplane_backend(instance->dataplane, number, &entry);
	return next_hop_view(&(struct next_hop_state){
		.interface = held               ? if_indextoname(reach->ifindex, interface)
			     : nexthop->ifindex ? nexthop->interface
						: NULL,
		.mac = held ? reach->mac : nexthop->resolved ? nexthop->mac : NULL,
		.gateway = !held && nexthop->gateway.family ? &nexthop->gateway : NULL,
		.mtu = held ? entry.mtu : nexthop->mtu,
		.resolved = !held && nexthop->resolved && reach->ifindex,
		.problem = reach_cause(reach),
		.held = reach->held,
	});
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

/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "view.h"

static json_t *time_view(int64_t milliseconds)
{
	return milliseconds ? json_real(milliseconds / 1000.0) : json_null();
}

json_t *next_hop_view(const struct next_hop_state *hop)
{
	char gateway[ADDRESS_TEXT], mac[18];

	if (!hop)
		return json_null();
	if (hop->gateway)
		address_text(hop->gateway, gateway);
	if (hop->mac)
		snprintf(mac, sizeof mac, "%02x:%02x:%02x:%02x:%02x:%02x", hop->mac[0], hop->mac[1],
			 hop->mac[2], hop->mac[3], hop->mac[4], hop->mac[5]);
	return json_pack("{s:s?, s:s?, s:s?, s:o, s:b, s:s?, s:o}", "interface", hop->interface, "mac",
			 hop->mac ? mac : NULL, "gateway", hop->gateway ? gateway : NULL, "mtu",
			 known_integer(hop->mtu), "resolved", hop->resolved, "problem", hop->problem, "held",
			 known_real(hop->held / 1000.0));
}

/* What it is, and what is stated of it, by whom and when. */
static json_t *backend_head(const struct backend_state *state)
{
	const struct backend *backend = state->configured;
	const char *health = health_name(state->health), *admin = backend ? admin_name(backend->admin) : NULL;
	char address[ADDRESS_TEXT];

	return json_pack("{s:s, s:s, s:s, s:o, s:s?, s:s?, s:s, s:s, s:s?, s:o}", "pool", state->pool, "name",
			 state->name, "address", address_text(&state->address, address), "weight",
			 known_integer(backend ? (int64_t)backend->weight : -1), "zone",
			 backend ? backend->zone : NULL, "admin", state->drained ? "drained" : admin,
			 "health", health, "health_rule", state->health_author ? health : "auto",
			 "health_author", state->health_author, "health_since",
			 time_view(state->health_since));
}

/* How far it is on its way out. */
static void drain_add(json_t *view, const struct backend_state *backend)
{
	json_object_set_new(view, "since", time_view(backend->since));
	json_object_set_new(view, "deadline", time_view(backend->deadline));
	json_object_set_new(view, "removing",
			    backend->configured ? json_boolean(backend->configured->removing) : json_null());
	json_object_set_new(view, "based", known_integer(backend->based));
	json_object_set_new(view, "remembered", known_integer(backend->remembered));
	json_object_set_new(view, "closing", known_integer(backend->closing));
	json_object_set_new(view, "counted", known_real(backend->counted / 1000.0));
	json_object_set_new(view, "heard", known_integer(backend->heard));
}

json_t *backend_view(const struct backend_state *backend)
{
	uint32_t all = backend->pool_slots;
	json_t *view = backend_head(backend);

	json_object_set_new(view, "slots", json_integer(backend->slots));
	json_object_set_new(view, "share", json_real(all ? (double)backend->slots / all : 0));
	drain_add(view, backend);
	tally_add(view, backend->tally);
	json_object_set_new(view, "number", json_integer(backend->number));
	json_object_set_new(view, "next_hop", backend->next_hop ? backend->next_hop : json_null());
	json_object_set_new(view, "note", json_string(backend->note));
	return view;
}

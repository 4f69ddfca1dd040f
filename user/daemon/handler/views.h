/* SPDX-License-Identifier: Apache-2.0 */
/* Handlers of requests that only look: the running instance as the JSON of docs/api.md. */
#pragma once

#include "core/view/view.h"
#include "handler.h"

/* Those that nothing in a request can make fail: the answer, a new reference; NULL: no memory. */
json_t *view_version(struct instance *instance);
json_t *view_status(struct instance *instance);
json_t *view_interfaces(struct instance *instance);
json_t *view_pools(struct instance *instance);
json_t *view_services(struct instance *instance);
json_t *view_counters(struct instance *instance);
json_t *view_operations(struct instance *instance);

#define VIEW(name)                                                                       \
	int name(struct instance *instance, const struct request *request, json_t **ret, \
		 struct refusal *refusal)

VIEW(view_pool);
VIEW(view_slots);
VIEW(view_service);
VIEW(view_backends);
VIEW(view_backend);
VIEW(view_why);
VIEW(view_generations);
VIEW(view_generation);
VIEW(view_difference);
VIEW(view_export);
VIEW(view_events);

/* Parts that several views share. New references. */
json_t *interfaces_list(struct instance *instance);
json_t *services_list(const struct instance *instance);
json_t *backends_list(struct instance *instance, const struct pool *only); /* NULL: of all pools */
json_t *generation_object(const struct generation *generation);
/* Fills *ret, which borrows what the instance has. */
void service_fill(const struct instance *instance, const struct service *service, struct service_state *ret);
/* What keeps packets from coming in there, or NULL. */
const char *interface_problem(struct instance *instance, const struct interface *interface,
			      char text[CARRIER_TEXT]);

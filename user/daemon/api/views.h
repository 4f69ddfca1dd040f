/* SPDX-License-Identifier: Apache-2.0 */
/* Handlers of requests that only look: the running instance as the JSON of docs/api.md. */
#ifndef HOLDFAST_VIEWS_H
#define HOLDFAST_VIEWS_H

#include "handler.h"

#define VIEW(name)                                                                       \
	int name(struct instance *instance, const struct request *request, json_t **ret, \
		 struct refusal *refusal)

VIEW(view_version);
VIEW(view_status);
VIEW(view_interfaces);
VIEW(view_pools);
VIEW(view_pool);
VIEW(view_slots);
VIEW(view_services);
VIEW(view_service);
VIEW(view_backends);
VIEW(view_backend);
VIEW(view_counters);
VIEW(view_why);
VIEW(view_generations);
VIEW(view_generation);
VIEW(view_difference);
VIEW(view_export);
VIEW(view_events);
VIEW(view_operations);

/* Parts that several views share. New references. */
json_t *interfaces_json(struct instance *instance);
json_t *pool_json(struct instance *instance, const struct pool *pool);
json_t *service_json(struct instance *instance, const struct service *service);
json_t *services_json(struct instance *instance);
json_t *backend_json(struct instance *instance, const struct pool *pool, const struct backend *backend);
json_t *backends_json(struct instance *instance, const struct pool *only); /* NULL: of all pools */
json_t *generation_json(const struct generation *generation);
/* Seconds until the last moving slot is ripe to settle, or null. */
json_t *settles_json(const struct pool_image *image);
/* What is counted of a service or backend, and how fast it grows: adds the members to its object. */
void set_tally(json_t *json, const struct tally *tally);

#endif

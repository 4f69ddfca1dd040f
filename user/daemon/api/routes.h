/* SPDX-License-Identifier: Apache-2.0 */
/* The API's paths, and who handles them. */
#pragma once

#include "daemon/handler/handler.h"

enum access {
	ACCESS_READ,   /* whoever may open the socket */
	ACCESS_CHANGE, /* root */
};

struct route {
	const char *method;
	const char *path; /* "/v1/backends/{pool}/{name}" */
	enum access access;
	request_handler handler;
	json_t *(*view)(struct instance *instance); /* instead of handler, where the path says it all */
};

extern const struct route routes[]; /* ends with method == NULL */

/*
 * The route of method and path; fills request->path and parameters. NULL: none, and *ret_other_method tells
 * whether the path is known for another method.
 */
const struct route *route_find(const char *method, const char *path, struct request *request,
			       bool *ret_other_method);

/* As request_handler. */
int route_answer(const struct route *route, struct instance *instance, const struct request *request,
		 json_t **ret, struct refusal *refusal);

/* SPDX-License-Identifier: Apache-2.0 */
/* A request as handlers see it: method and path are matched, the body is read and parsed. */
#ifndef HOLDFAST_REQUEST_H
#define HOLDFAST_REQUEST_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "daemon/instance.h"

enum { PATH_PARAMETERS = 3, PATH_ROOM = 512 };

struct MHD_Connection;

struct request {
	struct MHD_Connection *connection;
	char path[PATH_ROOM];                    /* cut into the texts that parameters names */
	const char *parameters[PATH_PARAMETERS]; /* what stood in the route's braces */
	json_t *body;                            /* NULL: there was none */
	char author[64];                         /* the peer's user, "root" */
};

/* A query argument, or NULL. */
const char *request_query(const struct request *request, const char *name);

/* 0 with the answer in *ret (new reference), or a negative errno with *refusal filled: response_status(). */
typedef int (*request_handler)(struct instance *instance, const struct request *request, json_t **ret,
			       struct refusal *refusal);

enum access {
	ACCESS_READ,   /* whoever may open the socket */
	ACCESS_CHANGE, /* root */
};

struct route {
	const char *method;
	const char *path; /* "/v1/backends/{pool}/{name}" */
	enum access access;
	request_handler handler;
};

extern const struct route routes[]; /* ends with method == NULL */

/*
 * The route of method and path; fills request->path and parameters. NULL: none, and *ret_other_method tells
 * whether the path is known for another method.
 */
const struct route *route_find(const char *method, const char *path, struct request *request,
			       bool *ret_other_method);

#endif

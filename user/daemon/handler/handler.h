/* SPDX-License-Identifier: Apache-2.0 */
/* A request as handlers see it: method and path are matched, the body is read and parsed. */
#pragma once

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
/* One that is 0 or 1; false where it is missing. */
int request_flag(const struct request *request, const char *name, bool *ret, struct refusal *refusal);
/* A whole number from 0 to most; *ret stays what it is where the argument is missing. */
int request_count(const struct request *request, const char *name, int64_t most, int64_t *ret,
		  struct refusal *refusal);

/* 0 with the answer in *ret (new reference), or a negative errno with *refusal filled. */
typedef int (*request_handler)(struct instance *instance, const struct request *request, json_t **ret,
			       struct refusal *refusal);

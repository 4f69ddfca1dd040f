/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The instance without its daemon: what is loaded, read from the pins, and the names behind its numbers, read
 * from the daemon's database where there is one. Views are the API's objects, so that they print alike; what
 * only the daemon knows is null.
 */
#ifndef HOLDFAST_CLI_OFFLINE_H
#define HOLDFAST_CLI_OFFLINE_H

#include <jansson.h>

#include "core/ledger/ledger.h"
#include "kern/maps/dataplane.h"
#include "cli/frame/call.h"

struct offline {
	const struct call *call;
	struct dataplane *dataplane;
	struct image *loaded;   /* what the maps hold */
	json_t *generation;     /* as the API has it; NULL: no database */
	struct model *model;    /* empty where there is no database */
	struct ledger *ledger;  /* empty where there is no database */
	struct refusal unknown; /* why the database does not know what the pins serve; empty: it does */
};

/* Complains where it fails; a missing database is only warned of. */
enum exit_status offline_open(const struct call *call, struct offline *ret);
void offline_close(struct offline *offline);

/* The names behind numbers; "#3" where nobody knows. Return text. */
enum { LABEL_TEXT = 2 * NAME_SIZE + ENDPOINT_TEXT };
const char *offline_pool_name(const struct offline *offline, uint32_t pool, char text[LABEL_TEXT]);
const char *offline_service_name(const struct offline *offline, const struct hf_service *service,
				 char text[LABEL_TEXT]);
/* Pool, and what the backend is called. */
void offline_backend_names(const struct offline *offline, uint16_t number, const char **ret_pool,
			   const char **ret_name, char text[LABEL_TEXT]);

/* New references. */
json_t *offline_status(const struct offline *offline);
json_t *offline_backends(const struct offline *offline, const char *pool); /* pool NULL: of all */
json_t *offline_counters(const struct offline *offline);
json_t *offline_interfaces(const struct offline *offline);
json_t *offline_next_hop(const struct hf_backend *entry);

/* offline_why.c: the call's flow, asked of the loaded program. New reference; complains where it fails. */
enum exit_status offline_why(const struct offline *offline, json_t **ret);

/* stored.c: the database's last generation, its model and ledger. 0 or negative errno with *refusal filled.
 */
int stored_read(const char *path, json_t **ret_generation, struct model **ret_model,
		struct ledger **ret_ledger, struct refusal *refusal);

#endif

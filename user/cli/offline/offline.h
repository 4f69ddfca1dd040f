/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The instance without its daemon: what is loaded, read from the pins, and the names behind its numbers, read
 * from the daemon's database where there is one. Views are the API's objects (core/view), so that they print
 * alike; what only the daemon knows is null.
 */
#pragma once

#include "cli/frame/call.h"
#include "core/view/number_name.h"
#include "kern/maps/dataplane.h"
#include "stored.h"

struct offline {
	const struct call *call;
	struct dataplane *dataplane;
	struct image *loaded;   /* what the maps hold */
	struct stored stored;   /* model and ledger are empty where there is no database, and the rest NULL */
	struct names names;     /* of stored */
	struct refusal unknown; /* why the database does not know what the pins serve; empty: it does */
};

/* Complains where it fails; a missing database is only warned of. */
enum exit_status offline_open(const struct call *call, struct offline *ret);
void offline_close(struct offline *offline);

/* New references. */
json_t *offline_status(const struct offline *offline);
json_t *offline_backends(const struct offline *offline, const char *pool); /* pool NULL: of all */
json_t *offline_counters(const struct offline *offline);
json_t *offline_interfaces(const struct offline *offline);
/* Where packets to a backend go. */
json_t *offline_next_hop(const struct offline *offline, uint16_t number, const struct hf_backend *entry);

/* offline_why.c: the call's flow, asked of the loaded program. New reference; complains where it fails. */
enum exit_status offline_why(const struct offline *offline, json_t **ret);

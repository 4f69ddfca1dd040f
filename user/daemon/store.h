/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The store: generations of the desired state, the ledger of numbers, settings and events, in one SQLite
 * database (write-ahead log, every commit synced). What it holds after a crash is the last generation whose
 * commit returned.
 */
#ifndef HOLDFAST_STORE_H
#define HOLDFAST_STORE_H

#include <jansson.h>
#include <stdint.h>

#include "../core/refusal.h"

struct store;

struct generation {
	uint32_t number; /* 1.. */
	int64_t time;    /* Unix milliseconds */
	char author[64];
	char cause[192];
};

/* Opens or makes the database. -EINVAL for one that is damaged or of a later version; -EIO and the like. */
int store_open(const char *path, struct store **ret, struct refusal *refusal);
void store_close(struct store *store);

/* The last generation, its model and ledger as JSON (new references). -ENOENT: there is none yet. */
int store_latest(struct store *store, struct generation *ret, json_t **ret_model, json_t **ret_ledger,
		 struct refusal *refusal);
/* Commits a generation, its model as JSON text, and the ledger beside it (NULL: it is as it was): all of it
 * or nothing. */
int store_commit(struct store *store, const struct generation *generation, const char *model,
		 const json_t *ledger, struct refusal *refusal);
/* Takes the last generation back, because the data plane refused it, and puts the ledger before it in place.
 */
int store_withdraw(struct store *store, uint32_t number, const json_t *ledger, struct refusal *refusal);
/* One generation and its model (new reference; ret_model may be NULL). -ENOENT. */
int store_generation(struct store *store, uint32_t number, struct generation *ret, json_t **ret_model,
		     struct refusal *refusal);
/* Visits all, newest first, until visit returns non-zero. */
int store_generations(struct store *store, int (*visit)(const struct generation *, void *), void *context);
/* Forgets generations that are both beyond the newest `count` and older than `before` (Unix milliseconds). */
int store_prune(struct store *store, uint32_t count, int64_t before);

/* A setting's text, to be freed; NULL: not set. */
char *store_setting(struct store *store, const char *key);
int store_setting_set(struct store *store, const char *key, const char *value, struct refusal *refusal);

/* What happened, for `events`, in one commit: [{time (Unix milliseconds), kind, subject, text}]. The oldest
 * beyond 10,000 are forgotten. */
int store_append_events(struct store *store, const json_t *events);
/* [{id, time, kind, subject, text}], oldest first: the last `limit` of those after id `after`. New reference.
 */
json_t *store_events(struct store *store, int64_t after, int limit);

#endif

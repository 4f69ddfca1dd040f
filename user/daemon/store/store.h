/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The store: generations of the desired state, the ledger of numbers, facts, settings and events, in one
 * SQLite database (write-ahead log, every commit synced). What it holds after a crash is the last generation
 * whose commit returned.
 */
#pragma once

#include <jansson.h>
#include <stdint.h>

#include "core/model/model.h"
#include "core/value/refusal.h"
#include "core/value/steady.h"

struct store;

struct generation {
	uint32_t number; /* 1.. */
	int64_t time;    /* Unix milliseconds */
	char author[64];
	char cause[192];
};

/* What was stated of a backend's health (facts.h). */
struct fact {
	char pool[NAME_SIZE], name[NAME_SIZE];
	struct address address;
	enum health_state state; /* HEALTH_UP or HEALTH_DOWN; HEALTH_UNKNOWN: nothing is stated */
	char author[64];
	int64_t time;       /* Unix milliseconds */
	char boot[BOOT_ID]; /* the boot in which it was stated; "": not known, and long ago */
	int64_t monotonic;  /* milliseconds of that boot's CLOCK_MONOTONIC */
	uint32_t gone;      /* the generation that its backend is not in any more; 0: it is there */
};

/*
 * How much is kept: `count` generations, and all that are not older than `age` (milliseconds before the
 * newest), but at most 1,000 (or `count`, if that is more), and no more than fit into a database of `bytes`.
 * Where less than an eighth of the disk is free (16 MiB, if that is less), the database does not grow for
 * them. The newest ten are always kept; three, where a full disk leaves no other choice.
 */
struct store_limits {
	uint32_t count;
	int64_t age;
	uint64_t bytes;
};

/* Opens or makes the database, and brings it under its limits. -EINVAL for one that is damaged or of a later
 * version; -EIO and the like. */
int store_open(const char *path, const struct store_limits *limits, struct store **ret,
	       struct refusal *refusal);
void store_close(struct store *store);
/* Whether a lock of another process is waited for, two seconds at the most (as after store_open()), or what
 * needs it is refused at once with -ENOLCK: on an event loop. */
void store_wait(struct store *store, bool waits);

/*
 * Whether the database's file is still there: not removed, not replaced. Every commit looks for itself; this
 * is for those who want to know before they do anything else. 0, or -EIO with *refusal filled.
 */
int store_check(struct store *store, struct refusal *refusal);
/* Once a second: finds out what keeps the store from being written, and whether it still does. Returns what
 * store_problem() will. */
const struct refusal *store_watch(struct store *store);
/* Why nothing can be written; its `what` is empty where it can. */
const struct refusal *store_problem(struct store *store);
/* Writes a database that was removed anew, all of it. 1: done; 0: it is there; -EIO and the like, with
 * *refusal filled: it cannot be written, or another one has its name. */
int store_write_anew(struct store *store, struct refusal *refusal);

/* The last generation, its model and ledger as JSON (new references). -ENOENT: there is none yet. */
int store_latest(struct store *store, struct generation *ret, json_t **ret_model, json_t **ret_ledger,
		 struct refusal *refusal);
/* Takes the lock that a change needs, before the change has had any effect: -ENOLCK with *refusal naming the
 * process that has it. The next write commits and gives it up. */
int store_hold(struct store *store, struct refusal *refusal);
/* Gives up a lock that is still held. */
void store_release(struct store *store);

/* What a change writes: all of it or nothing. NULL: that is as it was. */
struct stored_change {
	const struct generation *generation;
	const char *model;       /* with the generation: compact JSON text */
	const json_t *ledger;    /* beside it */
	const struct fact *fact; /* HEALTH_UNKNOWN forgets it */
};

/* Commits it. Where the disk is full, old generations are forgotten first. */
int store_commit(struct store *store, const struct stored_change *change, struct refusal *refusal);
/*
 * Takes the last commit back, because the data plane refused it: its generation is deleted, and the ledger
 * and the fact, as they were before, are put in place. Where this cannot be written now, the refusal says so,
 * and it becomes part of what is written next; until then only the database knows the generation.
 */
int store_withdraw(struct store *store, const struct stored_change *change, struct refusal *refusal);
/* One generation and its model (new reference; ret_model may be NULL). -ENOENT. */
int store_generation(struct store *store, uint32_t number, struct generation *ret, json_t **ret_model,
		     struct refusal *refusal);
/* Visits all, newest first, until visit returns non-zero, which is returned. */
int store_generations(struct store *store, int (*visit)(const struct generation *, void *), void *context,
		      struct refusal *refusal);
/* Forgets what is beyond the limits. */
int store_prune(struct store *store);

/* Writes facts, all of them or none; HEALTH_UNKNOWN forgets. */
int store_facts_set(struct store *store, const struct fact *facts, size_t count, struct refusal *refusal);
/* Visits all, until visit returns non-zero, which is returned. */
int store_facts(struct store *store, int (*visit)(const struct fact *, void *), void *context,
		struct refusal *refusal);
/* The number of the oldest generation that is kept; 0: there is none. */
uint32_t store_oldest(struct store *store);

/* A setting's text, to be freed; NULL: not set. */
char *store_setting(struct store *store, const char *key);
int store_setting_set(struct store *store, const char *key, const char *value, struct refusal *refusal);

/* What happened, for `events`, in one commit: [{time (Unix milliseconds), kind, subject, text}]. Of each kind
 * the oldest beyond 2,000 are forgotten, and of changes those beyond 10,000. */
int store_append_events(struct store *store, const json_t *events);
/* [{id, time, kind, subject, text}], oldest first: the last `limit` of those after id `after`. New reference.
 */
json_t *store_events(struct store *store, int64_t after, int limit);

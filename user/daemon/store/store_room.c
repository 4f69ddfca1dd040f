/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The database's size. It has a bound, and a full disk is met so: the file is as long as all that is
 * committed before it is committed, so that the log can always be copied into it. The log keeps its place on
 * the disk when it begins anew, and each transaction begins at its start. So there is always place to forget
 * what is old, and its pages are for what is new.
 */
#include <stdio.h>
#include <sys/statvfs.h>

#include "store_private.h"

enum {
	ALWAYS_KEPT = 10,          /* generations */
	KEPT_WHEN_FULL = 3,        /* ... where it is they or a change */
	MOST = 1000,               /* generations, unless more are asked for */
	PAGES_BESIDE = 16,         /* that a generation takes beside its own */
	EVENTS_LEFT = 200,         /* of each kind, where the disk is full */
	WORTH_A_SHRINK = 1 << 20,  /* bytes */
	KEPT_FREE_MOST = 16 << 20, /* bytes of the disk, or where it is a small one: */
	KEPT_FREE_SHARE = 8,
};

static int64_t pages_of(const struct store *store, size_t bytes)
{
	return (int64_t)bytes + PAGES_BESIDE * store_page_size(store);
}

/* Forgetting ------------------------------------------------------------------------ */

static int64_t newest(const struct store *store)
{
	return statement_number(store, "SELECT max(number) FROM generations");
}

static int forget_until(struct store *store, int64_t number, struct refusal *refusal)
{
	STATEMENT statement = statement_begin(store, "DELETE FROM generations WHERE number <= ?");

	sqlite3_bind_int64(statement, 1, number);
	return statement_run(store, statement, "forget old generations", refusal);
}

/* 1: the oldest is forgotten; 0: none may be. */
static int forget_generations(struct store *store, int kept, struct refusal *refusal)
{
	int64_t oldest = store_oldest(store);
	int error;

	if (!oldest || oldest + kept > newest(store))
		return 0;
	error = forget_until(store, oldest, refusal);
	return error ? error : 1;
}

/* History leaves others some of a small disk. */
static bool is_disk_low(const struct store *store)
{
	struct statvfs disk;
	uint64_t kept_free;

	if (statvfs(store->path, &disk))
		return false;
	kept_free = (uint64_t)disk.f_blocks * disk.f_frsize / KEPT_FREE_SHARE;
	if (kept_free > KEPT_FREE_MOST)
		kept_free = KEPT_FREE_MOST;
	return (uint64_t)disk.f_bavail * disk.f_frsize < kept_free;
}

static bool store_fits(const struct store *store, int64_t place, bool disk_is_low)
{
	int64_t empty = store_free_bytes(store);

	if (disk_is_low && empty < place)
		return false;
	return store_all_bytes(store) - empty + place <= (int64_t)store->limits.bytes;
}

int store_trim(struct store *store, size_t needed, struct refusal *refusal)
{
	uint32_t most = store->limits.count > MOST ? store->limits.count : MOST;
	bool disk_is_low = needed && is_disk_low(store);
	int64_t place = pages_of(store, needed);
	int comes = needed > 0; /* one more generation */
	int done = forget_until(store, newest(store) - most + comes, refusal);

	if (done)
		return done;
	do
		done = store_fits(store, place, disk_is_low)
			       ? 0
			       : forget_generations(store, ALWAYS_KEPT - comes, refusal);
	while (done > 0);
	return done;
}

/* Those that are beyond the count and too old. Their age is measured against the newest: the host's clock may
 * have been stepped. */
static int forget_aged(struct store *store)
{
	STATEMENT statement = statement_begin(
		store, "DELETE FROM generations WHERE number <= (SELECT max(number) FROM generations) - ?"
		       " AND time < (SELECT time FROM generations ORDER BY number DESC LIMIT 1) - ?");

	sqlite3_bind_int64(statement, 1, store->limits.count);
	sqlite3_bind_int64(statement, 2, store->limits.age);
	return statement_run(store, statement, "forget old generations", NULL);
}

int store_prune(struct store *store)
{
	int error = store_begin(store, NULL);

	if (error)
		return error;
	error = forget_aged(store);
	if (!error)
		error = store_trim(store, 0, NULL);
	return store_end(store, error, NULL);
}

/* A full disk ------------------------------------------------------------------------- */

/* With its ledger. */
static size_t newest_size(const struct store *store)
{
	return statement_number(store, "SELECT length(CAST(model AS BLOB)) +"
				       " ifnull((SELECT length(CAST(json AS BLOB)) FROM ledger), 0)"
				       " FROM generations ORDER BY number DESC LIMIT 1");
}

bool store_make_room(struct store *store, size_t needed)
{
	int64_t place = pages_of(store, needed);
	int done = 1;

	if (store_begin(store, NULL))
		return false;
	while (done > 0 && store_free_bytes(store) < place)
		done = forget_generations(store, KEPT_WHEN_FULL, NULL);
	if (!done && store_free_bytes(store) < place)
		done = store_trim_events(store, EVENTS_LEFT, EVENTS_LEFT);
	return !store_end(store, done < 0 ? done : 0, NULL);
}

static int run_alone(struct store *store, const char *sql, struct refusal *refusal)
{
	int error = store_begin(store, refusal);

	if (error)
		return error;
	if (sqlite3_exec(store->db, sql, NULL, NULL, NULL))
		error = store_refuse(store, "write the database", refusal);
	return store_end(store, error, refusal);
}

/* Two commits: in one, what is deleted again would never be written. */
int store_reserve(struct store *store, struct refusal *refusal)
{
	char sql[128];
	size_t bytes;
	int error;

	if (!store->largest)
		store->largest = newest_size(store);
	bytes = store_reserve_size(store);
	if (!store->failed && store->reserved >= bytes)
		return 0;
	snprintf(sql, sizeof sql,
		 "INSERT OR REPLACE INTO settings VALUES ('room', CAST(zeroblob(%zu) AS TEXT))", bytes);
	error = run_alone(store, sql, refusal);
	if (!error)
		error = run_alone(store, "DELETE FROM settings WHERE key = 'room'", refusal);
	if (!error)
		store->reserved = bytes;
	return error;
}

void store_shrink(struct store *store)
{
	int64_t empty = store_free_bytes(store);

	if (empty < WORTH_A_SHRINK ||
	    (empty < store_all_bytes(store) / 2 && store_all_bytes(store) <= (int64_t)store->limits.bytes))
		return;
	if (!sqlite3_exec(store->db, "VACUUM", NULL, NULL, NULL))
		sqlite3_wal_checkpoint_v2(store->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
}

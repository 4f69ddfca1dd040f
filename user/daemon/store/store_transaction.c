/* SPDX-License-Identifier: Apache-2.0 */
/* Transactions that write, and the room that they need in file and log. */
#include <errno.h>
#include <stdlib.h>
#include <sys/statvfs.h>

#include "store_private.h"

enum {
	LEAST_RESERVE = 64 << 10, /* bytes */
	MOST_RESERVE = 2 << 20,   /* bytes: the log keeps no more place than PRAGMA journal_size_limit */
};

/* Room ---------------------------------------------------------------------------------- */

int64_t store_page_size(const struct store *store)
{
	return statement_number(store, "PRAGMA page_size");
}

int64_t store_free_bytes(const struct store *store)
{
	return statement_number(store, "PRAGMA freelist_count") * store_page_size(store);
}

int64_t store_all_bytes(const struct store *store)
{
	return statement_number(store, "PRAGMA page_count") * store_page_size(store);
}

/* Before a commit: the file gets its new size now, so that the log can always be copied into it. */
static int store_grow(struct store *store, struct refusal *refusal)
{
	sqlite3_int64 bytes = store_all_bytes(store);

	if (!sqlite3_file_control(store->db, "main", SQLITE_FCNTL_SIZE_HINT, &bytes))
		return 0;
	refuse(&store->problem, -ENOSPC, "the database cannot grow: its disk is full");
	refusal_where(&store->problem, "%s", store->path);
	refusal_right(&store->problem, "make room on its disk; what is in force stays");
	store->failed = true;
	if (refusal)
		*refusal = store->problem;
	return -ENOSPC;
}

size_t store_reserve_size(const struct store *store)
{
	size_t bytes = store->largest + LEAST_RESERVE;

	return bytes < MOST_RESERVE ? bytes : MOST_RESERVE;
}

/* A quota counts as a full disk, but only a write that fails shows it. */
static bool can_log_grow(const struct store *store)
{
	struct statvfs disk;

	if (store->failed)
		return false;
	return statvfs(store->path, &disk) ||
	       (uint64_t)disk.f_bavail * disk.f_frsize >= store_reserve_size(store);
}

/* Before a transaction: where the log may have no place to grow, it is copied into the file, so that the
 * transaction begins at its start, where it has its place. */
static void store_rewind_log(struct store *store)
{
	if (!can_log_grow(store))
		sqlite3_wal_checkpoint_v2(store->db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
}

/* Transactions --------------------------------------------------------------------------- */

int store_hold(struct store *store, struct refusal *refusal)
{
	if (!store->held)
		store_rewind_log(store);
	if (!store->held && sqlite3_exec(store->db, "BEGIN IMMEDIATE", NULL, NULL, NULL))
		return store_refuse(store, "begin a change", refusal);
	store->held = true;
	return 0;
}

void store_release(struct store *store)
{
	if (store->held)
		sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
	store->held = false;
}

static int write_withdrawal(struct store *store, struct refusal *refusal)
{
	const struct withdrawal *withdrawal = &store->withdrawal;
	int error = 0;

	if (withdrawal->number)
		error = store_delete_generation(store, withdrawal->number, refusal);
	if (!error && withdrawal->ledger)
		error = store_write_ledger(store, withdrawal->ledger, refusal);
	if (!error && withdrawal->has_fact)
		error = store_write_fact(store, &withdrawal->fact, refusal);
	return error;
}

int store_begin(struct store *store, struct refusal *refusal)
{
	int error = store_hold(store, refusal);

	store->held = false;
	if (error || !store->withdrawal.is_due)
		return error;
	error = write_withdrawal(store, refusal);
	return error ? store_end(store, error, refusal) : 0;
}

int store_end(struct store *store, int error, struct refusal *refusal)
{
	if (!error)
		error = store_grow(store, refusal);
	if (!error && sqlite3_exec(store->db, "COMMIT", NULL, NULL, NULL))
		error = store_refuse(store, "commit a change", refusal);
	store->failed |= error != 0;
	if (error) {
		sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
		return error;
	}
	free(store->withdrawal.ledger);
	store->withdrawal = (struct withdrawal){0};
	return 0;
}

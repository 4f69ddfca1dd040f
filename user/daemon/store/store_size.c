/* SPDX-License-Identifier: Apache-2.0 */
/* How large the database is, and how it grows. */
#include <errno.h>
#include <stdio.h>
#include <sys/statvfs.h>

#include "store_private.h"

enum {
	LEAST_RESERVE = 64 << 10, /* bytes */
	MOST_RESERVE = 2 << 20,   /* bytes: the log keeps no more place than PRAGMA journal_size_limit */
};

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

int store_grow(struct store *store, struct refusal *refusal)
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

void store_rewind_log(struct store *store)
{
	if (!can_log_grow(store))
		sqlite3_wal_checkpoint_v2(store->db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
}

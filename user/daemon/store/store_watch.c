/* SPDX-License-Identifier: Apache-2.0 */
/* The watch over the database: what keeps it from being written, looked for once a second. */
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "store_private.h"

enum { LEAST_ROOM = 64 << 10, LARGE_LOG = 16 << 20 /* bytes */ };

/* What can be seen without writing. */
static int check_room(const struct store *store, struct refusal *refusal)
{
	struct statvfs fs;
	int error = 0;

	if (statvfs(store->path, &fs))
		return 0;
	if (fs.f_flag & ST_RDONLY) {
		error = refuse(refusal, -EROFS, "the database is on a read-only file system");
		refusal_right(refusal, "what is in force stays; make it writable");
	} else if ((uint64_t)fs.f_bavail * fs.f_frsize < LEAST_ROOM) {
		error = refuse(refusal, -ENOSPC, "the database's disk is full");
		refusal_right(refusal, "make room; until then a change costs the oldest generations, or is "
				       "refused");
	}
	refusal_where(refusal, "%s", store->path);
	return error;
}

/* The log cannot begin again at its start while a process reads an older state. */
static int check_log(struct store *store, struct refusal *refusal)
{
	struct stat status;
	char name[PATH_MAX + SUFFIX], holder[64];

	snprintf(name, sizeof name, "%s-wal", store->path);
	if (stat(name, &status) || status.st_size < LARGE_LOG)
		return 0;
	if (!sqlite3_wal_checkpoint_v2(store->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL)) {
		store->reserved = 0;
		return 0;
	}
	store_lock_holder(store, STORE_READERS, holder, sizeof holder);
	refuse(refusal, -ENOLCK,
	       "the database's log has grown to %lld MiB: %s keeps reading what was there before",
	       (long long)status.st_size >> 20, holder);
	refusal_where(refusal, "%s", name);
	refusal_right(refusal, "end that process: the log shrinks by itself");
	return -ENOLCK;
}

/* What was refused is taken back as soon as that can be written. */
static int take_back(struct store *store, struct refusal *refusal)
{
	int error = store->withdrawal.is_due ? store_begin(store, refusal) : 0;

	return error || !store->withdrawal.is_due ? error : store_end(store, 0, refusal);
}

const struct refusal *store_watch(struct store *store)
{
	struct refusal found = {0};
	int error = store_check(store, &found);

	if (!error && !store->log.number)
		store->log = store_identify(store->path, "-wal");
	if (!error)
		error = check_room(store, &found);
	if (!error)
		error = check_log(store, &found);
	if (!error)
		error = take_back(store, &found);
	if (!error)
		error = store_reserve(store, &found);
	if (error) {
		store->problem = found;
	} else {
		store->problem = (struct refusal){0};
		store->failed = false;
	}
	return &store->problem;
}

const struct refusal *store_problem(struct store *store)
{
	store_check(store, &store->problem);
	return &store->problem;
}

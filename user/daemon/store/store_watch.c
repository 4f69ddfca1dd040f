/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The watch over the database's file. SQLite goes on writing into a file that was removed, and the next start
 * would miss those commits. So every commit checks that the file still has its name.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "store_private.h"

enum { LEAST_ROOM = 64 << 10, LARGE_LOG = 16 << 20 /* bytes */, SUFFIX = 8 };

static struct file_identity identify(const char *path, const char *suffix)
{
	char name[PATH_MAX + SUFFIX];
	struct stat status;

	snprintf(name, sizeof name, "%s%s", path, suffix);
	if (stat(name, &status))
		return (struct file_identity){0};
	return (struct file_identity){status.st_dev, status.st_ino};
}

static bool is_same(struct file_identity a, struct file_identity b)
{
	return a.number == b.number && a.device == b.device;
}

static int refuse_moved(const struct store *store, struct refusal *refusal)
{
	struct file_identity found = identify(store->path, "");
	bool is_replaced = found.number && !is_same(found, store->file);

	refuse(refusal, 0,
	       is_replaced ? "the database was replaced while holdfastd ran: nothing can be changed"
			   : "the database was removed while holdfastd ran: nothing can be changed");
	refusal_where(refusal, "%s", store->path);
	refusal_right(
		refusal,
		is_replaced ? "what is in force stays; restart holdfastd to start from that file, or take it "
			      "away and reload"
			    : "what is in force stays; reload holdfastd (SIGHUP), which writes the database "
			      "anew");
	return -EIO;
}

static bool is_moved(const struct store *store)
{
	return !is_same(identify(store->path, ""), store->file) ||
	       (store->log.number && !is_same(identify(store->path, "-wal"), store->log));
}

int store_check(struct store *store, struct refusal *refusal)
{
	return is_moved(store) ? refuse_moved(store, refusal) : 0;
}

/* Non-zero makes a rollback of the commit. */
static int on_commit(void *context)
{
	return is_moved(context);
}

void store_watch_begin(struct store *store)
{
	store->file = identify(store->path, "");
	store->log = identify(store->path, "-wal");
	sqlite3_commit_hook(store->db, on_commit, store);
}

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
		store->log = identify(store->path, "-wal");
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

/* Writing anew ------------------------------------------------------------------ */

static int sync_path(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC), error = 0;

	if (fd < 0)
		return -errno;
	if (fsync(fd))
		error = -errno;
	close(fd);
	return error;
}

static int sync_directory_of(const char *path)
{
	char directory[PATH_MAX];
	char *slash;

	snprintf(directory, sizeof directory, "%s", path);
	slash = strrchr(directory, '/');
	if (!slash)
		return 0;
	*slash = '\0';
	return sync_path(directory[0] ? directory : "/", O_RDONLY | O_DIRECTORY);
}

/* All that the open database holds, also where its files have no name any more. */
static int copy_to(struct store *store, const char *path, struct refusal *refusal)
{
	char *sql = sqlite3_mprintf("VACUUM INTO %Q", path);
	int error = 0;

	unlink(path);
	if (!sql)
		return -ENOMEM;
	sqlite3_commit_hook(store->db, NULL, NULL); /* this writes to another file */
	if (sqlite3_exec(store->db, sql, NULL, NULL, NULL))
		error = refuse(refusal, -EIO, "the database cannot be written anew: %s",
			       sqlite3_errmsg(store->db));
	sqlite3_free(sql);
	sqlite3_commit_hook(store->db, on_commit, store);
	if (!error)
		error = sync_path(path, O_RDONLY);
	return error;
}

/* The old log goes first: it is of another file than the one that comes. */
static int put_in_place(const struct store *store, const char *path)
{
	static const char *const suffixes[] = {"-wal", "-shm"};
	char name[PATH_MAX + SUFFIX];

	for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
		snprintf(name, sizeof name, "%s%s", store->path, suffixes[i]);
		if (unlink(name) && errno != ENOENT)
			return -errno;
	}
	return rename(path, store->path) ? -errno : sync_directory_of(store->path);
}

int store_write_anew(struct store *store, struct refusal *refusal)
{
	struct file_identity found = identify(store->path, "");
	char path[PATH_MAX + SUFFIX];
	sqlite3 *db = NULL;
	int error;

	if (!is_moved(store))
		return 0;
	if (found.number && !is_same(found, store->file))
		return refuse_moved(store, refusal);
	snprintf(path, sizeof path, "%s.new", store->path);
	error = copy_to(store, path, refusal);
	if (!error)
		error = put_in_place(store, path);
	if (!error)
		error = store_open_file(store->path, &db, refusal);
	if (error) {
		sqlite3_close(db);
		unlink(path);
		return error;
	}
	sqlite3_close(store->db);
	if (store->index >= 0)
		close(store->index);
	store->index = -1;
	store->db = db;
	store->reserved = 0;
	store_wait(store, false);
	store_watch_begin(store);
	return 1;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Writing a database that was removed anew: the open file still has all of it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "store_private.h"

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
	store_check_commits(store, false); /* this writes to another file */
	if (sqlite3_exec(store->db, sql, NULL, NULL, NULL))
		error = refuse(refusal, -EIO, "the database cannot be written anew: %s",
			       sqlite3_errmsg(store->db));
	sqlite3_free(sql);
	store_check_commits(store, true);
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
	struct file_identity found = store_identify(store->path, "");
	char path[PATH_MAX + SUFFIX];
	sqlite3 *db = NULL;
	int error;

	if (!store_is_moved(store))
		return 0;
	if (found.number && !store_same_file(found, store->file))
		return store_refuse_moved(store, refusal);
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

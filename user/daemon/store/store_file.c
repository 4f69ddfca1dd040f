/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which file the database is. SQLite goes on writing into a file that was removed, and the next start would
 * miss those commits. So every commit checks that the file still has its name.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include "store_private.h"

struct file_identity store_identify(const char *path, const char *suffix)
{
	char name[PATH_MAX + SUFFIX];
	struct stat status;

	snprintf(name, sizeof name, "%s%s", path, suffix);
	if (stat(name, &status))
		return (struct file_identity){0};
	return (struct file_identity){status.st_dev, status.st_ino};
}

bool store_same_file(struct file_identity a, struct file_identity b)
{
	return a.number == b.number && a.device == b.device;
}

int store_refuse_moved(const struct store *store, struct refusal *refusal)
{
	struct file_identity found = store_identify(store->path, "");
	bool is_replaced = found.number && !store_same_file(found, store->file);

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

bool store_is_moved(const struct store *store)
{
	return !store_same_file(store_identify(store->path, ""), store->file) ||
	       (store->log.number && !store_same_file(store_identify(store->path, "-wal"), store->log));
}

int store_check(struct store *store, struct refusal *refusal)
{
	return store_is_moved(store) ? store_refuse_moved(store, refusal) : 0;
}

/* Non-zero makes a rollback of the commit. */
static int on_commit(void *context)
{
	return store_is_moved(context);
}

void store_check_commits(struct store *store, bool check)
{
	sqlite3_commit_hook(store->db, check ? on_commit : NULL, store);
}

void store_watch_begin(struct store *store)
{
	store->file = store_identify(store->path, "");
	store->log = store_identify(store->path, "-wal");
	store_check_commits(store, true);
}

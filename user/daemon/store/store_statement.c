/* SPDX-License-Identifier: Apache-2.0 */
/* Statements, what SQLite refuses, and which other process is in the way. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "store_private.h"

/* Locks ------------------------------------------------------------------------------ */

/*
 * SQLite locks bytes of the file "-shm", one for the writer and five for
 * readers (https://www.sqlite.org/walformat.html, 2.3.1), and the kernel tells whose lock it is. The
 * descriptor stays open as long as the database: to close one gives up every lock that this process has on
 * the file (fcntl(2)).
 */
static const struct {
	off_t begin, length;
} locks[] = {[STORE_WRITER] = {120, 1}, [STORE_READERS] = {123, 5}};

static pid_t find_holder(struct store *store, enum store_lock which)
{
	struct flock lock = {.l_type = F_WRLCK,
			     .l_whence = SEEK_SET,
			     .l_start = locks[which].begin,
			     .l_len = locks[which].length};
	char name[PATH_MAX + sizeof "-shm"];

	snprintf(name, sizeof name, "%s-shm", store->path);
	if (store->index < 0)
		store->index = open(name, O_RDWR | O_CLOEXEC);
	if (store->index < 0 || fcntl(store->index, F_GETLK, &lock) || lock.l_type == F_UNLCK)
		return 0;
	return lock.l_pid;
}

static void read_command(pid_t process, char command[32])
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof path, "/proc/%d/comm", (int)process);
	file = fopen(path, "re");
	if (!file || !fgets(command, 32, file))
		strcpy(command, "another process");
	command[strcspn(command, "\n")] = '\0';
	if (file)
		fclose(file);
}

void store_lock_holder(struct store *store, enum store_lock which, char *text, size_t room)
{
	pid_t process = find_holder(store, which);
	char command[32];

	if (process > 0) {
		read_command(process, command);
		snprintf(text, room, "%s (process %d)", command, (int)process);
	} else {
		snprintf(text, room, "another process");
	}
}

/* Refusals ---------------------------------------------------------------------------- */

int database_errno(int code, int number)
{
	switch (code) {
	case SQLITE_FULL:
		return -ENOSPC;
	case SQLITE_READONLY:
		return -EROFS;
	case SQLITE_NOMEM:
		return -ENOMEM;
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return -ENOLCK;
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
		return -EINVAL;
	case SQLITE_IOERR:
		return number == ENOSPC || number == EDQUOT ? -ENOSPC : -EIO;
	}
	return -EIO;
}

static int refuse_locked(struct store *store, struct refusal *refusal)
{
	char holder[64];

	store_lock_holder(store, STORE_WRITER, holder, sizeof holder);
	refuse(refusal, -ENOLCK, "the database is locked by %s", holder);
	refusal_where(refusal, "%s", store->path);
	refusal_right(refusal, "what is in force stays; end that process, or try again when it is done");
	return -ENOLCK;
}

/* Where the system gave a reason, that is the one to show. */
static int fill_refusal(struct store *store, const char *doing, struct refusal *refusal)
{
	int code = sqlite3_errcode(store->db), number = sqlite3_system_errno(store->db);
	int error = database_errno(code, number);
	bool has_reason = code == SQLITE_IOERR && number;

	if (error == -ENOLCK)
		return refuse_locked(store, refusal);
	if (store->file.number && store_check(store, refusal))
		return -EIO;
	refuse(refusal, error, "cannot %s: %s%s%s", doing, sqlite3_errmsg(store->db), has_reason ? ": " : "",
	       has_reason ? strerror(number) : "");
	refusal_where(refusal, "%s", store->path);
	refusal_right(refusal, error == -ENOSPC ? "make room on its disk; what is in force stays"
						: "what is in force stays; make it writable");
	return error;
}

/* A lock may be gone in a moment: store_watch() finds out whether it is a problem. */
int store_refuse(struct store *store, const char *doing, struct refusal *refusal)
{
	struct refusal found = {0};
	int error = fill_refusal(store, doing, &found);

	store->failed = true;
	if (error != -ENOLCK)
		store->problem = found;
	if (refusal)
		*refusal = found;
	return error;
}

/* Statements ----------------------------------------------------------------------- */

void statement_end(sqlite3_stmt **statement)
{
	sqlite3_finalize(*statement);
}

sqlite3_stmt *statement_begin(const struct store *store, const char *sql)
{
	sqlite3_stmt *statement = NULL;

	sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL);
	return statement;
}

void statement_bind(sqlite3_stmt *statement, int index, const char *text)
{
	sqlite3_bind_text(statement, index, text, -1, SQLITE_STATIC);
}

void statement_copy(sqlite3_stmt *statement, int column, char *to, size_t room)
{
	const char *text = (const char *)sqlite3_column_text(statement, column);

	snprintf(to, room, "%s", text ? text : "");
}

int64_t statement_number(const struct store *store, const char *sql)
{
	STATEMENT statement = statement_begin(store, sql);

	return statement && sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
}

int statement_run(struct store *store, sqlite3_stmt *statement, const char *doing, struct refusal *refusal)
{
	if (statement && sqlite3_step(statement) == SQLITE_DONE)
		return 0;
	return store_refuse(store, doing, refusal);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The database: opening it, and its tables. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "store_private.h"

enum {
	SCHEMA_VERSION = 1,
	PATIENCE = 2000, /* ms that a start or an end waits for another process's lock */
	CHUNK = 64 << 10 /* bytes: store_grow() needs one */
};

/* The log is copied into the file after each mebibyte, and keeps the place of four. */
static const char open_sql[] = "PRAGMA journal_mode = WAL;"
			       "PRAGMA synchronous = FULL;"
			       "PRAGMA foreign_keys = ON;"
			       "PRAGMA secure_delete = OFF;"
			       "PRAGMA wal_autocheckpoint = 256;"
			       "PRAGMA journal_size_limit = 4194304;"
			       "PRAGMA cache_size = -2000;";

static const char schema_sql[] =
	"BEGIN IMMEDIATE;"
	"CREATE TABLE IF NOT EXISTS generations (number INTEGER PRIMARY KEY, time INTEGER NOT NULL,"
	" author TEXT NOT NULL, cause TEXT NOT NULL, model TEXT NOT NULL);"
	"CREATE TABLE IF NOT EXISTS ledger (id INTEGER PRIMARY KEY CHECK (id = 1), json TEXT NOT NULL);"
	"CREATE TABLE IF NOT EXISTS settings (key TEXT PRIMARY KEY, value TEXT NOT NULL);"
	"CREATE TABLE IF NOT EXISTS events (id INTEGER PRIMARY KEY AUTOINCREMENT, time INTEGER NOT NULL,"
	" kind TEXT NOT NULL, subject TEXT NOT NULL, text TEXT NOT NULL);"
	"PRAGMA user_version = 1;"
	"COMMIT;";

/* New beside what older versions made, which go on with it. */
static const char later_sql[] =
	"CREATE INDEX IF NOT EXISTS events_by_kind ON events (kind);"
	"CREATE TABLE IF NOT EXISTS facts (pool TEXT NOT NULL, name TEXT NOT NULL, address TEXT NOT NULL,"
	" source TEXT NOT NULL, state TEXT NOT NULL, author TEXT NOT NULL, time INTEGER NOT NULL,"
	" boot TEXT NOT NULL, monotonic INTEGER NOT NULL, gone INTEGER NOT NULL,"
	" PRIMARY KEY (pool, name, address, source))";

static int read_schema_version(struct store *store)
{
	STATEMENT statement = statement_begin(store, "PRAGMA user_version");

	return statement && sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_int(statement, 0) : -1;
}

static int make_schema(struct store *store, struct refusal *refusal)
{
	int version = read_schema_version(store);

	if (version < 0)
		return store_refuse(store, "read the database", refusal);
	if (version > SCHEMA_VERSION) {
		refuse(refusal, -EINVAL, "the database was written by a later version (schema %d, known %d)",
		       version, SCHEMA_VERSION);
		refusal_where(refusal, "%s", store->path);
		return -EINVAL;
	}
	if (version < SCHEMA_VERSION && sqlite3_exec(store->db, schema_sql, NULL, NULL, NULL))
		return store_refuse(store, "make the database's tables", refusal);
	if (sqlite3_exec(store->db, later_sql, NULL, NULL, NULL))
		return store_refuse(store, "make the database's newer tables", refusal);
	return 0;
}

int store_open_file(const char *path, sqlite3 **ret, struct refusal *refusal)
{
	int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, chunk = CHUNK, code;

	if (sqlite3_open_v2(path, ret, flags, NULL))
		return refuse(refusal, -EIO, "cannot open %s: %s", path, sqlite3_errmsg(*ret));
	sqlite3_busy_timeout(*ret, PATIENCE);
	if (!sqlite3_exec(*ret, open_sql, NULL, NULL, NULL)) {
		sqlite3_file_control(*ret, "main", SQLITE_FCNTL_CHUNK_SIZE, &chunk);
		return 0;
	}
	code = sqlite3_errcode(*ret);
	refuse(refusal, 0, "cannot open the database: %s", sqlite3_errmsg(*ret));
	refusal_where(refusal, "%s", path);
	return database_errno(code, sqlite3_system_errno(*ret));
}

/* A full disk is no reason not to start. */
static void settle_size(struct store *store)
{
	int error = store_begin(store, NULL);

	if (!error)
		error = store_end(store, store_trim(store, 0, NULL), NULL);
	if (error)
		return;
	store_shrink(store);
	store_reserve(store, NULL);
}

int store_open(const char *path, const struct store_limits *limits, struct store **ret,
	       struct refusal *refusal)
{
	struct store *store = calloc(1, sizeof *store);
	int error;

	if (!store)
		return -ENOMEM;
	store->index = -1;
	store->limits = *limits;
	snprintf(store->path, sizeof store->path, "%s", path);
	error = store_open_file(path, &store->db, refusal);
	if (!error)
		error = make_schema(store, refusal);
	if (error) {
		store_close(store);
		return error;
	}
	settle_size(store);
	store_watch_begin(store);
	*ret = store;
	return 0;
}

void store_wait(struct store *store, bool waits)
{
	sqlite3_busy_timeout(store->db, waits ? PATIENCE : 0);
}

void store_close(struct store *store)
{
	if (!store)
		return;
	free(store->withdrawal.ledger);
	sqlite3_close(store->db);
	if (store->index >= 0)
		close(store->index);
	free(store);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store_private.h"

enum { SCHEMA_VERSION = 1, EVENTS_KEPT = 2000, CHANGES_KEPT = 10000 };

/* Readers of a backup may hold the file for a moment. */
static const char open_sql[] = "PRAGMA busy_timeout = 2000;"
			       "PRAGMA journal_mode = WAL;"
			       "PRAGMA synchronous = FULL;"
			       "PRAGMA foreign_keys = ON;"
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

static int database_errno(int code)
{
	switch (code) {
	case SQLITE_FULL:
		return -ENOSPC;
	case SQLITE_READONLY:
		return -EROFS;
	case SQLITE_NOMEM:
		return -ENOMEM;
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
		return -EINVAL;
	}
	return -EIO;
}

/* Where the system gave a reason, that is the one to show. */
static int fill_refusal(struct store *store, const char *doing, struct refusal *refusal)
{
	int code = sqlite3_errcode(store->db), number = sqlite3_system_errno(store->db);
	int error = database_errno(code);
	bool has_reason = code == SQLITE_IOERR && number;

	if (store->file.number && store_check(store, refusal))
		return -EIO;
	refuse(refusal, error, "cannot %s: %s%s%s", doing, sqlite3_errmsg(store->db), has_reason ? ": " : "",
	       has_reason ? strerror(number) : "");
	refusal_where(refusal, "%s", store->path);
	if (error == -ENOSPC)
		refusal_right(refusal, "make room on its disk; what is in force stays");
	return error;
}

static int refuse_database(struct store *store, const char *doing, struct refusal *refusal)
{
	int error = fill_refusal(store, doing, &store->problem);

	store->failed = true;
	if (refusal)
		*refusal = store->problem;
	return error;
}

static void statement_end(sqlite3_stmt **statement)
{
	sqlite3_finalize(*statement);
}
#define STATEMENT __attribute__((cleanup(statement_end))) sqlite3_stmt *

static sqlite3_stmt *prepare(struct store *store, const char *sql)
{
	sqlite3_stmt *statement = NULL;

	sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL);
	return statement;
}

static void bind_text(sqlite3_stmt *statement, int index, const char *text)
{
	sqlite3_bind_text(statement, index, text, -1, SQLITE_STATIC);
}

static void copy_column(sqlite3_stmt *statement, int column, char *to, size_t room)
{
	const char *text = (const char *)sqlite3_column_text(statement, column);

	snprintf(to, room, "%s", text ? text : "");
}

/* Opening ------------------------------------------------------------------ */

static int read_version(struct store *store)
{
	STATEMENT statement = prepare(store, "PRAGMA user_version");

	return statement && sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_int(statement, 0) : -1;
}

static int make_schema(struct store *store, const char *path, struct refusal *refusal)
{
	int version;

	version = read_version(store);
	if (version < 0)
		return refuse_database(store, "read the database", refusal);
	if (version > SCHEMA_VERSION) {
		refuse(refusal, -EINVAL, "the database was written by a later version (schema %d, known %d)",
		       version, SCHEMA_VERSION);
		refusal_where(refusal, "%s", path);
		return -EINVAL;
	}
	if (version < SCHEMA_VERSION && sqlite3_exec(store->db, schema_sql, NULL, NULL, NULL))
		return refuse_database(store, "make the database's tables", refusal);
	if (sqlite3_exec(store->db, later_sql, NULL, NULL, NULL))
		return refuse_database(store, "make the database's newer tables", refusal);
	return 0;
}

int store_open_file(const char *path, sqlite3 **ret, struct refusal *refusal)
{
	int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, code;

	if (sqlite3_open_v2(path, ret, flags, NULL))
		return refuse(refusal, -EIO, "cannot open %s: %s", path, sqlite3_errmsg(*ret));
	if (!sqlite3_exec(*ret, open_sql, NULL, NULL, NULL))
		return 0;
	code = sqlite3_errcode(*ret);
	refuse(refusal, 0, "cannot open the database: %s", sqlite3_errmsg(*ret));
	refusal_where(refusal, "%s", path);
	return database_errno(code);
}

int store_open(const char *path, struct store **ret, struct refusal *refusal)
{
	struct store *store = calloc(1, sizeof *store);
	int error;

	if (!store)
		return -ENOMEM;
	snprintf(store->path, sizeof store->path, "%s", path);
	error = store_open_file(path, &store->db, refusal);
	if (!error)
		error = make_schema(store, path, refusal);
	if (error) {
		store_close(store);
		return error;
	}
	store_watch_begin(store);
	*ret = store;
	return 0;
}

void store_close(struct store *store)
{
	if (!store)
		return;
	sqlite3_close(store->db);
	free(store);
}

/* Generations -------------------------------------------------------------- */

static int read_json(struct store *store, sqlite3_stmt *statement, int column, json_t **ret,
		     struct refusal *refusal)
{
	const char *text = (const char *)sqlite3_column_text(statement, column);
	json_t *json = text ? json_loadb(text, sqlite3_column_bytes(statement, column), 0, NULL) : NULL;

	if (!json) {
		refuse(refusal, -EINVAL, "the database is damaged: a row holds no JSON");
		refusal_where(refusal, "%s", store->path);
		return -EINVAL;
	}
	*ret = json;
	return 0;
}

static void read_generation(sqlite3_stmt *statement, struct generation *ret)
{
	ret->number = sqlite3_column_int64(statement, 0);
	ret->time = sqlite3_column_int64(statement, 1);
	copy_column(statement, 2, ret->author, sizeof ret->author);
	copy_column(statement, 3, ret->cause, sizeof ret->cause);
}

int store_generation(struct store *store, uint32_t number, struct generation *ret, json_t **ret_model,
		     struct refusal *refusal)
{
	STATEMENT statement =
		prepare(store, "SELECT number, time, author, cause, model FROM generations WHERE number = ?");
	int step, error = 0;

	sqlite3_bind_int64(statement, 1, number);
	step = sqlite3_step(statement);
	if (step == SQLITE_DONE) {
		refuse(refusal, -ENOENT, "there is no generation %u", number);
		refusal_right(refusal, "holdfast generations list shows those that are kept");
		return -ENOENT;
	}
	if (step != SQLITE_ROW)
		return refuse_database(store, "read a generation", refusal);
	if (ret_model)
		error = read_json(store, statement, 4, ret_model, refusal);
	if (!error)
		read_generation(statement, ret);
	return error;
}

static int read_ledger(struct store *store, json_t **ret, struct refusal *refusal)
{
	STATEMENT statement = prepare(store, "SELECT json FROM ledger");

	if (sqlite3_step(statement) != SQLITE_ROW)
		return refuse_database(store, "read the ledger", refusal);
	return read_json(store, statement, 0, ret, refusal);
}

static int last_number(struct store *store, uint32_t *ret, struct refusal *refusal)
{
	STATEMENT statement = prepare(store, "SELECT max(number) FROM generations");

	if (sqlite3_step(statement) != SQLITE_ROW)
		return refuse_database(store, "read the generations", refusal);
	if (sqlite3_column_type(statement, 0) == SQLITE_NULL)
		return -ENOENT;
	*ret = sqlite3_column_int64(statement, 0);
	return 0;
}

int store_latest(struct store *store, struct generation *ret, json_t **ret_model, json_t **ret_ledger,
		 struct refusal *refusal)
{
	json_t *model = NULL;
	uint32_t number = 0;
	int error = last_number(store, &number, refusal);

	if (error)
		return error;
	error = store_generation(store, number, ret, &model, refusal);
	if (error)
		return error;
	error = read_ledger(store, ret_ledger, refusal);
	if (error) {
		json_decref(model);
		return error;
	}
	*ret_model = model;
	return 0;
}

int store_generations(struct store *store, int (*visit)(const struct generation *, void *), void *context)
{
	STATEMENT statement =
		prepare(store, "SELECT number, time, author, cause FROM generations ORDER BY number DESC");
	struct generation generation;
	int stop = 0;

	while (!stop && sqlite3_step(statement) == SQLITE_ROW) {
		read_generation(statement, &generation);
		stop = visit(&generation, context);
	}
	return stop;
}

static int begin(struct store *store, struct refusal *refusal)
{
	if (sqlite3_exec(store->db, "BEGIN IMMEDIATE", NULL, NULL, NULL))
		return refuse_database(store, "begin a change", refusal);
	return 0;
}

static int end(struct store *store, int error, struct refusal *refusal)
{
	if (!error && sqlite3_exec(store->db, "COMMIT", NULL, NULL, NULL))
		error = refuse_database(store, "commit a change", refusal);
	store->failed |= error != 0;
	if (error)
		sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
	return error;
}

static int write_generation(struct store *store, const struct generation *generation, const char *model,
			    struct refusal *refusal)
{
	STATEMENT statement = prepare(store, "INSERT INTO generations VALUES (?, ?, ?, ?, ?)");

	sqlite3_bind_int64(statement, 1, generation->number);
	sqlite3_bind_int64(statement, 2, generation->time);
	bind_text(statement, 3, generation->author);
	bind_text(statement, 4, generation->cause);
	bind_text(statement, 5, model);
	if (sqlite3_step(statement) != SQLITE_DONE)
		return refuse_database(store, "write a generation", refusal);
	return 0;
}

static int write_ledger(struct store *store, const char *text, struct refusal *refusal)
{
	STATEMENT statement = prepare(store, "INSERT OR REPLACE INTO ledger VALUES (1, ?)");

	bind_text(statement, 1, text);
	if (sqlite3_step(statement) != SQLITE_DONE)
		return refuse_database(store, "write the ledger", refusal);
	return 0;
}

static int commit_with_ledger(struct store *store, const struct generation *generation, const char *model,
			      const char *ledger, struct refusal *refusal)
{
	int error = begin(store, refusal);

	if (error)
		return error;
	error = write_generation(store, generation, model, refusal);
	if (!error && ledger)
		error = write_ledger(store, ledger, refusal);
	return end(store, error, refusal);
}

int store_commit(struct store *store, const struct generation *generation, const char *model,
		 const json_t *ledger, struct refusal *refusal)
{
	char *text = ledger ? json_dumps(ledger, JSON_COMPACT) : NULL;
	size_t length = strlen(model) + (text ? strlen(text) : 0);
	int error = -ENOMEM;

	if (length > store->largest)
		store->largest = length;
	if (text || !ledger)
		error = commit_with_ledger(store, generation, model, text, refusal);
	free(text);
	return error;
}

static int delete_generation(struct store *store, uint32_t number, struct refusal *refusal)
{
	STATEMENT statement = prepare(store, "DELETE FROM generations WHERE number = ?");

	sqlite3_bind_int64(statement, 1, number);
	if (sqlite3_step(statement) != SQLITE_DONE)
		return refuse_database(store, "take a generation back", refusal);
	return 0;
}

int store_withdraw(struct store *store, uint32_t number, const json_t *ledger, struct refusal *refusal)
{
	char *text = json_dumps(ledger, JSON_COMPACT);
	int error = text ? begin(store, refusal) : -ENOMEM;

	if (!error) {
		error = delete_generation(store, number, refusal);
		if (!error)
			error = write_ledger(store, text, refusal);
		error = end(store, error, refusal);
	}
	free(text);
	return error;
}

int store_prune(struct store *store, uint32_t count, int64_t before)
{
	STATEMENT statement = prepare(store, "DELETE FROM generations WHERE time < ? AND number <="
					     " (SELECT max(number) FROM generations) - ?");

	sqlite3_bind_int64(statement, 1, before);
	sqlite3_bind_int64(statement, 2, count);
	if (sqlite3_step(statement) == SQLITE_DONE)
		return 0;
	store->failed = true;
	return -EIO;
}

/* Facts -------------------------------------------------------------------- */

/* The source of a fact: an operator. Other sources can be added. */
static const char stated[] = "stated";

static int write_fact(struct store *store, const struct fact *fact, struct refusal *refusal)
{
	STATEMENT statement = prepare(
		store,
		fact->state == HEALTH_UNKNOWN
			? "DELETE FROM facts WHERE pool = ? AND name = ? AND address = ? AND source = ?"
			: "INSERT OR REPLACE INTO facts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
	char address[ADDRESS_TEXT];

	bind_text(statement, 1, fact->pool);
	bind_text(statement, 2, fact->name);
	bind_text(statement, 3, address_text(&fact->address, address));
	bind_text(statement, 4, stated);
	if (fact->state != HEALTH_UNKNOWN) {
		bind_text(statement, 5, health_name(fact->state));
		bind_text(statement, 6, fact->author);
		sqlite3_bind_int64(statement, 7, fact->time);
		bind_text(statement, 8, fact->boot);
		sqlite3_bind_int64(statement, 9, fact->monotonic);
		sqlite3_bind_int64(statement, 10, fact->gone);
	}
	if (sqlite3_step(statement) != SQLITE_DONE)
		return refuse_database(store, "write what is stated of a backend's health", refusal);
	return 0;
}

int store_facts_set(struct store *store, const struct fact *facts, size_t count, struct refusal *refusal)
{
	int error = begin(store, refusal);

	if (error)
		return error;
	for (size_t i = 0; !error && i < count; i++)
		error = write_fact(store, &facts[i], refusal);
	return end(store, error, refusal);
}

/* One that cannot be read (a later version's state) is passed over. */
static bool read_fact(sqlite3_stmt *statement, struct fact *ret)
{
	struct fact fact = {.time = sqlite3_column_int64(statement, 5),
			    .monotonic = sqlite3_column_int64(statement, 7),
			    .gone = (uint32_t)sqlite3_column_int64(statement, 8)};
	char address[ADDRESS_TEXT], state[16];

	copy_column(statement, 0, fact.pool, sizeof fact.pool);
	copy_column(statement, 1, fact.name, sizeof fact.name);
	copy_column(statement, 2, address, sizeof address);
	copy_column(statement, 3, state, sizeof state);
	copy_column(statement, 4, fact.author, sizeof fact.author);
	copy_column(statement, 6, fact.boot, sizeof fact.boot);
	fact.state = !strcmp(state, "down") ? HEALTH_DOWN : !strcmp(state, "up") ? HEALTH_UP : HEALTH_UNKNOWN;
	*ret = fact;
	return fact.state != HEALTH_UNKNOWN && !address_parse(address, &ret->address);
}

int store_facts(struct store *store, int (*visit)(const struct fact *, void *), void *context,
		struct refusal *refusal)
{
	STATEMENT statement =
		prepare(store, "SELECT pool, name, address, state, author, time, boot, monotonic, gone"
			       " FROM facts WHERE source = ?");
	struct fact fact;
	int step, stop = 0;

	bind_text(statement, 1, stated);
	while (!stop && (step = sqlite3_step(statement)) == SQLITE_ROW)
		if (read_fact(statement, &fact))
			stop = visit(&fact, context);
	if (!stop && step != SQLITE_DONE)
		return refuse_database(store, "read what is stated of backends' health", refusal);
	return stop;
}

uint32_t store_oldest(struct store *store)
{
	STATEMENT statement = prepare(store, "SELECT min(number) FROM generations");

	return sqlite3_step(statement) == SQLITE_ROW ? (uint32_t)sqlite3_column_int64(statement, 0) : 0;
}

/* Settings and events ------------------------------------------------------ */

char *store_setting(struct store *store, const char *key)
{
	STATEMENT statement = prepare(store, "SELECT value FROM settings WHERE key = ?");

	bind_text(statement, 1, key);
	if (sqlite3_step(statement) != SQLITE_ROW)
		return NULL;
	return strdup((const char *)sqlite3_column_text(statement, 0));
}

int store_setting_set(struct store *store, const char *key, const char *value, struct refusal *refusal)
{
	STATEMENT statement = prepare(store, "INSERT OR REPLACE INTO settings VALUES (?, ?)");

	bind_text(statement, 1, key);
	bind_text(statement, 2, value);
	if (sqlite3_step(statement) != SQLITE_DONE)
		return refuse_database(store, "write a setting", refusal);
	return 0;
}

static int write_event(struct store *store, const json_t *event)
{
	STATEMENT statement =
		prepare(store, "INSERT INTO events (time, kind, subject, text) VALUES (?, ?, ?, ?)");

	sqlite3_bind_int64(statement, 1, json_integer_value(json_object_get(event, "time")));
	bind_text(statement, 2, json_string_value(json_object_get(event, "kind")));
	bind_text(statement, 3, json_string_value(json_object_get(event, "subject")));
	bind_text(statement, 4, json_string_value(json_object_get(event, "text")));
	return sqlite3_step(statement) == SQLITE_DONE ? 0 : -EIO;
}

static int forget_events_of(struct store *store, const char *kind)
{
	STATEMENT statement = prepare(store, "DELETE FROM events WHERE kind = ?1 AND id <="
					     " (SELECT id FROM events WHERE kind = ?1 ORDER BY id DESC"
					     " LIMIT 1 OFFSET ?2)");

	bind_text(statement, 1, kind);
	sqlite3_bind_int(statement, 2, strcmp(kind, "change") ? EVENTS_KEPT : CHANGES_KEPT);
	return sqlite3_step(statement) == SQLITE_DONE ? 0 : -EIO;
}

/* Each kind apart, so that a chatty one pushes no other out. */
static int forget_events(struct store *store)
{
	STATEMENT kinds = prepare(store, "SELECT DISTINCT kind FROM events");
	int error = 0;

	while (!error && sqlite3_step(kinds) == SQLITE_ROW)
		error = forget_events_of(store, (const char *)sqlite3_column_text(kinds, 0));
	return error;
}

int store_append_events(struct store *store, const json_t *events)
{
	const json_t *event;
	size_t i;
	int error = begin(store, NULL);

	if (error)
		return error;
	json_array_foreach (events, i, event)
		if (!error)
			error = write_event(store, event);
	if (!error)
		error = forget_events(store);
	return end(store, error, NULL);
}

json_t *store_events(struct store *store, int64_t after, int limit)
{
	STATEMENT statement = prepare(store, "SELECT * FROM (SELECT id, time, kind, subject, text FROM events"
					     " WHERE id > ? ORDER BY id DESC LIMIT ?) ORDER BY id");
	json_t *events = json_array();

	sqlite3_bind_int64(statement, 1, after);
	sqlite3_bind_int(statement, 2, limit);
	while (sqlite3_step(statement) == SQLITE_ROW)
		json_array_append_new(events, json_pack("{s:I, s:f, s:s, s:s, s:s}", "id",
							(json_int_t)sqlite3_column_int64(statement, 0),
							"time", sqlite3_column_int64(statement, 1) / 1000.0,
							"kind", sqlite3_column_text(statement, 2), "subject",
							sqlite3_column_text(statement, 3), "text",
							sqlite3_column_text(statement, 4)));
	return events;
}

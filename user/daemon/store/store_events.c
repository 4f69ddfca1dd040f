/* SPDX-License-Identifier: Apache-2.0 */
/* The store's settings and events. */
#include <string.h>

#include "store_private.h"

enum { EVENTS_KEPT = 2000, CHANGES_KEPT = 10000 };

char *store_setting(struct store *store, const char *key)
{
	STATEMENT statement = statement_begin(store, "SELECT value FROM settings WHERE key = ?");

	statement_bind(statement, 1, key);
	if (sqlite3_step(statement) != SQLITE_ROW)
		return NULL;
	return strdup((const char *)sqlite3_column_text(statement, 0));
}

int store_setting_set(struct store *store, const char *key, const char *value, struct refusal *refusal)
{
	STATEMENT statement = statement_begin(store, "INSERT OR REPLACE INTO settings VALUES (?, ?)");
	int error = store_begin(store, refusal);

	if (error)
		return error;
	statement_bind(statement, 1, key);
	statement_bind(statement, 2, value);
	return store_end(store, statement_run(store, statement, "write a setting", refusal), refusal);
}

static int write_event(struct store *store, const json_t *event)
{
	STATEMENT statement =
		statement_begin(store, "INSERT INTO events (time, kind, subject, text) VALUES (?, ?, ?, ?)");

	sqlite3_bind_int64(statement, 1, json_integer_value(json_object_get(event, "time")));
	statement_bind(statement, 2, json_string_value(json_object_get(event, "kind")));
	statement_bind(statement, 3, json_string_value(json_object_get(event, "subject")));
	statement_bind(statement, 4, json_string_value(json_object_get(event, "text")));
	return statement_run(store, statement, "write an event", NULL);
}

static int forget_events_of(struct store *store, const char *kind, int kept)
{
	STATEMENT statement =
		statement_begin(store, "DELETE FROM events WHERE kind = ?1 AND id <="
				       " (SELECT id FROM events WHERE kind = ?1 ORDER BY id DESC"
				       " LIMIT 1 OFFSET ?2)");

	statement_bind(statement, 1, kind);
	sqlite3_bind_int(statement, 2, kept);
	return statement_run(store, statement, "forget old events", NULL);
}

/* Each kind apart, so that a chatty one pushes no other out. */
int store_trim_events(struct store *store, int changes, int others)
{
	STATEMENT kinds = statement_begin(store, "SELECT DISTINCT kind FROM events");
	int error = 0;

	while (!error && sqlite3_step(kinds) == SQLITE_ROW) {
		const char *kind = (const char *)sqlite3_column_text(kinds, 0);

		error = forget_events_of(store, kind, strcmp(kind, "change") ? others : changes);
	}
	return error;
}

int store_append_events(struct store *store, const json_t *events)
{
	const json_t *event;
	size_t i;
	int error = store_begin(store, NULL);

	if (error)
		return error;
	json_array_foreach (events, i, event)
		if (!error)
			error = write_event(store, event);
	if (!error)
		error = store_trim_events(store, CHANGES_KEPT, EVENTS_KEPT);
	return store_end(store, error, NULL);
}

json_t *store_events(struct store *store, int64_t after, int limit)
{
	STATEMENT statement =
		statement_begin(store, "SELECT * FROM (SELECT id, time, kind, subject, text FROM events"
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

// SPDX-License-Identifier: Apache-2.0
/* The daemon's database, opened only to read it: it may be in use. */
#include <errno.h>
#include <sqlite3.h>
#include <string.h>

#include "core/config/model_json.h"
#include "offline.h"

enum { BUSY_MILLISECONDS = 2000 };

static json_t *column_json(sqlite3_stmt *statement, int column)
{
	const char *text = (const char *)sqlite3_column_text(statement, column);

	return text ? json_loadb(text, (size_t)sqlite3_column_bytes(statement, column), 0, NULL) : NULL;
}

static const char *column_text(sqlite3_stmt *statement, int column)
{
	const char *text = (const char *)sqlite3_column_text(statement, column);

	return text ? text : "";
}

/* The last generation's row: number, time, author, cause, model, and the ledger beside it. */
static int read_row(sqlite3_stmt *statement, json_t **ret_generation, struct model **ret_model,
		    struct ledger **ret_ledger, struct refusal *refusal)
{
	json_t *model_json = column_json(statement, 4), *ledger_json = column_json(statement, 5);
	struct ledger *ledger = NULL;
	int r = model_json && ledger_json ? 0 : -EINVAL;

	if (!r)
		r = ledger_from_json(ledger_json, &ledger);
	if (!r)
		r = model_from_json(model_json, ret_model, refusal);
	json_decref(model_json);
	json_decref(ledger_json);
	if (r) {
		ledger_free(ledger);
		return *refusal->what ? r : refuse(refusal, r, "its last generation cannot be read");
	}
	*ret_ledger = ledger;
	*ret_generation =
		json_pack("{s:I, s:f, s:s, s:s}", "number", (json_int_t)sqlite3_column_int64(statement, 0),
			  "time", (double)sqlite3_column_int64(statement, 1) / 1000, "author",
			  column_text(statement, 2), "cause", column_text(statement, 3));
	return 0;
}

static void forget_words(struct model *model)
{
	for (size_t i = 0; i < model->pool_count; i++)
		for (size_t j = 0; j < model->pools[i].backend_count; j++)
			model->pools[i].backends[j].health = HEALTH_AUTO;
}

/* What is stated of backends' health stands beside the generations; an older version's stands in its model.
 */
static void read_facts(sqlite3 *db, struct model *model)
{
	static const char sql[] = "SELECT pool, name, address, state FROM facts WHERE source = 'stated'";
	sqlite3_stmt *statement = NULL;

	if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL))
		return;
	forget_words(model);
	while (sqlite3_step(statement) == SQLITE_ROW) {
		const struct pool *pool = model_pool(model, column_text(statement, 0));
		struct backend *backend = NULL;
		struct address address;

		if (pool && !address_parse(column_text(statement, 2), &address))
			backend = pool_backend_at(pool, column_text(statement, 1), &address);
		if (backend)
			backend->health = strcmp(column_text(statement, 3), "down") ? HEALTH_FORCED_UP
										    : HEALTH_FORCED_DOWN;
	}
	sqlite3_finalize(statement);
}

int stored_read(const char *path, json_t **ret_generation, struct model **ret_model,
		struct ledger **ret_ledger, struct refusal *refusal)
{
	static const char sql[] =
		"SELECT number, time, author, cause, model, (SELECT json FROM ledger WHERE id = 1) "
		"FROM generations ORDER BY number DESC LIMIT 1";
	sqlite3_stmt *statement = NULL;
	sqlite3 *db = NULL;
	int r = 0, code;

	code = sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL);
	if (!code) {
		sqlite3_busy_timeout(db, BUSY_MILLISECONDS);
		code = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
	}
	if (!code)
		code = sqlite3_step(statement);
	if (code == SQLITE_ROW)
		r = read_row(statement, ret_generation, ret_model, ret_ledger, refusal);
	else if (code == SQLITE_DONE)
		r = refuse(refusal, -ENOENT, "it holds no generation yet");
	else
		r = refuse(refusal, -EIO, "%s", db ? sqlite3_errmsg(db) : strerror(ENOMEM));
	if (r)
		refusal_where(refusal, "%.180s", path);
	else
		read_facts(db, *ret_model);
	sqlite3_finalize(statement);
	sqlite3_close(db);
	return r;
}

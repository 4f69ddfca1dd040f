// SPDX-License-Identifier: Apache-2.0
/* The daemon's database, opened only to read it: it may be in use. */
#include <errno.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/config/model_json.h"
#include "core/view/view.h"
#include "stored.h"

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
static int read_row(sqlite3_stmt *statement, struct stored *ret, struct refusal *refusal)
{
	json_t *model_json = column_json(statement, 4), *ledger_json = column_json(statement, 5);
	int r = model_json && ledger_json ? 0 : -EINVAL;

	r = r ?: ledger_from_json(ledger_json, &ret->ledger);
	r = r ?: model_from_json(model_json, &ret->model, refusal);
	json_decref(model_json);
	json_decref(ledger_json);
	if (r)
		return *refusal->what ? r : refuse(refusal, r, "its last generation cannot be read");
	ret->generation = generation_view((uint32_t)sqlite3_column_int64(statement, 0),
					  sqlite3_column_int64(statement, 1), column_text(statement, 2),
					  column_text(statement, 3));
	return 0;
}

static void forget_words(struct model *model)
{
	for (size_t i = 0; i < model->pool_count; i++)
		for (size_t j = 0; j < model->pools[i].backend_count; j++)
			model->pools[i].backends[j].health = HEALTH_AUTO;
}

static void note_fact(sqlite3_stmt *statement, struct stored *stored)
{
	const char *pool_name = column_text(statement, 0), *author = column_text(statement, 4);
	const struct pool *pool = model_pool(stored->model, pool_name);
	struct stated *longer, *stated;
	struct address address;
	struct backend *backend = NULL;

	if (pool && !address_parse(column_text(statement, 2), &address))
		backend = pool_backend_at(pool, column_text(statement, 1), &address);
	if (!backend)
		return;
	backend->health = strcmp(column_text(statement, 3), "down") ? HEALTH_FORCED_UP : HEALTH_FORCED_DOWN;
	longer = realloc(stored->stated, (stored->stated_count + 1) * sizeof *longer);
	if (!longer)
		return;
	stored->stated = longer;
	stated = &longer[stored->stated_count++];
	*stated = (struct stated){.backend = backend, .time = sqlite3_column_int64(statement, 5)};
	snprintf(stated->author, sizeof stated->author, "%s", author);
}

/* What is stated of backends' health stands beside the generations; an older version's stands in its model.
 */
static void read_facts(sqlite3 *db, struct stored *stored)
{
	static const char sql[] =
		"SELECT pool, name, address, state, author, time FROM facts WHERE source = 'stated'";
	sqlite3_stmt *statement = NULL;

	if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL))
		return;
	forget_words(stored->model);
	while (sqlite3_step(statement) == SQLITE_ROW)
		note_fact(statement, stored);
	sqlite3_finalize(statement);
}

const struct stated *stored_stated(const struct stored *stored, const struct backend *backend)
{
	for (size_t i = 0; i < stored->stated_count; i++)
		if (stored->stated[i].backend == backend)
			return &stored->stated[i];
	return NULL;
}

void stored_release(struct stored *stored)
{
	json_decref(stored->generation);
	model_free(stored->model);
	ledger_free(stored->ledger);
	free(stored->stated);
	*stored = (struct stored){NULL};
}

int stored_read(const struct call *call, struct stored *ret, struct refusal *refusal)
{
	static const char sql[] =
		"SELECT number, time, author, cause, model, (SELECT json FROM ledger WHERE id = 1) "
		"FROM generations ORDER BY number DESC LIMIT 1";
	struct stored stored = {NULL};
	sqlite3_stmt *statement = NULL;
	sqlite3 *db = NULL;
	char path[PATH_MAX];
	int r = 0, code;

	snprintf(path, sizeof path, "%s/%s.db", call->state_dir, call->instance);
	code = sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL);
	if (!code) {
		sqlite3_busy_timeout(db, BUSY_MILLISECONDS);
		code = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
	}
	if (!code)
		code = sqlite3_step(statement);
	if (code == SQLITE_ROW)
		r = read_row(statement, &stored, refusal);
	else if (code == SQLITE_DONE)
		r = refuse(refusal, -ENOENT, "it holds no generation yet");
	else
		r = refuse(refusal, -EIO, "%s", db ? sqlite3_errmsg(db) : strerror(ENOMEM));
	if (!r)
		read_facts(db, &stored);
	sqlite3_finalize(statement);
	sqlite3_close(db);
	if (r) {
		refusal_where(refusal, "%.180s", path);
		stored_release(&stored);
		return r;
	}
	*ret = stored;
	return 0;
}

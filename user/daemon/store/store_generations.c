/* SPDX-License-Identifier: Apache-2.0 */
/* The store's generations, the ledger beside them, and facts: what was stated of backends' health. */
#include <errno.h>
#include <string.h>

#include "store_private.h"

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
	statement_copy(statement, 2, ret->author, sizeof ret->author);
	statement_copy(statement, 3, ret->cause, sizeof ret->cause);
}

int store_generation(struct store *store, uint32_t number, struct generation *ret, json_t **ret_model,
		     struct refusal *refusal)
{
	STATEMENT statement = statement_begin(
		store, "SELECT number, time, author, cause, model FROM generations WHERE number = ?");
	int step, error = 0;

	sqlite3_bind_int64(statement, 1, number);
	step = sqlite3_step(statement);
	if (step == SQLITE_DONE) {
		refuse(refusal, -ENOENT, "there is no generation %u", number);
		refusal_right(refusal, "holdfast generations list shows those that are kept");
		return -ENOENT;
	}
	if (step != SQLITE_ROW)
		return store_refuse(store, "read a generation", refusal);
	if (ret_model)
		error = read_json(store, statement, 4, ret_model, refusal);
	if (!error)
		read_generation(statement, ret);
	if ((size_t)sqlite3_column_bytes(statement, 4) > store->largest)
		store->largest = sqlite3_column_bytes(statement, 4);
	return error;
}

static int read_ledger(struct store *store, json_t **ret, struct refusal *refusal)
{
	STATEMENT statement = statement_begin(store, "SELECT json FROM ledger");

	if (sqlite3_step(statement) != SQLITE_ROW)
		return store_refuse(store, "read the ledger", refusal);
	return read_json(store, statement, 0, ret, refusal);
}

static int last_number(struct store *store, uint32_t *ret, struct refusal *refusal)
{
	STATEMENT statement = statement_begin(store, "SELECT max(number) FROM generations");

	if (sqlite3_step(statement) != SQLITE_ROW)
		return store_refuse(store, "read the generations", refusal);
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

/* Refused, and not taken back yet. */
static bool is_withdrawn(const struct store *store, uint32_t number)
{
	return store->withdrawal.is_due && number == store->withdrawal.number;
}

int store_generations(struct store *store, int (*visit)(const struct generation *, void *), void *context,
		      struct refusal *refusal)
{
	STATEMENT statement = statement_begin(
		store, "SELECT number, time, author, cause FROM generations ORDER BY number DESC");
	struct generation generation;
	int step = SQLITE_DONE, stop = 0;

	while (!stop && (step = sqlite3_step(statement)) == SQLITE_ROW) {
		read_generation(statement, &generation);
		if (!is_withdrawn(store, generation.number))
			stop = visit(&generation, context);
	}
	if (!stop && step != SQLITE_DONE)
		return store_refuse(store, "read the generations", refusal);
	return stop;
}

int store_write_generation(struct store *store, const struct stored_change *change, struct refusal *refusal)
{
	STATEMENT statement =
		statement_begin(store, "INSERT OR REPLACE INTO generations VALUES (?, ?, ?, ?, ?)");
	const struct generation *generation = change->generation;

	sqlite3_bind_int64(statement, 1, generation->number);
	sqlite3_bind_int64(statement, 2, generation->time);
	statement_bind(statement, 3, generation->author);
	statement_bind(statement, 4, generation->cause);
	statement_bind(statement, 5, change->model);
	return statement_run(store, statement, "write a generation", refusal);
}

int store_write_ledger(struct store *store, const char *text, struct refusal *refusal)
{
	STATEMENT statement = statement_begin(store, "INSERT OR REPLACE INTO ledger VALUES (1, ?)");

	statement_bind(statement, 1, text);
	return statement_run(store, statement, "write the ledger", refusal);
}

int store_delete_generation(struct store *store, uint32_t number, struct refusal *refusal)
{
	STATEMENT statement = statement_begin(store, "DELETE FROM generations WHERE number = ?");

	sqlite3_bind_int64(statement, 1, number);
	return statement_run(store, statement, "take a generation back", refusal);
}

uint32_t store_oldest(struct store *store)
{
	return (uint32_t)statement_number(store, "SELECT min(number) FROM generations");
}

/* Facts ------------------------------------------------------------------------------ */

/* The source of a fact: an operator. Other sources can be added. */
static const char stated[] = "stated";

int store_write_fact(struct store *store, const struct fact *fact, struct refusal *refusal)
{
	STATEMENT statement = statement_begin(
		store,
		fact->state == HEALTH_UNKNOWN
			? "DELETE FROM facts WHERE pool = ? AND name = ? AND address = ? AND source = ?"
			: "INSERT OR REPLACE INTO facts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
	char address[ADDRESS_TEXT];

	statement_bind(statement, 1, fact->pool);
	statement_bind(statement, 2, fact->name);
	statement_bind(statement, 3, address_text(&fact->address, address));
	statement_bind(statement, 4, stated);
	if (fact->state != HEALTH_UNKNOWN) {
		statement_bind(statement, 5, health_name(fact->state));
		statement_bind(statement, 6, fact->author);
		sqlite3_bind_int64(statement, 7, fact->time);
		statement_bind(statement, 8, fact->boot);
		sqlite3_bind_int64(statement, 9, fact->monotonic);
		sqlite3_bind_int64(statement, 10, fact->gone);
	}
	return statement_run(store, statement, "write what is stated of a backend's health", refusal);
}

/* One that cannot be read (a later version's state) is passed over. */
static bool read_fact(sqlite3_stmt *statement, struct fact *ret)
{
	struct fact fact = {.time = sqlite3_column_int64(statement, 5),
			    .monotonic = sqlite3_column_int64(statement, 7),
			    .gone = (uint32_t)sqlite3_column_int64(statement, 8)};
	char address[ADDRESS_TEXT], state[16];

	statement_copy(statement, 0, fact.pool, sizeof fact.pool);
	statement_copy(statement, 1, fact.name, sizeof fact.name);
	statement_copy(statement, 2, address, sizeof address);
	statement_copy(statement, 3, state, sizeof state);
	statement_copy(statement, 4, fact.author, sizeof fact.author);
	statement_copy(statement, 6, fact.boot, sizeof fact.boot);
	fact.state = !strcmp(state, "down") ? HEALTH_DOWN : !strcmp(state, "up") ? HEALTH_UP : HEALTH_UNKNOWN;
	*ret = fact;
	return fact.state != HEALTH_UNKNOWN && !address_parse(address, &ret->address);
}

int store_facts(struct store *store, int (*visit)(const struct fact *, void *), void *context,
		struct refusal *refusal)
{
	STATEMENT statement = statement_begin(
		store, "SELECT pool, name, address, state, author, time, boot, monotonic, gone"
		       " FROM facts WHERE source = ?");
	struct fact fact;
	int step, stop = 0;

	statement_bind(statement, 1, stated);
	while (!stop && (step = sqlite3_step(statement)) == SQLITE_ROW)
		if (read_fact(statement, &fact))
			stop = visit(&fact, context);
	if (!stop && step != SQLITE_DONE)
		return store_refuse(store, "read what is stated of backends' health", refusal);
	return stop;
}

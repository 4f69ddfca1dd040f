/* SPDX-License-Identifier: Apache-2.0 */
/* The store's facts: what was stated of backends' health. */
#include <string.h>

#include "store_private.h"

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

/* SPDX-License-Identifier: Apache-2.0 */
/* Transactions that write. */
#include <stdlib.h>

#include "store_private.h"

int store_hold(struct store *store, struct refusal *refusal)
{
	if (!store->held)
		store_rewind_log(store);
	if (!store->held && sqlite3_exec(store->db, "BEGIN IMMEDIATE", NULL, NULL, NULL))
		return store_refuse(store, "begin a change", refusal);
	store->held = true;
	return 0;
}

void store_release(struct store *store)
{
	if (store->held)
		sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
	store->held = false;
}

static int write_withdrawal(struct store *store, struct refusal *refusal)
{
	const struct withdrawal *withdrawal = &store->withdrawal;
	int error = 0;

	if (withdrawal->number)
		error = store_delete_generation(store, withdrawal->number, refusal);
	if (!error && withdrawal->ledger)
		error = store_write_ledger(store, withdrawal->ledger, refusal);
	if (!error && withdrawal->has_fact)
		error = store_write_fact(store, &withdrawal->fact, refusal);
	return error;
}

int store_begin(struct store *store, struct refusal *refusal)
{
	int error = store_hold(store, refusal);

	store->held = false;
	if (error || !store->withdrawal.is_due)
		return error;
	error = write_withdrawal(store, refusal);
	return error ? store_end(store, error, refusal) : 0;
}

int store_end(struct store *store, int error, struct refusal *refusal)
{
	if (!error)
		error = store_grow(store, refusal);
	if (!error && sqlite3_exec(store->db, "COMMIT", NULL, NULL, NULL))
		error = store_refuse(store, "commit a change", refusal);
	store->failed |= error != 0;
	if (error) {
		sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
		return error;
	}
	free(store->withdrawal.ledger);
	store->withdrawal = (struct withdrawal){0};
	return 0;
}

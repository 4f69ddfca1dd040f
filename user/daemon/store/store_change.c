/* SPDX-License-Identifier: Apache-2.0 */
/* What a change writes, and takes back. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store_private.h"

static int write_change(struct store *store, const struct stored_change *change, const char *ledger,
			size_t length, struct refusal *refusal)
{
	int error = store_begin(store, refusal);

	if (error)
		return error;
	error = store_trim(store, length, refusal);
	if (!error && change->fact)
		error = store_write_fact(store, change->fact, refusal);
	if (!error && change->generation)
		error = store_write_generation(store, change, refusal);
	if (!error && ledger)
		error = store_write_ledger(store, ledger, refusal);
	return store_end(store, error, refusal);
}

/* A disk that is full, perhaps of these very generations, costs the oldest of them before it costs a change.
 */
int store_commit(struct store *store, const struct stored_change *change, struct refusal *refusal)
{
	char *ledger = change->ledger ? json_dumps(change->ledger, JSON_COMPACT) : NULL;
	size_t length = change->generation ? strlen(change->model) : 0;
	int error = -ENOMEM;

	length += ledger ? strlen(ledger) : 0;
	if (length > store->largest)
		store->largest = length;
	if (ledger || !change->ledger)
		error = write_change(store, change, ledger, length, refusal);
	if (error == -ENOSPC && store_make_room(store, length))
		error = write_change(store, change, ledger, length, refusal);
	free(ledger);
	return error;
}

int store_withdraw(struct store *store, const struct stored_change *change, struct refusal *refusal)
{
	struct withdrawal *withdrawal = &store->withdrawal;
	int error;

	*withdrawal = (struct withdrawal){.is_due = true, .has_fact = change->fact};
	if (change->fact)
		withdrawal->fact = *change->fact;
	if (change->generation)
		withdrawal->number = change->generation->number;
	if (change->ledger)
		withdrawal->ledger = json_dumps(change->ledger, JSON_COMPACT);
	error = store_begin(store, refusal);
	return error ? error : store_end(store, 0, refusal);
}

int store_facts_set(struct store *store, const struct fact *facts, size_t count, struct refusal *refusal)
{
	int error = store_begin(store, refusal);

	if (error)
		return error;
	for (size_t i = 0; !error && i < count; i++)
		error = store_write_fact(store, &facts[i], refusal);
	return store_end(store, error, refusal);
}

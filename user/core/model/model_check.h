/* SPDX-License-Identifier: Apache-2.0 */
/* What every model satisfies, beyond the values of single keys: names, ranges, overlaps, table sizes,
 * sharing. */
#pragma once

#include "model.h"

/* Which object and key a refusal is about, for those who know where in a file it stands. */
struct fault {
	enum { FAULT_MODEL, FAULT_INTERFACE, FAULT_POOL, FAULT_BACKEND, FAULT_SERVICE } kind;
	const void *object; /* of the model: struct interface, pool, backend or service; NULL for the model */
	const struct pool *pool; /* FAULT_BACKEND: whose */
	const char *key;         /* NULL: the object itself */
};

/* "pool db, backend db2" as refusal->where. */
void fault_where(const struct fault *fault, struct refusal *refusal);

/* Refuses a model that does not. 0, or a negative errno with *refusal filled: -EINVAL, -EEXIST, -ENOENT,
 * -ENOSPC; -ENOMEM. */
int model_check(const struct model *model, struct refusal *refusal);
/* The same, and tells the place. *ret_fault is filled where the result is negative. */
int model_check_fault(const struct model *model, struct fault *ret_fault, struct refusal *refusal);

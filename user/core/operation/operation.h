/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operations: the one way in which a model changes. An operation is a word ("backend.drain"), and a JSON
 * object of arguments named like the CLI's options and the configuration's keys; operation_apply() makes a
 * new model of the old one or refuses, changing nothing. The table operations[] below is what the API, the
 * CLI and docs/api.md agree on.
 */
#pragma once

#include "core/model/model.h"

struct schema;

struct operation_type {
	const char *word;          /* "backend.add" */
	const char *arguments;     /* names, '?' marks optional ones: "pool name now?" */
	const struct schema *keys; /* whose other keys it takes, too (operation_signature.h); NULL: none */
	const char *help;          /* one sentence */
	int (*apply)(struct model *model, const json_t *arguments, int64_t now, struct refusal *refusal);
};

extern const struct operation_type operations[]; /* ends with word == NULL */

/*
 * Applies operation `word` with `arguments` at `now` (Unix milliseconds) to a copy of model. Unknown words,
 * unknown or missing arguments (near misses are named), wrong types, values out of range, unknown names, and
 * models that model_check() refuses: -EINVAL; an object that is already there: -EEXIST; one that is not:
 * -ENOENT; *refusal filled. An operation that changes nothing is no error: *ret equals model.
 */
int operation_apply(const struct model *model, const char *word, const json_t *arguments, int64_t now,
		    struct model **ret, struct refusal *refusal);

/*
 * Computes all long placements of the model that an operation makes of this one, and puts them into
 * model->ahead (core/placement/ahead.h). word NULL: those of the model as it is. Takes long; may run on a
 * thread that has model, arguments and store for itself.
 */
void ahead_compute(struct model *model, const char *word, const json_t *arguments, int64_t now);

/* Whether the drain of a backend that leaves is over. */
typedef bool leave_test(void *context, const struct pool *pool, const struct backend *backend);
/*
 * The end of drains: a copy of model without the leaving backends that are drained (is_over()), all in one
 * step. 0, -ENOMEM, -EINVAL with *refusal filled.
 */
int operation_leave(const struct model *model, leave_test *is_over, void *context, int64_t now,
		    struct model **ret, struct refusal *refusal);

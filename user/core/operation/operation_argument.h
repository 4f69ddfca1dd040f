/* SPDX-License-Identifier: Apache-2.0 */
/* What the operations of all nouns share: their arguments, and the objects these name. */
#ifndef HOLDFAST_OPERATION_ARGUMENT_H
#define HOLDFAST_OPERATION_ARGUMENT_H

#include "core/model/model.h"
#include "core/model/schema_table.h"

/* The text of an argument, "" where it is not there or not text. */
const char *argument_text(const json_t *arguments, const char *name);
/* Reads every argument that is a key of schema into *object, which keeps the others. What a service listens
 * on is none: arguments say it in two words. */
int arguments_read(const struct schema *schema, void *object, const json_t *arguments,
		   struct refusal *refusal);

/* The backend that arguments name, or NULL with *refusal filled, near misses named. */
struct backend *named_backend(const struct model *model, const json_t *arguments, struct pool **ret_pool,
			      struct refusal *refusal);
/* The same, but also refuses a backend that is leaving: on another balancer it may have left. */
struct backend *staying_backend(const struct model *model, const json_t *arguments, struct pool **ret_pool,
				struct refusal *refusal);
/* The backend, or NULL (of NULL, too) with *refusal filled where it is leaving. */
struct backend *unless_leaving(const struct pool *pool, struct backend *backend, struct refusal *refusal);

#endif

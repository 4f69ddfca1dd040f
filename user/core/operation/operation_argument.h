/* SPDX-License-Identifier: Apache-2.0 */
/* What the operations of all nouns share: their arguments, the objects that these name, and their type. */
#pragma once

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

/* The functions of the table of operations, one file a noun. */
typedef int operation_function(struct model *model, const json_t *arguments, int64_t now,
			       struct refusal *refusal);

operation_function interface_attach, interface_detach;
operation_function pool_add, pool_set, pool_remove, pool_slots_move;
operation_function service_add, service_set, service_remove;
operation_function backend_add, backend_set, backend_remove, backend_activate, backend_disable, backend_drain,
	backend_health;
operation_function model_apply;

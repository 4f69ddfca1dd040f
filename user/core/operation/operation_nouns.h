/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of the table of operations, one file a noun. */
#ifndef HOLDFAST_OPERATION_NOUNS_H
#define HOLDFAST_OPERATION_NOUNS_H

#include "core/model/model.h"

typedef int operation_function(struct model *model, const json_t *arguments, int64_t now,
			       struct refusal *refusal);

operation_function interface_attach, interface_detach;
operation_function pool_add, pool_set, pool_remove, pool_slots_move;
operation_function service_add, service_set, service_remove;
operation_function backend_add, backend_set, backend_remove, backend_activate, backend_disable, backend_drain,
	backend_health;
operation_function model_apply;

#endif

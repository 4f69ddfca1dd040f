/* SPDX-License-Identifier: Apache-2.0 */
#include "operation.h"

#include <errno.h>
#include <string.h>

#include "core/model/assignment.h"
#include "core/model/history.h"
#include "core/model/leaving.h"
#include "core/model/model_check.h"
#include "core/model/model_edit.h"
#include "core/model/pool_placement.h"
#include "core/model/schema_table.h"
#include "core/placement/ahead.h"
#include "core/review/objection.h"
#include "core/value/nearest.h"
#include "operation_argument.h"
#include "operation_signature.h"

const struct operation_type operations[] = {
	{"interface.attach", "name", &schema_interface, "Balances the traffic that arrives on an interface.",
	 interface_attach},
	{"interface.detach", "name", NULL, "Leaves an interface alone.", interface_detach},
	{"pool.add", "name", &schema_pool, "Makes a pool without backends.", pool_add},
	{"pool.set", "name", &schema_pool, "Changes a pool.", pool_set},
	{"pool.remove", "name", NULL, "Removes a pool that no service uses.", pool_remove},
	{"pool.slots.move", "name slots backend owner?", NULL,
	 "Gives slots of a pool with scheme slots to a backend.", pool_slots_move},
	{"service.add", "proto listen pool", &schema_service, "Serves an address and port from a pool.",
	 service_add},
	{"service.set", "proto listen", &schema_service, "Changes a service.", service_set},
	{"service.remove", "proto listen", NULL, "Ends a service.", service_remove},
	{"backend.add", "pool name address", &schema_backend, "Adds a backend to a pool.", backend_add},
	{"backend.set", "pool name", &schema_backend, "Changes a backend.", backend_set},
	{"backend.remove", "pool name now?", NULL, "Removes a backend from its pool.", backend_remove},
	{"backend.activate", "pool name", NULL, "Gives a backend its slots back.", backend_activate},
	{"backend.drain", "pool name deadline?", NULL, "Sends new flows elsewhere; old ones stay.",
	 backend_drain},
	{"backend.disable", "pool name", NULL, "Takes all flows off a backend at once.", backend_disable},
	{"backend.health", "pool name state", NULL,
	 "States a backend's health, or withdraws the statement (auto).", backend_health},
	{"model.apply", "configuration", NULL, "Makes a whole configuration the desired state.", model_apply},
	{0},
};

/* Applying -------------------------------------------------------------------- */

static const struct operation_type *find_operation(const char *word, struct refusal *refusal)
{
	struct nearest nearest = nearest_to(word);

	for (const struct operation_type *type = operations; type->word; type++) {
		if (strcmp(type->word, word) == 0)
			return type;
		nearest_offer(&nearest, type->word);
	}
	refuse(refusal, -EINVAL, "unknown operation %.64s", word);
	nearest_right(&nearest, refusal, "an operation such as backend.add");
	return NULL;
}

/* The last step for every model that was made of another. If it fails, the caller frees the model. */
static int settle_model(struct model *copy, const struct model *before, bool notes_history, int64_t now,
			struct refusal *refusal)
{
	int error = model_settle_leaving(copy, refusal);

	if (error == 0)
		error = assignment_fix(copy);
	if (error == 0 && notes_history)
		error = history_note(copy, before, now);
	return error == 0 ? model_check(copy, refusal) : error;
}

int operation_apply(const struct model *model, const char *word, const json_t *arguments, int64_t now,
		    struct model **ret, struct refusal *refusal)
{
	const struct operation_type *type = find_operation(word, refusal);
	struct model *copy;
	int error;

	if (!type)
		return -EINVAL;
	error = signature_check(type, arguments, refusal);
	if (error < 0)
		return error;
	refuse(refusal, 0, "%s", "");
	copy = model_copy(model);
	if (!copy)
		return refusal_complete(refusal, -ENOMEM);
	error = type->apply(copy, arguments, now, refusal);
	if (error == 0) /* model_apply may be told a history, and sees to it itself */
		error = settle_model(copy, model, type->apply != model_apply, now, refusal);
	if (error == 0)
		error = objections_check(model, copy, refusal);
	if (error < 0) {
		model_free(copy);
		return refusal_complete(refusal, error);
	}
	*ret = copy;
	return 0;
}

int operation_leave(const struct model *model, leave_test *is_over, void *context, int64_t now,
		    struct model **ret, struct refusal *refusal)
{
	struct model *copy = model_copy(model);
	int error;

	if (!copy)
		return -ENOMEM;
	for (size_t i = 0; i < copy->pool_count; i++) {
		struct pool *pool = &copy->pools[i];

		for (size_t j = pool->backend_count; j--;)
			if (pool->backends[j].removing && is_over(context, pool, &pool->backends[j]))
				pool_remove_backend(pool, &pool->backends[j]);
	}
	error = settle_model(copy, model, true, now, refusal);
	if (error < 0) {
		model_free(copy);
		return error;
	}
	*ret = copy;
	return 0;
}

/* Ahead ----------------------------------------------------------------------- */

static void compute_all(const struct model *model)
{
	struct placement *placement;

	for (size_t i = 0; i < model->pool_count; i++)
		if (!pool_placement(model, &model->pools[i], NULL, &placement, NULL))
			placement_free(placement);
}

void ahead_compute(struct model *model, const char *word, const json_t *arguments, int64_t now)
{
	struct model *next = NULL;

	ahead_compute_missing(model->ahead, true);
	if (!word)
		compute_all(model);
	else if (!operation_apply(model, word, arguments, now, &next, NULL))
		compute_all(next);
	model_free(next);
	ahead_compute_missing(model->ahead, false);
}

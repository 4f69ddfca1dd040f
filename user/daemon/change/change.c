/* SPDX-License-Identifier: Apache-2.0 */
#include "change.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/config/model_json.h"
#include "core/model/leaving.h"
#include "core/review/forecast.h"
#include "core/review/guard.h"
#include "core/review/objection.h"
#include "core/review/warning.h"
#include "core/schema/schema.h"
#include "daemon/base/clock.h"
#include "daemon/base/event_log.h"
#include "install.h"
#include "numbers.h"
#include "daemon/base/lock.h"
#include "kern/preflight/host_objection.h"

/* A new backend's neighbour is asked for before flows are sent to it, for so long. */
enum { SETTLE = 10 /* ms */ };

char *model_dump(const struct model *model)
{
	json_t *json = model_write(model, SCHEMA_FACT);
	char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;

	json_decref(json);
	return text;
}

/* Refuses a change while another process has the pins, or while the store cannot keep it. */
static int check_hold(struct instance *instance, struct refusal *refusal)
{
	int error = hold_renew(&instance->hold, instance->dataplane);

	if (!error)
		return store_check(instance->store, refusal);
	*refusal = instance->hold.problem;
	return error;
}

int change_check(struct instance *instance, const struct change *change, struct refusal *refusal)
{
	int error = check_hold(instance, refusal);

	if (error || !change->expect || change->expect == instance->generation.number)
		return error;
	refuse(refusal, -ESTALE, "generation %u is in force, not %u", instance->generation.number,
	       change->expect);
	refusal_right(refusal, "look at what has changed and try again");
	return -ESTALE;
}

/* Made before the change is carried out: when it is in force, nothing may fail any more. */
json_t *change_answer(uint32_t generation, bool changed, bool dry_run, json_t *plan, json_t *warnings)
{
	return json_pack("{s:I, s:b, s:b, s:o, s:o}", "generation", (json_int_t)generation, "changed",
			 changed, "dry_run", dry_run, "plan", plan, "warnings", warnings);
}

/* Where numbers are short, those that were retired just now are released first. */
static int assign_numbers(struct instance *instance, struct install *install, struct refusal *refusal)
{
	uint32_t limit = dataplane_counter_limit(instance->dataplane);
	int error = ledger_assign(install->ledger, install->model, limit, refusal);

	if (error != -ENOSPC)
		return error;
	evidence_reclaim(&instance->evidence);
	if (!numbers_release(instance))
		return error;
	ledger_free(install->ledger);
	install->ledger = ledger_copy(instance->ledger);
	return install->ledger ? ledger_assign(install->ledger, install->model, limit, refusal) : -ENOMEM;
}

/* What is to rule, and what it changes. */
static int draft(struct instance *instance, struct install *install, bool dry_run, struct refusal *refusal)
{
	int error;

	install->text = model_dump(install->model);
	install->ledger = ledger_copy(instance->ledger);
	if (!install->text || !install->ledger)
		return -ENOMEM;
	error = assign_numbers(instance, install, refusal);
	if (error)
		return error;
	install->makes_generation = strcmp(install->text, instance->text) != 0;
	install->dry = dry_run || !(install->makes_generation || install->states_fact);
	return install_plan(instance, install, refusal);
}

static void tell(struct instance *instance, const struct install *install, const struct change *change)
{
	static const char *const words[] = {"statement withdrawn", "stated up", "stated down"};
	const struct generation *generation = &instance->generation;
	char label[BACKEND_TEXT], subject[NAME_SIZE + BACKEND_TEXT];

	if (install->makes_generation) {
		facts_follow(instance->facts, instance->model, generation->number);
		event_note(LOG_LEVEL_NOTICE, "change", "", "generation %u by %s: %s", generation->number,
			   generation->author, generation->cause);
	}
	if (!install->states_fact)
		return;
	model_label(instance->model, change->fact->pool, change->fact->name, &change->fact->address, label);
	snprintf(subject, sizeof subject, "%s/%s", change->fact->pool, label);
	event_note(LOG_LEVEL_NOTICE, "health", subject, "%s by %s", words[change->fact->state],
		   change->author);
}

/* Objections ------------------------------------------------------------------------ */

/* Visits what the change brings of objections that are likely mistakes, and notes: those of the model
 * (core/review/objection.h), and of this host (kern/preflight/host_objection.h). At a first start nobody can
 * confirm a likely mistake, and it ends nothing: `status` warns. All ports of the host's own address would
 * end what it is reached by. */
static int mistakes_visit(const struct model *before, const struct model *after, bool first,
			  objection_visit *visit, void *context)
{
	int result = first ? 0 : objections_visit(before, after, visit, context);

	if (!result && !first)
		result = host_visit_backends(before, after, visit, context);
	return result ? result : host_visit_services(before, after, visit, context);
}

static int take_mistake(const struct objection *objection, void *refusal)
{
	if (objection->weight != OBJECTION_MISTAKE)
		return 0;
	*(struct refusal *)refusal = objection->refusal;
	return -EPERM;
}

/* What a dry run would be refused for, and what was forced, is told. */
static int check(const struct instance *instance, const struct install *install, const struct change *change,
		 json_t *warnings, struct refusal *refusal)
{
	const struct guarded guarded = {instance->model, install->model, instance->image, install->image,
					install->plan,   change->limit,  change->whole};
	bool told = change->force || change->dry_run;
	struct refusal found = {0};
	int error = guard_check(&guarded, &found);

	if (error && told)
		warning_append_refusal(&found, warnings);
	if (told)
		return mistakes_visit(instance->model, install->model, change->first, warning_append_mistake,
				      warnings);
	if (!error)
		error = mistakes_visit(instance->model, install->model, change->first, take_mistake, &found);
	if (error)
		*refusal = found;
	return error;
}

static int carry_out(struct instance *instance, struct install *install, const struct change *change,
		     struct refusal *refusal)
{
	int error;

	install->generation.number = instance->generation.number + 1;
	install->generation.time = clock_unix();
	snprintf(install->generation.author, sizeof install->generation.author, "%s", change->author);
	snprintf(install->generation.cause, sizeof install->generation.cause, "%s", change->cause);
	error = install_image(instance, install, refusal);
	if (!error)
		tell(instance, install, change);
	return error;
}

static void append_warnings(const struct instance *instance, const struct install *install,
			    const struct change *change, json_t *warnings)
{
	if (change->named)
		warning_append_removals(install->model, warnings);
	warning_append_plan(install->model, instance->image, install->plan, warnings);
	warning_append_notes(instance->model, install->model, warnings);
	facts_warn_returning(instance->facts, install->model, warnings);
}

/* The answer --------------------------------------------------------------------------- */

static uint32_t flows_on_moved(struct instance *instance, const struct plan_pool *pool)
{
	const struct pool_image *before = image_pool_numbered(instance->image, pool->number);
	uint64_t *slots;
	uint32_t flows;

	switch (forecast_flows(before, pool)) {
	case FORECAST_NO_FLOWS:
		return 0;
	case FORECAST_ALL_FLOWS:
		return census_remembered(&instance->census, before);
	case FORECAST_MOVED_FLOWS:
		break;
	}
	slots = forecast_moved_slots(before, pool->image);
	flows = slots ? flows_on_slots(instance->dataplane, pool->number, slots, before->table.size) : 0;
	free(slots);
	return flows;
}

/* flows: also how many remembered flows are on the slots that move, which costs a look at the whole flow
 * table. */
static json_t *change_forecast(struct instance *instance, const struct plan *plan, bool flows)
{
	struct pool_traffic *traffic = calloc(plan->pool_count + 1, sizeof *traffic);
	json_t *json;

	for (size_t i = 0; traffic && i < plan->pool_count; i++) {
		const struct plan_pool *pool = &plan->pools[i];

		traffic[i].opened =
			rates_pool(instance->rates, instance->model, instance->ledger, pool->name);
		traffic[i].counted = flows;
		traffic[i].remembered = flows ? flows_on_moved(instance, pool) : 0;
	}
	json = traffic ? forecast_to_json(plan, traffic) : NULL;
	free(traffic);
	return json;
}

static json_t *make_answer(struct instance *instance, const struct install *install, bool dry_run,
			   json_t *warnings)
{
	bool changed = install->makes_generation || install->states_fact;
	uint32_t generation = instance->generation.number + (!dry_run && install->makes_generation);
	json_t *said =
		change_answer(generation, changed, dry_run, change_forecast(instance, install->plan, dry_run),
			      json_incref(warnings));

	json_object_set_new(json_object_get(said, "plan"), "replaced",
			    replaced_to_json(instance->model, install->model));
	return said;
}

static int change_install(struct instance *instance, struct install *install, const struct change *change,
			  json_t *warnings, json_t **ret, struct refusal *refusal)
{
	json_t *said;
	int error = draft(instance, install, change->dry_run, refusal);

	if (!error)
		error = check(instance, install, change, warnings, refusal);
	if (!error && change->dry_run)
		error = interfaces_check(instance->interfaces, instance->model, install->model,
					 change->missing_ok, refusal);
	if (error)
		return error;
	append_warnings(instance, install, change, warnings);
	said = make_answer(instance, install, change->dry_run, warnings);
	if (!said)
		return -ENOMEM;
	if (!install->dry)
		error = carry_out(instance, install, change, refusal);
	if (error)
		json_decref(said);
	else
		*ret = said;
	return error;
}

int change_model(struct instance *instance, struct model *next, const struct change *change, json_t **ret,
		 struct refusal *refusal)
{
	struct install install = {.model = next, .settle = SETTLE, .missing_ok = change->missing_ok};
	json_t *warnings = json_array();
	int error = change_check(instance, change, refusal);

	next->ahead = instance->model->ahead;
	/* A generation holds no health. */
	facts_leave_words(instance->facts, next, NULL);
	if (change->warnings)
		json_array_extend(warnings, (json_t *)change->warnings);
	if (!error && change->fact)
		error = facts_try(instance->facts, change->fact, &install.states_fact);
	if (!error)
		error = change_install(instance, &install, change, warnings, ret, refusal);
	if (install.states_fact && (error || change->dry_run))
		facts_undo(instance->facts);
	install_close(instance, &install);
	json_decref(warnings);
	return error;
}

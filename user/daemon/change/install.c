/* SPDX-License-Identifier: Apache-2.0 */
#include "install.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/clock.h"
#include "daemon/base/log.h"
#include "waiting.h"
#include "kern/apply/plan_apply.h"

/* The image -------------------------------------------------------------------------- */

static struct health known_health(void *context, const char *pool, const struct backend *backend)
{
	const struct instance *instance = context;
	struct health health = facts_health(instance->facts, pool, backend);

	health.answers = health.state == HEALTH_DOWN && probe_has(&instance->probe, &backend->address);
	return health;
}

static bool is_away(void *context, uint32_t pool, uint32_t slot)
{
	const struct instance *instance = context;

	return flow_census_away(instance->census.last, pool, slot);
}

/* evidence_last() guarantees that the count says something of the slots as they are. */
static struct moment moment_now(struct instance *instance)
{
	return (struct moment){
		.now = clock_monotonic() / 1000,
		.wall = steady_clock_now(&instance->clock),
		.health = known_health,
		.away = evidence_last(&instance->evidence) ? is_away : NULL,
		.counted = evidence_moment(&instance->evidence),
		.context = instance,
	};
}

static const struct image *image_before(const struct instance *instance, const struct install *install)
{
	return install->before ? install->before : instance->image;
}

static int build_image(struct instance *instance, struct install *install, struct refusal *refusal)
{
	const struct model *model = install->model ? install->model : instance->model;
	const struct ledger *ledger = install->ledger ? install->ledger : instance->ledger;
	const struct moment moment = moment_now(instance);
	int error = image_build(model, ledger, image_before(instance, install), &moment, &install->image,
				refusal);

	if (error == -EAGAIN)
		waiting_prepare(instance->waiting, model, NULL, NULL);
	if (error || !install->model)
		return error;
	return image_check_room(instance->image, install->image, dataplane_slot_limit(instance->dataplane),
				refusal);
}

static int follow_next_hops(struct instance *instance, struct install *install)
{
	int error = install->dry ? 0 : next_hops_follow(instance->next_hops, install->image);

	if (error)
		return error;
	install->followed = !install->dry;
	if (install->followed)
		next_hops_settle(instance->next_hops, install->settle);
	next_hops_fill(instance->next_hops, install->image);
	return 0;
}

int install_plan(struct instance *instance, struct install *install, struct refusal *refusal)
{
	int error = build_image(instance, install, refusal);

	if (!error)
		error = follow_next_hops(instance, install);
	if (!error)
		error = plan_make(image_before(instance, install), install->image, &install->plan);
	return error;
}

/* The store ---------------------------------------------------------------------------- */

static bool is_stored(const struct install *install)
{
	return install->makes_generation || install->states_fact;
}

/* Numbers are given and retired where pools, services or backends come and go, and only there. */
static bool keeps_numbers(const struct plan *plan)
{
	for (size_t i = 0; i < plan->pool_count; i++)
		if (plan->pools[i].change != PLAN_CHANGE)
			return false;
	for (size_t i = 0; i < plan->backend_count; i++)
		if (plan->backends[i].change != PLAN_CHANGE)
			return false;
	return !plan->services;
}

/* Writes what is to be in force, or (undone) what was before it. */
static int write_store(struct instance *instance, const struct install *install, bool undone,
		       struct refusal *refusal)
{
	struct stored_change change = {.model = install->text};
	json_t *ledger = NULL;
	int error;

	if (install->states_fact)
		change.fact = undone ? facts_before(instance->facts) : facts_tried(instance->facts);
	if (install->makes_generation)
		change.generation = &install->generation;
	if (install->makes_generation && !keeps_numbers(install->plan)) {
		ledger = ledger_to_json(undone ? instance->ledger : install->ledger);
		if (!ledger)
			return -ENOMEM;
	}
	change.ledger = ledger;
	error = undone ? store_withdraw(instance->store, &change, refusal)
		       : store_commit(instance->store, &change, refusal);
	json_decref(ledger);
	return error;
}

/* The store takes it back now or with what it writes next. What is in force stays. */
static void withdraw(struct instance *instance, const struct install *install)
{
	struct refusal refusal = {0};

	if (is_stored(install) && write_store(instance, install, true, &refusal))
		log_refusal(LOG_LEVEL_ERROR, "the refused generation stays in the database for now",
			    &refusal);
}

/* Counters ------------------------------------------------------------------------------ */

/* Counters that are given to somebody new begin at 0, whoever had them before; a range that was outgrown goes
 * on in the one that takes its place. */
static void clear(struct dataplane *dataplane, uint32_t first, uint32_t count)
{
	if (dataplane_counters_clear(dataplane, first, count))
		log_line(LOG_LEVEL_WARNING, "counters from %u on cannot be cleared", first);
}

static void clear_backends(const struct instance *instance, const struct install *install,
			   const struct pool *pool, uint32_t first, uint32_t ordinals)
{
	const char *old_pool, *old_name;
	struct address old_address;

	for (size_t i = 0; i < pool->backend_count; i++) {
		uint16_t number = ledger_backend(install->ledger, pool->name, &pool->backends[i]);
		uint16_t ordinal = ledger_ordinal(install->ledger, number);

		if (ordinal < ordinals &&
		    !ledger_backend_name(instance->ledger, number, &old_pool, &old_name, &old_address))
			clear(instance->dataplane, first + ordinal, 1);
	}
}

/* A range that was outgrown goes on in the next; what is counted in the old one until the switch, a moment,
 * is not. */
static void move_service(struct dataplane *dataplane, uint32_t from, uint32_t count, uint32_t to)
{
	if (dataplane_counters_copy(dataplane, from, to, count))
		log_line(LOG_LEVEL_WARNING, "counters from %u on cannot be carried over", from);
}

static bool keeps_pool(const struct model *before, const struct service *service)
{
	const struct service *old =
		model_service(before, service->proto, &service->vip, service->port_low, service->port_high);

	return old && !strcmp(old->pool, service->pool);
}

static void begin_service(const struct instance *instance, const struct install *install,
			  const struct service *service, bool backends)
{
	const struct pool *pool = model_pool(install->model, service->pool);
	uint32_t old_first = 0, old_ordinals = 0, first = 0, ordinals = 0;
	uint16_t old = ledger_service(instance->ledger, service, &old_first, &old_ordinals);

	if (!ledger_service(install->ledger, service, &first, &ordinals))
		return;
	if (!old || old_first != first)
		clear(instance->dataplane, first, ordinals);
	if (old && old_first != first && keeps_pool(instance->model, service))
		move_service(instance->dataplane, old_first,
			     old_ordinals < ordinals ? old_ordinals : ordinals, first);
	else if (old && old_first == first && pool && backends)
		clear_backends(instance, install, pool, first, ordinals);
}

static bool brings_backends(const struct plan *plan)
{
	for (size_t i = 0; i < plan->backend_count; i++)
		if (plan->backends[i].change == PLAN_ADD)
			return true;
	return false;
}

/* Prepares the counters that the install's ledger gives and the instance's did not, before packets count
 * there. */
static void counters_reset(const struct instance *instance, const struct install *install)
{
	bool backends = brings_backends(install->plan);

	for (size_t i = 0; (backends || install->plan->services) && i < install->model->service_count; i++)
		begin_service(instance, install, &install->model->services[i], backends);
}

/* The data plane ------------------------------------------------------------------------ */

/* The words of the image in force are read where they lie, not kept twice. Tables may have been moved to make
 * room, whether a change succeeded or not. */
static void lend_words(struct instance *instance)
{
	struct image *image = instance->image;
	const uint64_t *words;
	struct hf_table table;

	for (size_t i = 0; image && i < image->pool_count; i++)
		if (!dataplane_pool(instance->dataplane, image->pools[i].number, &table, &words) &&
		    table.size == image->pools[i].table.size)
			image_lend_words(image, i, words,
					 dataplane_pool_since(instance->dataplane, image->pools[i].number));
}

static int apply_plan(struct instance *instance, const struct install *install, struct refusal *refusal)
{
	uint32_t generation =
		install->makes_generation ? install->generation.number : instance->generation.number;
	int error;

	/* What time alone makes due may already be there. */
	if (!is_stored(install) && plan_empty(install->plan))
		return 0;
	error = dataplane_apply(instance->dataplane, install->plan, generation, refusal);
	if (error)
		lend_words(instance);
	return error;
}

static int store_and_apply(struct instance *instance, const struct install *install, struct refusal *refusal)
{
	int error = is_stored(install) ? write_store(instance, install, false, refusal) : 0;

	if (error)
		return error;
	if (install->model)
		counters_reset(instance, install);
	error = apply_plan(instance, install, refusal);
	if (error)
		withdraw(instance, install);
	return error;
}

static int attach_and_apply(struct instance *instance, const struct install *install, struct refusal *refusal)
{
	int error = 0;

	if (!install->model)
		return store_and_apply(instance, install, refusal);
	error = interfaces_change(instance->interfaces, instance->model, install->model, install->missing_ok,
				  refusal);
	if (error)
		return error;
	error = store_and_apply(instance, install, refusal);
	if (error)
		interfaces_undo(instance->interfaces, instance->model, install->model);
	return error;
}

/* In force ------------------------------------------------------------------------------ */

/* Whoever takes new flows again is not drained any more. */
static void forget_drained(struct instance *instance)
{
	for (size_t i = 0; i < instance->image->backend_count; i++)
		if (instance->image->backends[i].entry.flags & HF_BACKEND_TAKES_NEW)
			instance->drained[instance->image->backends[i].number] = false;
}

/* Preferences are walked again when somebody asks for them. */
static void note_loaded(struct instance *instance)
{
	struct image *image = instance->image;

	instance->overdue = (struct refusal){0};
	lend_words(instance);
	for (size_t i = 0; i < image->pool_count; i++)
		placement_forget_preferences(image->pools[i].placement);
	if (rates_learn(instance->rates, instance->model, instance->ledger))
		log_line(LOG_LEVEL_WARNING, "no memory: counters of what is new stay unread");
	next_hops_loaded(instance->next_hops);
	slot_counts_forget(&instance->slot_counts);
	forget_drained(instance);
}

/* What was installed rules now, and what it replaces is what is to be freed. */
static void take_over(struct instance *instance, struct install *install)
{
	const struct install old = {.model = instance->model,
				    .text = instance->text,
				    .ledger = instance->ledger,
				    .image = instance->image};

	instance->image = install->image;
	install->image = old.image;
	install->followed = false;
	if (install->makes_generation)
		instance->generation = install->generation;
	if (install->model) {
		instance->model = install->model;
		instance->text = install->text;
		instance->ledger = install->ledger;
		install->model = old.model;
		install->text = old.text;
		install->ledger = old.ledger;
	}
	note_loaded(instance);
	if (install->model)
		interfaces_settle(instance->interfaces, instance->model);
}

int install_image(struct instance *instance, struct install *install, struct refusal *refusal)
{
	int error = install->plan ? 0 : install_plan(instance, install, refusal);

	if (!error && is_stored(install))
		error = store_hold(instance->store, refusal);
	if (error)
		return error;
	error = attach_and_apply(instance, install, refusal);
	store_release(instance->store);
	if (!error)
		take_over(instance, install);
	return error;
}

void install_close(struct instance *instance, struct install *install)
{
	if (install->followed)
		next_hops_undo(instance->next_hops);
	plan_free(install->plan);
	image_free(install->image);
	ledger_free(install->ledger);
	free(install->text);
	model_free(install->model);
}

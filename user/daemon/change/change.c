/* SPDX-License-Identifier: Apache-2.0 */
#include "change.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/leaving.h"
#include "core/model/model_edit.h"
#include "core/schema/schema.h"
#include "warning.h"
#include "daemon/base/clock.h"
#include "daemon/base/event_log.h"
#include "change_health.h"
#include "forecast.h"
#include "counter_reset.h"
#include "daemon/watch/hold.h"
#include "preparation.h"
#include "refresh.h"

/* A new backend's neighbour is asked for before flows are sent to it, for so long. */
enum { SETTLE = 10 /* ms */ };

/* What a change would put in place of what rules. */
struct draft {
	struct model *model;
	char *text;
	struct ledger *ledger;
	struct image *image;
	struct plan *plan;
	bool generation; /* the model is another: a generation is made */
	bool fact;       /* something else is stated than before */
};

static void draft_free(struct draft *draft)
{
	plan_free(draft->plan);
	image_free(draft->image);
	ledger_free(draft->ledger);
	free(draft->text);
	model_free(draft->model);
}

char *model_dump(const struct model *model)
{
	json_t *json = model_write(model, SCHEMA_FACT);
	char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;

	json_decref(json);
	return text;
}

static int check_expected(const struct instance *instance, uint32_t expect, struct refusal *refusal)
{
	if (!expect || expect == instance->generation.number)
		return 0;
	refuse(refusal, -ESTALE, "generation %u is in force, not %u", instance->generation.number, expect);
	refusal_right(refusal, "look at what has changed and try again");
	return -ESTALE;
}

/* Refuses a change while another process has the pins, or while the store cannot keep it. */
static int check_hold(struct instance *instance, struct refusal *refusal)
{
	int error = hold_renew(instance);

	if (!error)
		return store_check(instance->store, refusal);
	*refusal = instance->unheld;
	return error;
}

/* Where numbers are short, those that were retired just now are released first. */
static int assign(struct instance *instance, struct draft *draft, struct refusal *refusal)
{
	uint32_t limit = instance_counter_limit(instance);
	int error = ledger_assign(draft->ledger, draft->model, limit, refusal);

	if (error != -ENOSPC)
		return error;
	instance_reclaim(instance);
	if (!refresh_numbers(instance))
		return error;
	ledger_free(draft->ledger);
	draft->ledger = ledger_copy(instance->ledger);
	return draft->ledger ? ledger_assign(draft->ledger, draft->model, limit, refusal) : -ENOMEM;
}

static int draft_image(struct instance *instance, struct draft *draft, struct refusal *refusal)
{
	struct moment moment;
	int error;

	draft->text = model_dump(draft->model);
	draft->ledger = ledger_copy(instance->ledger);
	if (!draft->text || !draft->ledger)
		return -ENOMEM;
	error = assign(instance, draft, refusal);
	if (error)
		return error;
	instance_moment(instance, &moment);
	return image_build(draft->model, draft->ledger, instance->image, &moment, &draft->image, refusal);
}

/* A dry run follows nothing new: it asks no neighbour. */
static int draft_plan(struct instance *instance, struct draft *draft, bool dry_run)
{
	int error = dry_run ? 0 : next_hops_follow(instance->next_hops, draft->image);

	if (error)
		return error;
	if (!dry_run)
		next_hops_settle(instance->next_hops, SETTLE);
	next_hops_fill(instance->next_hops, draft->image);
	return plan_make(instance->image, draft->image, &draft->plan);
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

/* What the store is to write: the draft, or (undone) what ruled before it. */
static int commit(struct instance *instance, const struct draft *draft, const struct generation *generation,
		  bool undone, struct refusal *refusal)
{
	struct stored_change change = {.model = draft->text};
	json_t *ledger = NULL;
	int error;

	if (draft->fact)
		change.fact = undone ? facts_before(instance->facts) : facts_tried(instance->facts);
	if (draft->generation)
		change.generation = generation;
	if (draft->generation && !keeps_numbers(draft->plan)) {
		ledger = ledger_to_json(undone ? instance->ledger : draft->ledger);
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
static void withdraw(struct instance *instance, const struct draft *draft,
		     const struct generation *generation)
{
	struct refusal refusal = {0};

	if (commit(instance, draft, generation, true, &refusal))
		log_refusal(LOG_LEVEL_ERROR, "the refused generation stays in the database for now",
			    &refusal);
}

static int load(struct instance *instance, const struct draft *draft, const struct generation *generation,
		struct refusal *refusal)
{
	const struct counter_reset reset = {instance->dataplane, draft->plan,      instance->model,
					    draft->model,        instance->ledger, draft->ledger};
	int error =
		draft->generation || draft->fact ? commit(instance, draft, generation, false, refusal) : 0;

	if (error)
		return error;
	counters_reset(&reset);
	error = dataplane_apply(instance->dataplane, draft->plan, generation->number, refusal);
	if (!error)
		return 0;
	instance_lend_words(instance);
	withdraw(instance, draft, generation);
	return error;
}

/* What the draft held rules now, and the draft holds what is to be freed. */
static void take_over(struct instance *instance, struct draft *draft, const struct generation *generation)
{
	const struct draft old = {.model = instance->model,
				  .text = instance->text,
				  .ledger = instance->ledger,
				  .image = instance->image};

	instance->model = draft->model;
	instance->text = draft->text;
	instance->ledger = draft->ledger;
	instance->image = draft->image;
	instance->generation = *generation;
	draft->model = old.model;
	draft->text = old.text;
	draft->ledger = old.ledger;
	draft->image = old.image;
	instance_loaded(instance);
	interfaces_settle(instance->interfaces, instance->model);
}

static void tell(struct instance *instance, const struct draft *draft, const struct change *change)
{
	static const char *const words[] = {"statement withdrawn", "stated up", "stated down"};
	const struct generation *generation = &instance->generation;
	char label[BACKEND_TEXT], subject[NAME_SIZE + BACKEND_TEXT];

	if (draft->generation) {
		facts_follow(instance->facts, instance->model, generation->number);
		event_note(LOG_LEVEL_NOTICE, "change", "", "generation %u by %s: %s", generation->number,
			   generation->author, generation->cause);
	}
	if (!draft->fact)
		return;
	model_label(instance->model, change->fact->pool, change->fact->name, &change->fact->address, label);
	snprintf(subject, sizeof subject, "%s/%s", change->fact->pool, label);
	event_note(LOG_LEVEL_NOTICE, "health", subject, "%s by %s", words[change->fact->state],
		   change->author);
}

static int attach_and_load(struct instance *instance, const struct draft *draft,
			   const struct generation *generation, bool missing_ok, struct refusal *refusal)
{
	int error =
		interfaces_change(instance->interfaces, instance->model, draft->model, missing_ok, refusal);

	if (error)
		return error;
	error = load(instance, draft, generation, refusal);
	if (error)
		interfaces_undo(instance->interfaces, instance->model, draft->model);
	return error;
}

static int carry_out(struct instance *instance, struct draft *draft, const struct change *change,
		     struct refusal *refusal)
{
	struct generation generation = instance->generation;
	int error;

	if (draft->generation) {
		generation.number++;
		generation.time = clock_unix();
		snprintf(generation.author, sizeof generation.author, "%s", change->author);
		snprintf(generation.cause, sizeof generation.cause, "%s", change->cause);
	}
	error = store_hold(instance->store, refusal);
	if (!error)
		error = attach_and_load(instance, draft, &generation, change->missing_ok, refusal);
	store_release(instance->store);
	if (error)
		return error;
	take_over(instance, draft, &generation);
	tell(instance, draft, change);
	return 0;
}

/* Made before the change is carried out: when it is in force, nothing may fail any more. */
static json_t *answer(uint32_t generation, bool changed, bool dry_run, json_t *plan, json_t *warnings)
{
	return json_pack("{s:I, s:b, s:b, s:o, s:o}", "generation", (json_int_t)generation, "changed",
			 changed, "dry_run", dry_run, "plan", plan, "warnings", warnings);
}

static void warn(json_t *warnings, const struct refusal *refusal)
{
	json_array_append_new(warnings, json_sprintf("%s%s%s", refusal->where, refusal->where[0] ? ": " : "",
						     refusal->what));
}

/* What a dry run would be refused for, and what was forced, is told. */
static int check(const struct instance *instance, const struct draft *draft, const struct change *change,
		 json_t *warnings, struct refusal *refusal)
{
	const struct guarded guarded = {instance->model, draft->model,  instance->image, draft->image,
					draft->plan,     change->limit, change->first,   change->whole};
	bool told = change->force || change->dry_run;
	struct refusal found = {0};
	int error = guard_check(&guarded, &found);

	if (error && told)
		warn(warnings, &found);
	if (told)
		return guard_visit_mistakes(&guarded, caution_append_mistake, warnings);
	if (!error)
		error = guard_check_mistakes(&guarded, &found);
	if (error)
		*refusal = found;
	return error;
}

/* A file does not bring back what a command removed. */
static void warn_of_removals(const struct model *model, json_t *warnings)
{
	char address[ADDRESS_TEXT];

	for (size_t i = 0; i < model->removal_count; i++) {
		const struct removal *removal = &model->removals[i];

		json_array_append_new(
			warnings,
			json_sprintf("backend %s/%s stays out: it is named, but a command removed it; "
				     "`holdfast backend add %s/%s %s` brings it back",
				     removal->pool, removal->name, removal->pool, removal->name,
				     address_text(&removal->address, address)));
	}
}

static int change_draft(struct instance *instance, struct draft *draft, const struct change *change,
			json_t *warnings, json_t **ret, struct refusal *refusal)
{
	bool changed, carried;
	json_t *said;
	int error = draft_image(instance, draft, refusal);

	if (error)
		return error;
	error = image_check_room(instance->image, draft->image, instance_slot_limit(instance), refusal);
	if (error)
		return error;
	draft->generation = strcmp(draft->text, instance->text) != 0;
	changed = draft->generation || draft->fact;
	error = draft_plan(instance, draft, change->dry_run || !changed);
	if (!error)
		error = check(instance, draft, change, warnings, refusal);
	if (error)
		return error;
	if (change->named)
		warn_of_removals(draft->model, warnings);
	caution_append(draft->model, instance->image, draft->plan, warnings);
	caution_append_notes(instance->model, draft->model, warnings);
	facts_warn_returning(instance->facts, draft->model, warnings);
	carried = changed && !change->dry_run;
	said = answer(instance->generation.number + (carried && draft->generation), changed, change->dry_run,
		      forecast_plan(instance, draft->plan, change->dry_run), json_incref(warnings));
	if (!said)
		return -ENOMEM;
	json_object_set_new(json_object_get(said, "plan"), "replaced",
			    replaced_to_json(instance->model, draft->model));
	if (carried)
		error = carry_out(instance, draft, change, refusal);
	if (error)
		json_decref(said);
	else
		*ret = said;
	return error;
}

int change_model(struct instance *instance, struct model *next, const struct change *change, json_t **ret,
		 struct refusal *refusal)
{
	struct draft draft = {.model = next};
	json_t *warnings = json_array();
	int error = check_hold(instance, refusal);

	next->ahead = instance->model->ahead;
	/* A generation holds no health. */
	facts_leave_words(instance->facts, next, NULL);
	if (change->warnings)
		json_array_extend(warnings, (json_t *)change->warnings);
	if (!error)
		error = check_expected(instance, change->expect, refusal);
	if (!error && change->fact)
		error = facts_try(instance->facts, change->fact, &draft.fact);
	if (!error)
		error = change_draft(instance, &draft, change, warnings, ret, refusal);
	if (draft.fact && (error || change->dry_run))
		facts_undo(instance->facts);
	/* The image in force is followed again, whatever was refused. */
	if (error)
		next_hops_follow(instance->next_hops, instance->image);
	if (error == -EAGAIN)
		preparation_begin(instance->preparation, next, NULL, NULL);
	draft_free(&draft);
	json_decref(warnings);
	return error;
}

static const char *text_of(const json_t *arguments, const char *name)
{
	const char *text = json_string_value(json_object_get(arguments, name));

	return text ? text : "";
}

/* "backend drain db/db2", "service add tcp 203.0.113.10:80": the command that would have done it. */
static void tell_cause(const char *word, const json_t *arguments, char *cause, size_t room)
{
	const char *pool = text_of(arguments, "pool"), *name = text_of(arguments, "name");
	const char *proto = text_of(arguments, "proto"), *listen = text_of(arguments, "listen");
	const char *slots = text_of(arguments, "slots"), *backend = text_of(arguments, "backend");
	char command[64];

	snprintf(command, sizeof command, "%s", word);
	for (char *dot; (dot = strchr(command, '.'));)
		*dot = ' ';
	if (!strcmp(word, "model.apply"))
		snprintf(cause, room, "apply");
	else if (listen[0])
		snprintf(cause, room, "%s %s %s", command, proto, listen);
	else if (slots[0])
		snprintf(cause, room, "%s %s %s %s", command, name, slots, backend);
	else
		snprintf(cause, room, "%s %s%s%s", command, pool, pool[0] ? "/" : "", name);
}

static bool attaches_the_same(const struct interface *interface, const json_t *arguments)
{
	const char *mode = text_of(arguments, "mode");
	bool share = json_is_true(json_object_get(arguments, "share"));

	return share == interface->share &&
	       !strcmp(mode[0] ? mode : mode_name(MODE_AUTO), mode_name(interface->mode));
}

/* What the model has already is attached again where the kernel has it no longer: no new generation. -EEXIST,
 * with *refusal as it was, where there is nothing to do. */
static int attach_again(struct instance *instance, const json_t *arguments, const struct change *change,
			json_t **ret, struct refusal *refusal)
{
	const struct interface *interface = model_interface(instance->model, text_of(arguments, "name"));
	const struct plan nothing = {0};
	int error = check_hold(instance, refusal);
	json_t *said;

	if (!error)
		error = check_expected(instance, change->expect, refusal);
	if (error)
		return error;
	if (!interface || change->dry_run || !attaches_the_same(interface, arguments))
		return -EEXIST;
	said = answer(instance->generation.number, true, false, plan_to_json(&nothing), json_array());
	if (!said)
		return -ENOMEM;
	error = interfaces_attach_again(instance->interfaces, interface, refusal);
	if (error)
		json_decref(said);
	else
		*ret = said;
	return error;
}

/* A configuration that lost its line with the limit must not move more because of that. */
static uint32_t apply_limit(const struct instance *instance, const struct model *next,
			    const json_t *arguments)
{
	const json_t *configuration = json_object_get(arguments, "configuration");
	uint32_t in_force = instance->model->move_limit;

	if (json_object_get(configuration, "move_limit") || next->move_limit < in_force)
		return next->move_limit;
	return in_force;
}

static bool states_removals(const json_t *configuration)
{
	return json_object_get(configuration, "removals") || json_object_get(configuration, "history");
}

int change_operation(struct instance *instance, const char *word, const json_t *arguments,
		     const struct change *change, json_t **ret, struct refusal *refusal)
{
	struct change told = *change;
	struct words words = {0};
	char cause[192];
	struct model *next;
	int error =
		operation_apply(instance->model, word, arguments, instance_clock(instance), &next, refusal);

	if (error == -EAGAIN)
		preparation_begin(instance->preparation, instance->model, word, arguments);
	if (error == -EEXIST && !strcmp(word, "interface.attach"))
		return attach_again(instance, arguments, change, ret, refusal);
	if (error)
		return error;
	tell_cause(word, arguments, cause, sizeof cause);
	if (!told.cause)
		told.cause = cause;
	told.missing_ok = strncmp(word, "interface.", 10) != 0;
	told.whole = !strcmp(word, "model.apply");
	told.named = told.whole && !states_removals(json_object_get(arguments, "configuration"));
	if (!told.limit)
		told.limit = told.whole ? apply_limit(instance, next, arguments) : GUARD_NO_LIMIT;
	error = words_read(instance, word, arguments, next, &told, &words, refusal);
	if (error)
		model_free(next);
	else
		error = change_model(instance, next, &told, ret, refusal);
	words_end(instance, &words, error);
	return error;
}

int change_configuration(struct instance *instance, json_t *configuration, const struct change *change,
			 json_t **ret, struct refusal *refusal)
{
	json_t *arguments = json_pack("{s:O}", "configuration", configuration);
	int error = arguments ? change_operation(instance, "model.apply", arguments, change, ret, refusal)
			      : -ENOMEM;

	json_decref(arguments);
	return error;
}

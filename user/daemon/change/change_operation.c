/* SPDX-License-Identifier: Apache-2.0 */
#include "change_operation.h"

#include <errno.h>
#include <string.h>

#include "core/operation/operation_argument.h"
#include "waiting.h"

/* "backend drain db/db2", "service add tcp 203.0.113.10:80": the command that would have done it. */
static void tell_cause(const char *word, const json_t *arguments, char *cause, size_t room)
{
	const char *pool = argument_text(arguments, "pool"), *name = argument_text(arguments, "name");
	const char *proto = argument_text(arguments, "proto"), *listen = argument_text(arguments, "listen");
	const char *slots = argument_text(arguments, "slots"), *backend = argument_text(arguments, "backend");
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
	const char *mode = argument_text(arguments, "mode");
	bool share = json_is_true(json_object_get(arguments, "share"));

	return share == interface->share &&
	       !strcmp(mode[0] ? mode : mode_name(MODE_AUTO), mode_name(interface->mode));
}

/* What the model has already is attached again where the kernel has it no longer: no new generation. -EEXIST,
 * with *refusal as it was, where there is nothing to do. */
static int attach_again(struct instance *instance, const json_t *arguments, const struct change *change,
			json_t **ret, struct refusal *refusal)
{
	const struct interface *interface =
		model_interface(instance->model, argument_text(arguments, "name"));
	const struct plan nothing = {0};
	int error = change_check(instance, change, refusal);
	json_t *said;

	if (error)
		return error;
	if (!interface || change->dry_run || !attaches_the_same(interface, arguments))
		return -EEXIST;
	said = change_answer(instance->generation.number, true, false, plan_to_json(&nothing), json_array());
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

/* Words of health -------------------------------------------------------------------------- */

struct words {
	json_t *warnings;
	struct fact fact;
	bool took; /* facts of a first start's configuration */
};

static const struct backend *argument_backend(const struct model *model, const json_t *arguments)
{
	const struct pool *pool = model_pool(model, argument_text(arguments, "pool"));

	return pool ? pool_backend(pool, argument_text(arguments, "name")) : NULL;
}

/* A configuration's words become facts of a first start alone; else they have no effect, and that is told. */
static int read_words(struct instance *instance, struct model *next, struct change *change,
		      struct words *words, struct refusal *refusal)
{
	int error = 0;

	change->warnings = words->warnings = json_array();
	words->took = change->first && !change->dry_run;
	if (words->took)
		error = facts_take(instance->facts, next, change->author, NULL, refusal);
	facts_leave_words(instance->facts, next, words->warnings);
	return error;
}

/* Before `next` is tried. Fills change->warnings and change->fact, which are borrowed from *ret. */
static int words_read(struct instance *instance, const char *word, const json_t *arguments,
		      struct model *next, struct change *change, struct words *ret, struct refusal *refusal)
{
	const struct backend *backend = argument_backend(next, arguments);
	const char *pool = argument_text(arguments, "pool");
	const struct fact *fact;

	if (change->whole)
		return read_words(instance, next, change, ret, refusal);
	/* What is added is new, also where what has its name and address was still leaving. */
	fact = backend && !strcmp(word, "backend.add") ? facts_find(instance->facts, pool, backend) : NULL;
	if (!fact)
		return 0;
	fact_make(instance->facts, pool, backend, HEALTH_UNKNOWN, change->author, &ret->fact);
	change->fact = &ret->fact;
	return 0;
}

/* Afterwards. Takes back the facts of a change that was refused. */
static void words_end(struct instance *instance, struct words *words, int error)
{
	if (error && words->took)
		facts_forget(instance->facts);
	json_decref(words->warnings);
}

/* Changes --------------------------------------------------------------------------------- */

/* -EAGAIN: what it asks for takes long, and is being computed. */
static int apply_operation(struct instance *instance, const char *word, const json_t *arguments,
			   struct model **ret, struct refusal *refusal)
{
	int error = operation_apply(instance->model, word, arguments, steady_clock_now(&instance->clock), ret,
				    refusal);

	if (error == -EAGAIN)
		waiting_prepare(instance->waiting, instance->model, word, arguments);
	return error;
}

int change_operation(struct instance *instance, const char *word, const json_t *arguments,
		     const struct change *change, json_t **ret, struct refusal *refusal)
{
	struct change told = *change;
	struct words words = {0};
	char cause[192];
	struct model *next;
	int error = apply_operation(instance, word, arguments, &next, refusal);

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

int change_health(struct instance *instance, const json_t *arguments, const struct change *change,
		  json_t **ret, struct refusal *refusal)
{
	struct change told = *change;
	const struct backend *backend;
	struct fact fact;
	struct model *next;
	int error = apply_operation(instance, "backend.health", arguments, &next, refusal);

	if (error)
		return error;
	backend = argument_backend(next, arguments);
	told.cause = "backend health";
	told.missing_ok = true;
	if (backend) { /* else it has left: there is nothing to state it of */
		fact_make(instance->facts, argument_text(arguments, "pool"), backend,
			  health_stated(backend->health), change->author, &fact);
		told.fact = &fact;
	}
	if (!told.limit)
		told.limit = GUARD_NO_LIMIT;
	return change_model(instance, next, &told, ret, refusal);
}

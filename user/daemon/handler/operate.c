/* SPDX-License-Identifier: Apache-2.0 */
#include "operate.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/config/model_json.h"
#include "core/model/history.h"
#include "core/model/leaving.h"
#include "core/model/model_check.h"
#include "core/review/objection.h"
#include "daemon/change/change_operation.h"
#include "daemon/base/clock.h"
#include "daemon/change/configuration.h"
#include "daemon/change/reconcile.h"
#include "daemon/base/event_log.h"

static int check_members(const json_t *body, const char *const *known, struct refusal *refusal)
{
	const char *key;
	json_t *value;

	json_object_foreach ((json_t *)body, key, value) {
		const char *const *name = known;

		while (*name && strcmp(*name, key))
			name++;
		if (*name)
			continue;
		refuse(refusal, -EINVAL, "unknown member %.64s", key);
		refusal_right(refusal, "see docs/api.md");
		return -EINVAL;
	}
	return 0;
}

static int member_flag(const json_t *body, const char *name, bool *ret, struct refusal *refusal)
{
	const json_t *value = json_object_get(body, name);

	if (value && !json_is_boolean(value)) {
		refuse(refusal, -EINVAL, "%s is not true or false", name);
		refusal_right(refusal, "true or false");
		return -EINVAL;
	}
	*ret = json_is_true(value);
	return 0;
}

/* A whole number from low to high; *ret stays what it is where the member is missing. */
static int member_number(const json_t *body, const char *name, json_int_t low, json_int_t high, uint32_t *ret,
			 struct refusal *refusal)
{
	const json_t *value = json_object_get(body, name);
	json_int_t number = json_integer_value(value);

	if (!value)
		return 0;
	if (!json_is_integer(value) || number < low || number > high) {
		refuse(refusal, -EINVAL, "%s is out of range", name);
		refusal_right(refusal, "a whole number from %lld to %lld", (long long)low, (long long)high);
		return -EINVAL;
	}
	*ret = number;
	return 0;
}

/* The members that all changes have; `known` names those and the route's own. */
static int read_change(const struct request *request, const char *const *known, struct change *ret,
		       struct refusal *refusal)
{
	int error;

	if (!json_is_object(request->body)) {
		refuse(refusal, -EINVAL, "the body is not a JSON object");
		refusal_right(refusal, "see docs/api.md");
		return -EINVAL;
	}
	*ret = (struct change){.author = request->author};
	error = check_members(request->body, known, refusal);
	if (!error)
		error = member_flag(request->body, "dry_run", &ret->dry_run, refusal);
	if (!error)
		error = member_flag(request->body, "force", &ret->force, refusal);
	if (!error)
		error = member_number(request->body, "expect", 1, UINT32_MAX, &ret->expect, refusal);
	if (!error)
		error = member_number(request->body, "limit", 1, 100, &ret->limit, refusal);
	return error;
}

/* The change is in force already: a note that fails costs no more than applying a file again. */
static void note_configuration(struct instance *instance, const json_t *configuration)
{
	struct refusal refusal = {0};

	if (configuration_note(instance, configuration, &refusal))
		log_refusal(LOG_LEVEL_WARNING, "the applied configuration is not noted", &refusal);
}

int operate(struct instance *instance, const struct request *request, json_t **ret, struct refusal *refusal)
{
	static const char *const known[] = {"operation", "arguments", "dry_run", "force",
					    "expect",    "limit",     NULL};
	const char *word = json_string_value(json_object_get(request->body, "operation"));
	const json_t *arguments = json_object_get(request->body, "arguments");
	struct change change;
	int error = read_change(request, known, &change, refusal);

	if (error)
		return error;
	if (!word || !arguments) {
		refuse(refusal, -EINVAL, "%s is missing", word ? "arguments" : "operation");
		refusal_right(refusal, "{\"operation\": WORD, \"arguments\": {...}}");
		return -EINVAL;
	}
	if (!strcmp(word, "backend.health"))
		error = change_health(instance, arguments, &change, ret, refusal);
	else
		error = change_operation(instance, word, arguments, &change, ret, refusal);
	if (!error && !change.dry_run && !strcmp(word, "model.apply"))
		note_configuration(instance, json_object_get(arguments, "configuration"));
	return error;
}

/* Flows may live on former member sets, and on backends that the rollback leaves behind: these drain first.
 */
static int return_to(struct model *next, const struct model *now, int64_t clock, struct refusal *refusal)
{
	int error = model_keep_leaving(next, now, clock, refusal);

	if (!error)
		error = model_settle_leaving(next, refusal);
	if (!error)
		error = model_check(next, refusal);
	if (!error)
		error = objections_check(now, next, refusal);
	return error ? error : history_keep(next, now, clock);
}

/* A generation's model as it was, admin states and all; its number is a new one. */
int roll_back(struct instance *instance, const struct request *request, json_t **ret, struct refusal *refusal)
{
	static const char *const known[] = {"generation", "dry_run", "force", "expect", "limit", NULL};
	struct generation generation;
	struct change change;
	struct model *next = NULL;
	json_t *model = NULL;
	uint32_t number = 0;
	char cause[64];
	int error = read_change(request, known, &change, refusal);

	if (!error)
		error = member_number(request->body, "generation", 1, UINT32_MAX, &number, refusal);
	if (!error && !number)
		error = refuse(refusal, -EINVAL, "generation is missing");
	if (!error)
		error = store_generation(instance->store, number, &generation, &model, refusal);
	if (!error)
		error = model_from_json(model, &next, refusal);
	json_decref(model);
	if (!error)
		error = return_to(next, instance->model, steady_clock_now(&instance->clock), refusal);
	if (error) {
		model_free(next);
		return error;
	}
	snprintf(cause, sizeof cause, "rollback %u", number);
	change.cause = cause;
	change.whole = true;
	change.missing_ok = true;
	if (!change.limit)
		change.limit = next->move_limit;
	return change_model(instance, next, &change, ret, refusal);
}

int upgrade(struct instance *instance, const struct request *request, json_t **ret, struct refusal *refusal)
{
	static const char *const known[] = {NULL};
	bool changed = false;
	char before[32];
	int error = request->body ? check_members(request->body, known, refusal) : 0;

	if (error)
		return error;
	snprintf(before, sizeof before, "%s", dataplane_program_tag(instance->dataplane));
	error = upgrade_programs(instance, &changed, refusal);
	if (error)
		return error;
	*ret = json_pack("{s:s, s:s, s:b}", "before", before, "program",
			 dataplane_program_tag(instance->dataplane), "changed", changed);
	return 0; /* it is done, also where there is no memory to say so */
}

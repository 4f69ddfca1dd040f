/* SPDX-License-Identifier: Apache-2.0 */
#include "operation.h"

#include <errno.h>
#include <string.h>

#include "core/model/assignment.h"
#include "core/model/history.h"
#include "core/model/leaving.h"
#include "core/model/model_edit.h"
#include "core/value/nearest.h"
#include "objection.h"
#include "operation_nouns.h"

#define POOL_ARGUMENTS                                                                                      \
	"scheme? table_size? seed? hash? virtual_nodes? ring_hash? ring_owner? ketama? tolerance? ranges? " \
	"encap? gue_port? source? grace? udp_grace?"

const struct operation_type operations[] = {
	{"interface.attach", "name mode? share?", "Balances the traffic that arrives on an interface.",
	 interface_attach},
	{"interface.detach", "name", "Leaves an interface alone.", interface_detach},
	{"pool.add", "name " POOL_ARGUMENTS, "Makes a pool without backends.", pool_add},
	{"pool.set", "name " POOL_ARGUMENTS, "Changes a pool.", pool_set},
	{"pool.remove", "name", "Removes a pool that no service uses.", pool_remove},
	{"pool.slots.move", "name slots backend owner?",
	 "Gives slots of a pool with scheme slots to a backend.", pool_slots_move},
	{"service.add", "proto listen pool track? idle?", "Serves an address and port from a pool.",
	 service_add},
	{"service.set", "proto listen pool? track? idle?", "Changes a service.", service_set},
	{"service.remove", "proto listen", "Ends a service.", service_remove},
	{"backend.add", "pool name address weight? zone?", "Adds a backend to a pool.", backend_add},
	{"backend.set", "pool name address? weight? zone?", "Changes a backend.", backend_set},
	{"backend.remove", "pool name now?", "Removes a backend from its pool.", backend_remove},
	{"backend.activate", "pool name", "Gives a backend its slots back.", backend_activate},
	{"backend.drain", "pool name deadline?", "Sends new flows elsewhere; old ones stay.", backend_drain},
	{"backend.disable", "pool name", "Takes all flows off a backend at once.", backend_disable},
	{"backend.health", "pool name state", "States a backend's health, or withdraws the statement (auto).",
	 backend_health},
	{"model.apply", "configuration", "Makes a whole configuration the desired state.", model_apply},
	{0},
};

/* Arguments ------------------------------------------------------------------- */

/* Whether name is one of the words of a row's arguments; *ret_optional whether it bears a '?'. */
static bool takes_argument(const struct operation_type *type, const char *name, bool *ret_optional)
{
	size_t length = strlen(name);

	for (const char *word = type->arguments; *word; word += strcspn(word, " "), word += *word == ' ') {
		if (strncmp(word, name, length) == 0 &&
		    (word[length] == ' ' || word[length] == '\0' || word[length] == '?')) {
			*ret_optional = word[length] == '?';
			return true;
		}
	}
	return false;
}

/* Calls visit with each argument's bare name; stops at the first non-zero result. */
static int each_argument(const struct operation_type *type,
			 int (*visit)(const char *name, bool optional, void *), void *context)
{
	char name[NAME_SIZE];

	for (const char *word = type->arguments; *word; word += *word == ' ') {
		size_t length = strcspn(word, " ");
		bool optional = word[length - 1] == '?';
		int result;

		memcpy(name, word, length - optional);
		name[length - optional] = '\0';
		result = visit(name, optional, context);
		if (result)
			return result;
		word += length;
	}
	return 0;
}

struct argument_check {
	const json_t *arguments;
	const struct operation_type *type;
	struct refusal *refusal;
};

static int check_present(const char *name, bool optional, void *context)
{
	const struct argument_check *check = context;

	if (optional || json_object_get(check->arguments, name))
		return 0;
	refuse(check->refusal, -EINVAL, "%s is missing", name);
	refusal_where(check->refusal, "%s", check->type->word);
	refusal_right(check->refusal, "the arguments %s", check->type->arguments);
	return -EINVAL;
}

/* The nearest argument so far is a word of its own, since the row's words are not apart. */
struct argument_search {
	struct nearest nearest;
	char best[NAME_SIZE];
};

static int offer_argument(const char *name, bool optional, void *context)
{
	struct argument_search *search = context;
	const char *before = search->nearest.best;

	(void)optional;
	nearest_offer(&search->nearest, name);
	if (search->nearest.best != before) {
		strcpy(search->best, name);
		search->nearest.best = search->best;
	}
	return 0;
}

static int check_argument_names(const struct operation_type *type, const json_t *arguments,
				struct refusal *refusal)
{
	struct argument_check check = {arguments, type, refusal};
	struct argument_search search;
	const char *name;
	json_t *value;
	bool optional;

	if (!json_is_object(arguments)) {
		refuse(refusal, -EINVAL, "the arguments are not an object");
		refusal_where(refusal, "%s", type->word);
		refusal_right(refusal, "the arguments %s", type->arguments);
		return -EINVAL;
	}
	json_object_foreach ((json_t *)arguments, name, value) {
		if (takes_argument(type, name, &optional))
			continue;
		search.nearest = nearest_to(name);
		each_argument(type, offer_argument, &search);
		refuse(refusal, -EINVAL, "unknown argument %.64s", name);
		refusal_where(refusal, "%s", type->word);
		refusal_right(refusal, "the arguments %s", type->arguments);
		nearest_right(&search.nearest, refusal, NULL);
		return -EINVAL;
	}
	return each_argument(type, check_present, &check);
}

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
	error = check_argument_names(type, arguments, refusal);
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

/* SPDX-License-Identifier: Apache-2.0 */
#include "model_json.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/assignment.h"
#include "core/model/history.h"
#include "core/model/model_check.h"
#include "core/model/model_edit.h"
#include "core/model/schema_table.h"

/* Writing --------------------------------------------------------------------- */

/* json where nothing failed on the way to it. */
static json_t *json_or_null(json_t *json, int error)
{
	if (!error)
		return json;
	json_decref(json);
	return NULL;
}

/* Member sets become differences from the set before. */
static int shorten_history(json_t *list, const struct model *model)
{
	int error = 0;

	for (size_t i = 0; i < model->history_count; i++) {
		char *members = history_members(model, i);

		error |= json_object_set_new(json_array_get(list, i), "members", json_string(members));
		free(members);
	}
	return error;
}

static json_t *write_object(const struct schema *schema, const void *object, unsigned int without);

static json_t *write_items(const struct schema_key *key, const void *object, unsigned int without)
{
	struct schema_list list = schema_list_of(key, object);
	json_t *items = json_array();
	int error = 0;

	for (size_t i = 0; i < list.count; i++)
		error |= json_array_append_new(
			items, write_object(key->items, (char *)list.items + i * key->items->size, without));
	if (key->items == &schema_history)
		error |= shorten_history(items, object);
	return json_or_null(items, error);
}

/* The lists that bear state, where there is any, or those that do not. */
static int write_lists(json_t *json, const struct schema *schema, const void *object, unsigned int without,
		       unsigned int state)
{
	int error = 0;

	for (const struct schema_key *key = schema->keys; key->name; key++) {
		if (key->type != SCHEMA_LIST || (key->flags & SCHEMA_STATE) != state ||
		    (key->flags & without) || (state && !schema_list_of(key, object).count))
			continue;
		error |= json_object_set_new(json, key->name, write_items(key, object, without));
	}
	return error;
}

static json_t *write_object(const struct schema *schema, const void *object, unsigned int without)
{
	json_t *json = schema_write_object(schema, object, without);
	int error = write_lists(json, schema, object, without, SCHEMA_STATE);

	return json_or_null(json, error | write_lists(json, schema, object, without, 0));
}

json_t *model_write(const struct model *model, unsigned int without)
{
	return write_object(&schema_root, model, without);
}

json_t *model_to_json(const struct model *model)
{
	return model_write(model, 0);
}

/* Reading --------------------------------------------------------------------- */

/* Where the reader is: "pools[0].backends[1]", and the refusal it fills. */
struct reader {
	char *path;
	struct refusal *refusal;
};

__attribute__((format(printf, 2, 3))) static size_t path_enter(struct reader *reader, const char *step, ...)
{
	size_t length = strlen(reader->path);
	va_list args;

	va_start(args, step);
	vsnprintf(reader->path + length, PATH_SIZE - length, step, args);
	va_end(args);
	return length;
}

static void path_leave(struct reader *reader, size_t length)
{
	reader->path[length] = '\0';
}

static void path_key(struct reader *reader, const char *key)
{
	if (key)
		path_enter(reader, "%s%.64s", reader->path[0] ? "." : "", key);
}

static int read_items(struct reader *reader, const struct schema_key *key, void *object, const json_t *json);

static int read_object(struct reader *reader, const struct schema *schema, void *object, const json_t *json)
{
	const char *name;
	int error = schema_read_object(schema, object, json, &name, reader->refusal);

	if (error < 0)
		path_key(reader, name);
	for (const struct schema_key *key = schema->keys; !error && key->name; key++)
		if (key->type == SCHEMA_LIST)
			error = read_items(reader, key, object, json_object_get(json, key->name));
	return error;
}

/* json may be NULL. Whoever frees the object frees its items, of which some are empty where one was refused.
 */
static int read_items(struct reader *reader, const struct schema_key *key, void *object, const json_t *json)
{
	struct schema_list list = {.count = json_array_size(json)};
	size_t outer = strlen(reader->path);

	if (!json || json_is_null(json))
		return 0;
	path_key(reader, key->name);
	if (!json_is_array(json)) {
		refuse(reader->refusal, -EINVAL, "%s is not a list", key->name);
		refusal_right(reader->refusal, "a list, one entry for each");
		return -EINVAL;
	}
	list.items = calloc(list.count + 1, key->items->size);
	if (!list.items)
		return -ENOMEM;
	schema_list_set(key, object, list);
	for (size_t i = 0; i < list.count; i++) {
		size_t inner = path_enter(reader, "[%zu]", i);
		int error = read_object(reader, key->items, (char *)list.items + i * key->items->size,
					json_array_get(json, i));

		if (error < 0)
			return error;
		path_leave(reader, inner);
	}
	path_leave(reader, outer);
	return 0;
}

/* Faults of the whole, traced back to the text ---------------------------------- */

/* The last entry that is the same object, since of two with one name the second is at fault. */
static size_t find_listed(const json_t *list, const char *name)
{
	for (size_t i = json_array_size(list); i-- > 0;) {
		const char *text = json_string_value(json_object_get(json_array_get(list, i), "name"));

		if (text && strcmp(text, name) == 0)
			return i;
	}
	return 0;
}

static size_t find_listed_service(const json_t *list, const struct service *service)
{
	for (size_t i = json_array_size(list); i-- > 0;) {
		struct service other;

		if (schema_read(schema_find(&schema_service, "listen"), &other,
				json_object_get(json_array_get(list, i), "listen"), NULL) == 0 &&
		    service_order(&other, service) == 0)
			return i;
	}
	return 0;
}

static void path_of_fault(struct reader *reader, const struct fault *fault, const json_t *json)
{
	const json_t *pools = json_object_get(json, "pools");
	const struct pool *pool = fault->kind == FAULT_BACKEND ? fault->pool : fault->object;
	const struct interface *interface = fault->object;
	const struct backend *backend = fault->object;
	size_t at;

	path_leave(reader, 0);
	switch (fault->kind) {
	case FAULT_MODEL:
		break;
	case FAULT_INTERFACE:
		path_enter(reader, "interfaces[%zu]",
			   find_listed(json_object_get(json, "interfaces"), interface->name));
		break;
	case FAULT_POOL:
		path_enter(reader, "pools[%zu]", find_listed(pools, pool->name));
		break;
	case FAULT_BACKEND:
		at = find_listed(pools, pool->name);
		path_enter(
			reader, "pools[%zu].backends[%zu]", at,
			find_listed(json_object_get(json_array_get(pools, at), "backends"), backend->name));
		break;
	case FAULT_SERVICE:
		path_enter(reader, "services[%zu]",
			   find_listed_service(json_object_get(json, "services"), fault->object));
		break;
	}
	path_key(reader, fault->key);
}

/* History comes as differences. */
static int resolve_history(struct reader *reader, struct model *model)
{
	size_t at;
	int error = history_resolve(model, &at);

	if (error != -EINVAL)
		return error;
	path_enter(reader, "history[%zu].members", at);
	refuse(reader->refusal, -EINVAL, "members is no set, and no difference from the set before");
	refusal_right(reader->refusal, "what export --state writes, unchanged");
	return -EINVAL;
}

/* Models of earlier versions assign slots to backends that leave. */
static int leave_assignments(struct model *model)
{
	/* What cannot be placed is refused by those who check the model, and better. */
	for (size_t i = 0; i < model->pool_count; i++)
		if (assignment_leave(model, &model->pools[i], NULL) == -ENOMEM)
			return -ENOMEM;
	return 0;
}

int model_read(const json_t *json, struct model **ret, char path[PATH_SIZE], struct refusal *refusal)
{
	struct reader reader = {path, refusal};
	struct model *model = model_new(0);
	struct fault fault;
	int error;

	if (!model)
		return -ENOMEM;
	path[0] = '\0';
	error = read_object(&reader, &schema_root, model, json);
	if (error == 0)
		error = resolve_history(&reader, model);
	if (error == 0) {
		model_sort(model);
		error = leave_assignments(model);
	}
	if (error == 0) {
		error = model_check_fault(model, &fault, refusal);
		if (error < 0)
			path_of_fault(&reader, &fault, json);
	}
	if (error < 0) {
		refusal_where(refusal, "%s", path);
		model_free(model);
		return error;
	}
	*ret = model;
	return 0;
}

int model_from_json(const json_t *json, struct model **ret, struct refusal *refusal)
{
	char path[PATH_SIZE];

	return model_read(json, ret, path, refusal);
}

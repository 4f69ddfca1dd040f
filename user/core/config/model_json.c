/* SPDX-License-Identifier: Apache-2.0 */
#include "model_json.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/assignment.h"
#include "core/model/history.h"
#include "core/model/member_record.h"
#include "core/model/model_check.h"
#include "core/model/model_edit.h"
#include "core/model/pool_options.h"
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

static json_t *write_list(const struct schema *schema, const void *items, size_t count, unsigned int without)
{
	json_t *list = json_array();
	int error = 0;

	for (size_t i = 0; i < count; i++)
		error |= json_array_append_new(
			list, schema_write_object(schema, (const char *)items + i * schema->size, without));
	return json_or_null(list, error);
}

json_t *pool_write(const struct pool *pool, unsigned int without)
{
	json_t *json = schema_write_object(&schema_pool, pool, without);

	return json_or_null(json, json_object_set_new(json, "backends",
						      write_list(&schema_backend, pool->backends,
								 pool->backend_count, without)));
}

static json_t *write_history(const struct model *model, unsigned int without)
{
	json_t *list = write_list(&schema_history, model->history, model->history_count, without);
	int error = 0;

	for (size_t i = 0; i < model->history_count; i++) {
		char *members = history_members(model, i);

		error |= json_object_set_new(json_array_get(list, i), "members", json_string(members));
		free(members);
	}
	return json_or_null(list, error);
}

static json_t *write_model_pools(const struct model *model, unsigned int without)
{
	json_t *list = json_array();
	int error = 0;

	for (size_t i = 0; i < model->pool_count; i++)
		error |= json_array_append_new(list, pool_write(&model->pools[i], without));
	return json_or_null(list, error);
}

json_t *model_write(const struct model *model, unsigned int without)
{
	json_t *json = schema_write_object(&schema_root, model, without);
	bool state = !(without & SCHEMA_STATE);
	int error = 0;

	if (state && model->removal_count)
		error |= json_object_set_new(
			json, "removals",
			write_list(&schema_removal, model->removals, model->removal_count, without));
	if (state && model->history_count)
		error |= json_object_set_new(json, "history", write_history(model, without));
	error |= json_object_set_new(
		json, "interfaces",
		write_list(&schema_interface, model->interfaces, model->interface_count, without));
	error |= json_object_set_new(json, "pools", write_model_pools(model, without));
	error |= json_object_set_new(
		json, "services",
		write_list(&schema_service, model->services, model->service_count, without));
	return json_or_null(json, error);
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

static int read_object(struct reader *reader, const struct schema *schema, void *object, const json_t *json)
{
	const char *key;
	int error = schema_read_object(schema, object, json, &key, reader->refusal);

	if (error < 0)
		path_key(reader, key);
	return error;
}

static int read_items(struct reader *reader, const json_t *json, const char *key, const struct schema *schema,
		      void *ret_items, size_t *ret_count);

static int read_item(struct reader *reader, const struct schema *schema, void *item, const json_t *json)
{
	int error = read_object(reader, schema, item, json);
	struct pool *pool = item;

	if (error < 0 || schema != &schema_pool)
		return error;
	return read_items(reader, json, "backends", &schema_backend, &pool->backends, &pool->backend_count);
}

/* Reads the list under key, which may be absent. Where an item is refused it counts, too: whoever frees the
 * others frees what was read of it. */
static int read_items(struct reader *reader, const json_t *json, const char *key, const struct schema *schema,
		      void *ret_items, size_t *ret_count)
{
	const json_t *list = json_object_get(json, key);
	size_t count = json_array_size(list), outer = strlen(reader->path);
	char *items;
	int error = 0;

	*ret_count = 0;
	if (!list || json_is_null(list))
		return 0;
	path_key(reader, key);
	if (!json_is_array(list)) {
		refuse(reader->refusal, -EINVAL, "%s is not a list", key);
		refusal_right(reader->refusal, "a list, one entry for each");
		return -EINVAL;
	}
	items = calloc(count ? count : 1, schema->size);
	if (!items)
		return -ENOMEM;
	*(void **)ret_items = items;
	while (*ret_count < count) {
		size_t inner = path_enter(reader, "[%zu]", *ret_count), at = (*ret_count)++;

		error = read_item(reader, schema, items + at * schema->size, json_array_get(list, at));
		if (error < 0)
			return error;
		path_leave(reader, inner);
	}
	path_leave(reader, outer);
	return 0;
}

static int read_model_lists(struct reader *reader, struct model *model, const json_t *json)
{
	const struct {
		const char *key;
		const struct schema *schema;
		void *ret_items;
		size_t *ret_count;
	} lists[] = {
		{"interfaces", &schema_interface, &model->interfaces, &model->interface_count},
		{"pools", &schema_pool, &model->pools, &model->pool_count},
		{"services", &schema_service, &model->services, &model->service_count},
		{"removals", &schema_removal, &model->removals, &model->removal_count},
		{"history", &schema_history, &model->history, &model->history_count},
	};
	int error = 0;

	for (size_t i = 0; !error && i < sizeof lists / sizeof lists[0]; i++)
		error = read_items(reader, json, lists[i].key, lists[i].schema, lists[i].ret_items,
				   lists[i].ret_count);
	return error;
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
		error = read_model_lists(&reader, model, json);
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

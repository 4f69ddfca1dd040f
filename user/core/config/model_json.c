/* SPDX-License-Identifier: Apache-2.0 */
/* Models as JSON in configuration's words, and back. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/assignment.h"
#include "core/model/history.h"
#include "core/model/member_record.h"
#include "core/model/model_edit.h"
#include "core/model/pool_options.h"
#include "core/model/schema_table.h"

/* Writing --------------------------------------------------------------------- */

static json_t *write_list(const struct schema *schema, const void *items, size_t count, unsigned int without)
{
	json_t *list = json_array();

	for (size_t i = 0; list && i < count; i++) {
		const void *item = (const char *)items + i * schema->size;

		if (json_array_append_new(list, schema_write_object(schema, item, without)) < 0) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

json_t *pool_write(const struct pool *pool, unsigned int without)
{
	json_t *json = schema_write_object(&schema_pool, pool, without);

	if (json_object_set_new(json, "backends",
				write_list(&schema_backend, pool->backends, pool->backend_count, without)) <
	    0) {
		json_decref(json);
		return NULL;
	}
	return json;
}

static json_t *write_pools(const struct model *model, unsigned int without)
{
	json_t *list = json_array();

	for (size_t i = 0; list && i < model->pool_count; i++) {
		if (json_array_append_new(list, pool_write(&model->pools[i], without)) < 0) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

static json_t *write_history(const struct model *model, unsigned int without)
{
	json_t *list = write_list(&schema_history, model->history, model->history_count, without);

	for (size_t i = 0; list && i < model->history_count; i++) {
		char *members = history_members(model, i);
		json_t *text = members ? json_string(members) : NULL;

		free(members);
		if (json_object_set_new(json_array_get(list, i), "members", text) < 0) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

json_t *model_write(const struct model *model, unsigned int without)
{
	json_t *json = schema_write_object(&schema_root, model, without);
	json_t *interfaces, *services;

	interfaces = write_list(&schema_interface, model->interfaces, model->interface_count, without);
	services = write_list(&schema_service, model->services, model->service_count, without);
	if (model->removal_count && !(without & SCHEMA_STATE) &&
	    json_object_set_new(json, "removals",
				write_list(&schema_removal, model->removals, model->removal_count, without)) <
		    0) {
		json_decref(json);
		return NULL;
	}
	if (model->history_count && !(without & SCHEMA_STATE) &&
	    json_object_set_new(json, "history", write_history(model, without)) < 0) {
		json_decref(json);
		return NULL;
	}
	if (json_object_set_new(json, "interfaces", interfaces) < 0 ||
	    json_object_set_new(json, "pools", write_pools(model, without)) < 0 ||
	    json_object_set_new(json, "services", services) < 0) {
		json_decref(json);
		return NULL;
	}
	return json;
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

typedef int (*read_item)(struct reader *reader, void *item, const json_t *json);

static void free_pools(struct pool *pools, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(pools[i].backends);
		pool_options_release(&pools[i].options);
	}
}

/* Reads the list under key, which may be absent; *ret_count items are whole also where the result is an
 * error. */
static int read_list(struct reader *reader, const json_t *json, const char *key, size_t size, read_item read,
		     void *ret_items, size_t *ret_count)
{
	const json_t *list = json_object_get(json, key);
	size_t count = json_array_size(list), outer = strlen(reader->path);
	char *items;
	int error;

	*ret_count = 0;
	if (!list || json_is_null(list))
		return 0;
	path_key(reader, key);
	if (!json_is_array(list)) {
		refuse(reader->refusal, -EINVAL, "%s is not a list", key);
		refusal_right(reader->refusal, "a list, one entry for each");
		return -EINVAL;
	}
	items = calloc(count ? count : 1, size);
	if (!items)
		return -ENOMEM;
	*(void **)ret_items = items;
	for (size_t i = 0; i < count; i++) {
		size_t inner = path_enter(reader, "[%zu]", i);

		error = read(reader, items + i * size, json_array_get(list, i));
		if (error < 0)
			return error;
		++*ret_count;
		path_leave(reader, inner);
	}
	path_leave(reader, outer);
	return 0;
}

static int read_interface(struct reader *reader, void *item, const json_t *json)
{
	return read_object(reader, &schema_interface, item, json);
}

static int read_record(struct reader *reader, void *item, const json_t *json)
{
	int error = read_object(reader, &schema_history, item, json);

	if (error < 0)
		member_record_release(item);
	return error;
}

static int read_removal(struct reader *reader, void *item, const json_t *json)
{
	return read_object(reader, &schema_removal, item, json);
}

static int read_service(struct reader *reader, void *item, const json_t *json)
{
	return read_object(reader, &schema_service, item, json);
}

static int read_backend(struct reader *reader, void *item, const json_t *json)
{
	return read_object(reader, &schema_backend, item, json);
}

static int read_pool(struct reader *reader, void *item, const json_t *json)
{
	struct pool *pool = item;
	int error = read_object(reader, &schema_pool, pool, json);

	if (error == 0)
		error = read_list(reader, json, "backends", sizeof(struct backend), read_backend,
				  &pool->backends, &pool->backend_count);
	if (error < 0)
		free_pools(pool, 1);
	return error;
}

static int read_lists(struct reader *reader, struct model *model, const json_t *json)
{
	int error;

	error = read_list(reader, json, "interfaces", sizeof(struct interface), read_interface,
			  &model->interfaces, &model->interface_count);
	if (error == 0)
		error = read_list(reader, json, "pools", sizeof(struct pool), read_pool, &model->pools,
				  &model->pool_count);
	if (error == 0)
		error = read_list(reader, json, "services", sizeof(struct service), read_service,
				  &model->services, &model->service_count);
	if (error == 0)
		error = read_list(reader, json, "removals", sizeof(struct removal), read_removal,
				  &model->removals, &model->removal_count);
	if (error == 0)
		error = read_list(reader, json, "history", sizeof(struct member_record), read_record,
				  &model->history, &model->history_count);
	return error;
}

/* Faults of the whole, traced back to the text ---------------------------------- */

/* The last entry that is the same object, since of two with one name the second is at fault. */
static size_t find_named(const json_t *list, const char *name)
{
	for (size_t i = json_array_size(list); i-- > 0;) {
		const char *text = json_string_value(json_object_get(json_array_get(list, i), "name"));

		if (text && strcmp(text, name) == 0)
			return i;
	}
	return 0;
}

static size_t find_service(const json_t *list, const struct service *service)
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
			   find_named(json_object_get(json, "interfaces"), interface->name));
		break;
	case FAULT_POOL:
		path_enter(reader, "pools[%zu]", find_named(pools, pool->name));
		break;
	case FAULT_BACKEND:
		at = find_named(pools, pool->name);
		path_enter(reader, "pools[%zu].backends[%zu]", at,
			   find_named(json_object_get(json_array_get(pools, at), "backends"), backend->name));
		break;
	case FAULT_SERVICE:
		path_enter(reader, "services[%zu]",
			   find_service(json_object_get(json, "services"), fault->object));
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
		error = read_lists(&reader, model, json);
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

/* SPDX-License-Identifier: Apache-2.0 */
#include "model_diff.h"

#include <stdio.h>
#include <string.h>

#include "core/model/model_edit.h"
#include "core/model/schema_table.h"

/* A list that is walked beside another: sorted items of one schema. */
struct walk {
	const struct schema *schema;
	int (*order)(const void *a, const void *b);
	const char *pool; /* of backends */
	const void *before, *after;
	size_t before_count, after_count;
};

static json_t *side(const struct schema_key *key, const void *object, const char *name, json_t *into)
{
	if (object)
		json_object_set_new(into, name, schema_write(key, object));
	return into;
}

/* Of one object, in two states; NULL where it is not there. */
static json_t *changed_keys(const struct schema *schema, const void *before, const void *after)
{
	json_t *keys = json_object();

	for (const struct schema_key *key = schema->keys; key->name; key++) {
		json_t *old, *new;
		bool same;

		if (key->type == SCHEMA_LIST || (key->flags & (SCHEMA_FILE | SCHEMA_NOTE | SCHEMA_FACT)))
			continue;
		if (before && after) {
			old = schema_write(key, before);
			new = schema_write(key, after);
			same = json_equal(old, new);
			json_decref(old);
			json_decref(new);
		} else {
			same = !(key->flags & SCHEMA_REQUIRED) &&
			       schema_is_default(key, before ? before : after);
		}
		if (!same)
			json_object_set_new(
				keys, key->name,
				side(key, after, "after", side(key, before, "before", json_object())));
	}
	return keys;
}

static void name_object(const struct walk *walk, const void *object, char *name, size_t size)
{
	char label[BACKEND_TEXT];
	json_t *value;

	if (!walk->schema->identity) {
		snprintf(name, size, "%s", "");
		return;
	}
	if (strcmp(walk->schema->identity, "listen") == 0) {
		value = schema_write(schema_find(walk->schema, "listen"), object);
		snprintf(name, size, "%s", json_string_value(value));
		json_decref(value);
	} else if (walk->pool) {
		snprintf(name, size, "%s/%s", walk->pool, backend_label(object, label));
	} else {
		snprintf(name, size, "%s", (const char *)object);
	}
}

static void note(json_t *list, const struct walk *walk, const void *before, const void *after)
{
	json_t *keys = changed_keys(walk->schema, before, after);
	char name[2 * NAME_SIZE + ENDPOINT_TEXT];

	if (before && after && json_object_size(keys) == 0) {
		json_decref(keys);
		return;
	}
	name_object(walk, before ? before : after, name, sizeof name);
	json_array_append_new(list,
			      json_pack("{ss ss ss so}", "noun", walk->schema->noun, "name", name, "change",
					!before  ? "add"
					: !after ? "remove"
						 : "change",
					"keys", keys));
}

static void diff_list(json_t *list, const struct walk *walk,
		      void (*inner)(json_t *, const void *, const void *))
{
	const char *before = walk->before, *after = walk->after;
	size_t size = walk->schema->size, i = 0, j = 0;

	while (i < walk->before_count || j < walk->after_count) {
		const void *old = i < walk->before_count ? before + i * size : NULL;
		const void *new = j < walk->after_count ? after + j *size : NULL;
		int order = !old ? 1 : !new ? -1 : walk->order(old, new);

		if (order > 0)
			old = NULL;
		if (order < 0)
			new = NULL;
		i += old != NULL;
		j += new != NULL;
		note(list, walk, old, new);
		if (inner)
			inner(list, old, new);
	}
}

static void diff_backends(json_t *list, const void *old, const void *new)
{
	const struct pool *before = old, *after = new;
	struct walk walk = {.schema = &schema_backend,
			    .order = backend_order,
			    .pool = before ? before->name : after->name,
			    .before = before ? before->backends : NULL,
			    .before_count = before ? before->backend_count : 0,
			    .after = after ? after->backends : NULL,
			    .after_count = after ? after->backend_count : 0};

	diff_list(list, &walk, NULL);
}

json_t *model_diff(const struct model *before, const struct model *after)
{
	const struct walk root = {.schema = &schema_root};
	const struct walk interfaces = {.schema = &schema_interface,
					.order = interface_order,
					.before = before->interfaces,
					.before_count = before->interface_count,
					.after = after->interfaces,
					.after_count = after->interface_count};
	const struct walk pools = {.schema = &schema_pool,
				   .order = pool_order,
				   .before = before->pools,
				   .before_count = before->pool_count,
				   .after = after->pools,
				   .after_count = after->pool_count};
	const struct walk services = {.schema = &schema_service,
				      .order = service_order,
				      .before = before->services,
				      .before_count = before->service_count,
				      .after = after->services,
				      .after_count = after->service_count};
	json_t *list = json_array();

	if (!list)
		return NULL;
	note(list, &root, before, after);
	diff_list(list, &interfaces, NULL);
	diff_list(list, &pools, diff_backends);
	diff_list(list, &services, NULL);
	return list;
}

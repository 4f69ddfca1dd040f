/* SPDX-License-Identifier: Apache-2.0 */
#include "model_diff.h"

#include <stdio.h>

#include "core/model/schema_table.h"

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

/* pool: of a backend. */
static void name_object(const struct schema *schema, const char *pool, const void *object, char *name,
			size_t size)
{
	char label[BACKEND_TEXT];
	json_t *value;

	if (!schema->identity) {
		snprintf(name, size, "%s", "");
	} else if (schema == &schema_backend) {
		snprintf(name, size, "%s/%s", pool, backend_label(object, label));
	} else {
		value = schema_write(schema_find(schema, schema->identity), object);
		snprintf(name, size, "%s", json_string_value(value));
		json_decref(value);
	}
}

static void append_difference(json_t *list, const struct schema *schema, const char *pool, const void *before,
			      const void *after)
{
	json_t *keys = changed_keys(schema, before, after);
	char name[2 * NAME_SIZE + ENDPOINT_TEXT];

	if (before && after && json_object_size(keys) == 0) {
		json_decref(keys);
		return;
	}
	name_object(schema, pool, before ? before : after, name, sizeof name);
	json_array_append_new(list, json_pack("{ss ss ss so}", "noun", schema->noun, "name", name, "change",
					      !before  ? "add"
					      : !after ? "remove"
						       : "change",
					      "keys", keys));
}

static void diff_objects(json_t *list, const struct schema *schema, const char *pool, const void *before,
			 const void *after);

static void diff_items(json_t *list, const struct schema_key *key, const char *pool, const void *before,
		       const void *after)
{
	struct schema_list none = {0}, left = before ? schema_list_of(key, before) : none,
			   right = after ? schema_list_of(key, after) : none;
	const size_t size = key->items->size;
	size_t i = 0, j = 0;

	while (i < left.count || j < right.count) {
		const void *old = i < left.count ? (char *)left.items + i * size : NULL;
		const void *new = j < right.count ? (char *)right.items + j *size : NULL;
		int order = !old ? 1 : !new ? -1 : key->items->order(old, new);

		if (order > 0)
			old = NULL;
		if (order < 0)
			new = NULL;
		i += old != NULL;
		j += new != NULL;
		diff_objects(list, key->items, pool, old, new);
	}
}

/* An object and what is in its lists; state that only verbs make is no difference. */
static void diff_objects(json_t *list, const struct schema *schema, const char *pool, const void *before,
			 const void *after)
{
	append_difference(list, schema, pool, before, after);
	if (schema == &schema_pool)
		pool = ((const struct pool *)(before ? before : after))->name;
	for (const struct schema_key *key = schema->keys; key->name; key++)
		if (key->type == SCHEMA_LIST && !(key->flags & SCHEMA_STATE))
			diff_items(list, key, pool, before, after);
}

json_t *model_diff(const struct model *before, const struct model *after)
{
	json_t *list = json_array();

	if (list)
		diff_objects(list, &schema_root, NULL, before, after);
	return list;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Lists, and objects with what they own: their lists and their texts. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "schema.h"

struct schema_list schema_list_of(const struct schema_key *key, const void *object)
{
	struct schema_list list;

	memcpy(&list, (const char *)object + key->offset, sizeof list);
	return list;
}

void schema_list_set(const struct schema_key *key, void *object, struct schema_list list)
{
	memcpy((char *)object + key->offset, &list, sizeof list);
}

/* Whether objects have more than their bytes: of most lists, which may be long, one look says no. */
static bool owns_anything(const struct schema *schema)
{
	for (const struct schema_key *key = schema->keys; key->name; key++)
		if (key->type == SCHEMA_LIST || schema_owns(key))
			return true;
	return false;
}

int schema_copy_list(const struct schema_key *key, void *copy, const void *from)
{
	struct schema_list list = schema_list_of(key, from);
	const size_t size = list.count * key->items->size;
	const char *items = list.items;
	int error = 0;

	schema_list_set(key, copy, (struct schema_list){0});
	if (!list.count)
		return 0;
	list.items = malloc(size);
	if (!list.items)
		return -ENOMEM;
	schema_list_set(key, copy, list);
	memcpy(list.items, items, size);
	for (size_t at = 0; owns_anything(key->items) && at < size; at += key->items->size)
		if (schema_copy_object(key->items, (char *)list.items + at, items + at) < 0)
			error = -ENOMEM;
	return error;
}

void schema_release_list(const struct schema_key *key, void *object)
{
	struct schema_list list = schema_list_of(key, object);

	for (size_t i = 0; owns_anything(key->items) && i < list.count; i++)
		schema_release_object(key->items, (char *)list.items + i * key->items->size);
	free(list.items);
	schema_list_set(key, object, (struct schema_list){0});
}

/* All of it, also after a failure, so that the copy shares nothing. */
int schema_copy_object(const struct schema *schema, void *copy, const void *from)
{
	int error = 0;

	memcpy(copy, from, schema->size);
	for (const struct schema_key *key = schema->keys; key->name; key++)
		if (key->type == SCHEMA_LIST ? schema_copy_list(key, copy, from) < 0
					     : schema_own(key, (char *)copy + key->offset) < 0)
			error = -ENOMEM;
	return error;
}

void schema_release_object(const struct schema *schema, void *object)
{
	for (const struct schema_key *key = schema->keys; key->name; key++)
		if (key->type == SCHEMA_LIST)
			schema_release_list(key, object);
		else
			schema_release(key, (char *)object + key->offset);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A model as a whole, and what comes into its sorted lists and leaves them. */
#include "model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "history.h"
#include "model_edit.h"

struct model *model_new(uint64_t seed)
{
	struct model *model = calloc(1, sizeof *model);

	if (!model)
		return NULL;
	model->seed = seed;
	model->move_limit = MOVE_LIMIT_DEFAULT;
	return model;
}

void model_free(struct model *model)
{
	if (!model)
		return;
	schema_release_object(&schema_root, model);
	free(model);
}

struct model *model_copy(const struct model *model)
{
	struct model *copy = malloc(sizeof *copy);

	if (copy && schema_copy_object(&schema_root, copy, model) < 0) {
		model_free(copy);
		return NULL;
	}
	return copy;
}

/* Lists ---------------------------------------------------------------------- */

static const struct schema_key *list_key(const struct schema *schema, const struct schema *kind)
{
	const struct schema_key *key = schema->keys;

	while (key->items != kind)
		key++;
	return key;
}

/* Where item is or belongs. */
static size_t list_position(const struct schema_list *list, const struct schema *kind, const void *item)
{
	size_t low = 0, high = list->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (kind->order((char *)list->items + middle * kind->size, item) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int list_insert(const struct schema_key *key, void *object, const void *item)
{
	struct schema_list list = schema_list_of(key, object);
	const size_t size = key->items->size, at = list_position(&list, key->items, item);
	char *place, *grown;

	if (at < list.count && key->items->order((char *)list.items + at * size, item) == 0)
		return -EEXIST;
	grown = realloc(list.items, (list.count + 1) * size);
	if (!grown)
		return -ENOMEM;
	place = grown + at * size;
	memmove(place + size, place, (list.count - at) * size);
	memcpy(place, item, size);
	schema_list_set(key, object, (struct schema_list){grown, list.count + 1});
	return 0;
}

static void list_remove(const struct schema_key *key, void *object, void *item)
{
	struct schema_list list = schema_list_of(key, object);
	char *next = (char *)item + key->items->size;

	schema_release_object(key->items, item);
	list.count--;
	memmove(item, next, (size_t)((char *)list.items + list.count * key->items->size - (char *)item));
	schema_list_set(key, object, list);
}

int model_insert(struct model *model, const struct schema *kind, const void *item)
{
	return list_insert(list_key(&schema_root, kind), model, item);
}

void model_remove(struct model *model, const struct schema *kind, void *item)
{
	list_remove(list_key(&schema_root, kind), model, item);
}

int pool_insert_backend(struct pool *pool, const struct backend *item)
{
	return list_insert(list_key(&schema_pool, &schema_backend), pool, item);
}

void pool_remove_backend(struct pool *pool, struct backend *item)
{
	list_remove(list_key(&schema_pool, &schema_backend), pool, item);
}

static void sort_lists(const struct schema *schema, void *object)
{
	for (const struct schema_key *key = schema->keys; key->name; key++) {
		struct schema_list list;

		if (key->type != SCHEMA_LIST || !key->items->order)
			continue;
		list = schema_list_of(key, object);
		if (list.count > 1)
			qsort(list.items, list.count, key->items->size, key->items->order);
		for (size_t i = 0; i < list.count; i++)
			sort_lists(key->items, (char *)list.items + i * key->items->size);
	}
}

void model_sort(struct model *model)
{
	sort_lists(&schema_root, model);
	history_tidy(model);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The sorted lists of a model: their order, and what comes into them and leaves them. */
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "model_edit.h"
#include "schema_table.h"

/* Order ---------------------------------------------------------------------- */

int interface_order(const void *a, const void *b)
{
	return strcmp(((const struct interface *)a)->name, ((const struct interface *)b)->name);
}

int pool_order(const void *a, const void *b)
{
	return strcmp(((const struct pool *)a)->name, ((const struct pool *)b)->name);
}

int backend_order(const void *a, const void *b)
{
	const struct backend *left = a, *right = b;
	int order;

	if (left->replaced != right->replaced)
		return left->replaced ? 1 : -1;
	order = strcmp(left->name, right->name);
	return order || !left->replaced ? order : address_compare(&left->address, &right->address);
}

int service_order(const void *left, const void *right)
{
	const struct service *a = left, *b = right;
	int order;

	if (a->proto != b->proto)
		return a->proto < b->proto ? -1 : 1;
	order = address_compare(&a->vip, &b->vip);
	if (order)
		return order;
	if (a->port_low != b->port_low)
		return a->port_low < b->port_low ? -1 : 1;
	return (a->port_high > b->port_high) - (a->port_high < b->port_high);
}

int removal_order(const void *a, const void *b)
{
	const struct removal *left = a, *right = b;
	int order = strcmp(left->pool, right->pool);

	return order ? order : strcmp(left->name, right->name);
}

/* Lists ---------------------------------------------------------------------- */

/* Where item is or belongs. */
static size_t list_position(const char *items, size_t count, size_t size, const void *item,
			    int (*order)(const void *, const void *))
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (order(items + middle * size, item) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int list_insert(void *list, size_t *count, size_t size, const void *item,
		       int (*order)(const void *, const void *))
{
	char **items = list;
	size_t at = list_position(*items, *count, size, item, order);
	char *grown;

	if (at < *count && order(*items + at * size, item) == 0)
		return -EEXIST;
	grown = realloc(*items, (*count + 1) * size);
	if (!grown)
		return -ENOMEM;
	memmove(grown + (at + 1) * size, grown + at * size, (*count - at) * size);
	memcpy(grown + at * size, item, size);
	*items = grown;
	++*count;
	return 0;
}

static void list_remove(void *items, size_t *count, size_t size, void *item)
{
	char *end = (char *)items + *count * size, *next = (char *)item + size;

	memmove(item, next, (size_t)(end - next));
	--*count;
}

int model_insert_interface(struct model *model, const struct interface *item)
{
	return list_insert(&model->interfaces, &model->interface_count, sizeof *item, item, interface_order);
}

int model_insert_pool(struct model *model, const struct pool *item)
{
	return list_insert(&model->pools, &model->pool_count, sizeof *item, item, pool_order);
}

int model_insert_service(struct model *model, const struct service *item)
{
	return list_insert(&model->services, &model->service_count, sizeof *item, item, service_order);
}

int model_insert_removal(struct model *model, const struct removal *item)
{
	return list_insert(&model->removals, &model->removal_count, sizeof *item, item, removal_order);
}

int pool_insert_backend(struct pool *pool, const struct backend *item)
{
	return list_insert(&pool->backends, &pool->backend_count, sizeof *item, item, backend_order);
}

void model_remove_interface(struct model *model, struct interface *item)
{
	list_remove(model->interfaces, &model->interface_count, sizeof *item, item);
}

void model_remove_pool(struct model *model, struct pool *item)
{
	schema_release_object(&schema_pool, item);
	list_remove(model->pools, &model->pool_count, sizeof *item, item);
}

void model_remove_service(struct model *model, struct service *item)
{
	list_remove(model->services, &model->service_count, sizeof *item, item);
}

void model_remove_removal(struct model *model, struct removal *item)
{
	list_remove(model->removals, &model->removal_count, sizeof *item, item);
}

void pool_remove_backend(struct pool *pool, struct backend *item)
{
	list_remove(pool->backends, &pool->backend_count, sizeof *item, item);
}

/* By the first service of either protocol that is not before the address. */
bool model_has_vip(const struct model *model, const struct address *address)
{
	static const uint8_t protocols[] = {IPPROTO_TCP, IPPROTO_UDP};

	for (size_t i = 0; i < sizeof protocols; i++) {
		const struct service key = {.proto = protocols[i], .vip = *address};
		size_t at = list_position((const char *)model->services, model->service_count, sizeof key,
					  &key, service_order);

		if (at < model->service_count && model->services[at].proto == key.proto &&
		    address_equal(&model->services[at].vip, address))
			return true;
	}
	return false;
}

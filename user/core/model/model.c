/* SPDX-License-Identifier: Apache-2.0 */
#include "model.h"

#include <errno.h>
#include <holdfast/abi.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "history.h"
#include "model_edit.h"
#include "pool_options.h"
#include "removal.h"

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
	for (size_t i = 0; i < model->pool_count; i++) {
		free(model->pools[i].backends);
		free(model->pools[i].options.ranges);
	}
	free(model->interfaces);
	free(model->pools);
	free(model->services);
	free(model->removals);
	for (size_t i = 0; i < model->history_count; i++)
		member_record_release(&model->history[i]);
	free(model->history);
	free(model);
}

/* An empty list is NULL, which is not a failure. */
static int copy_list(void *ret_items, const void *items, size_t count, size_t size)
{
	void *copy = NULL;

	if (count) {
		copy = malloc(count * size);
		if (!copy)
			return -ENOMEM;
		memcpy(copy, items, count * size);
	}
	*(void **)ret_items = copy;
	return 0;
}

int model_copy_history(struct model *copy, const struct model *model)
{
	int error = copy_list(&copy->history, model->history, model->history_count, sizeof *model->history);

	if (error < 0)
		return error;
	for (size_t i = 0; i < model->history_count; i++) {
		error = member_record_copy(&copy->history[i], &model->history[i]);
		if (error < 0)
			return error;
		copy->history_count++;
	}
	return 0;
}

static int copy_pool(struct pool *copy, const struct pool *pool)
{
	int error = pool_options_copy(&copy->options, &pool->options);

	if (error < 0)
		return error;
	error = copy_list(&copy->backends, pool->backends, pool->backend_count, sizeof *pool->backends);
	if (error < 0)
		free(copy->options.ranges);
	return error;
}

static int copy_lists(struct model *copy, const struct model *model)
{
	int error;

	error = copy_list(&copy->interfaces, model->interfaces, model->interface_count,
			  sizeof *model->interfaces);
	if (error < 0)
		return error;
	copy->interface_count = model->interface_count;
	error = copy_list(&copy->services, model->services, model->service_count, sizeof *model->services);
	if (error < 0)
		return error;
	copy->service_count = model->service_count;
	error = copy_list(&copy->removals, model->removals, model->removal_count, sizeof *model->removals);
	if (error < 0)
		return error;
	copy->removal_count = model->removal_count;
	error = copy_list(&copy->pools, model->pools, model->pool_count, sizeof *model->pools);
	if (error < 0)
		return error;
	for (size_t i = 0; i < model->pool_count; i++) {
		error = copy_pool(&copy->pools[i], &model->pools[i]);
		if (error < 0)
			return error;
		copy->pool_count++;
	}
	return model_copy_history(copy, model);
}

struct model *model_copy(const struct model *model)
{
	struct model *copy = malloc(sizeof *copy);

	if (!copy)
		return NULL;
	*copy = *model;
	copy->interfaces = NULL;
	copy->pools = NULL;
	copy->services = NULL;
	copy->removals = NULL;
	copy->history = NULL;
	copy->removal_count = copy->interface_count = copy->pool_count = copy->service_count =
		copy->history_count = 0;
	if (copy_lists(copy, model) < 0) {
		model_free(copy);
		return NULL;
	}
	return copy;
}

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

static void sort(void *items, size_t count, size_t size, int (*order)(const void *, const void *))
{
	if (count > 1)
		qsort(items, count, size, order);
}

void model_sort(struct model *model)
{
	sort(model->interfaces, model->interface_count, sizeof *model->interfaces, interface_order);
	sort(model->pools, model->pool_count, sizeof *model->pools, pool_order);
	sort(model->services, model->service_count, sizeof *model->services, service_order);
	sort(model->removals, model->removal_count, sizeof *model->removals, removal_order);
	for (size_t i = 0; i < model->pool_count; i++)
		sort(model->pools[i].backends, model->pools[i].backend_count, sizeof(struct backend),
		     backend_order);
	history_tidy(model);
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
	free(item->backends);
	free(item->options.ranges);
	list_remove(model->pools, &model->pool_count, sizeof *item, item);
}

void model_remove_service(struct model *model, struct service *item)
{
	list_remove(model->services, &model->service_count, sizeof *item, item);
}

void pool_remove_backend(struct pool *pool, struct backend *item)
{
	list_remove(pool->backends, &pool->backend_count, sizeof *item, item);
}

/* Finding -------------------------------------------------------------------- */

static int order_by_name(const void *name, const void *item)
{
	return strcmp(name, item); /* the name is every named struct's first member */
}

static void *find_name(const void *items, size_t count, size_t size, const char *name)
{
	return count ? bsearch(name, items, count, size, order_by_name) : NULL;
}

_Static_assert(offsetof(struct pool, name) == 0 && offsetof(struct backend, name) == 0 &&
		       offsetof(struct interface, name) == 0,
	       "find_name() compares the start of a struct");

struct pool *model_pool(const struct model *model, const char *name)
{
	return find_name(model->pools, model->pool_count, sizeof *model->pools, name);
}

size_t pool_members(const struct pool *pool)
{
	size_t low = 0, high = pool->backend_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (pool->backends[middle].replaced)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

struct backend *pool_backend_at(const struct pool *pool, const char *name, const struct address *address)
{
	struct backend key = {.address = *address, .replaced = true}, *member;

	member = find_name(pool->backends, pool_members(pool), sizeof *pool->backends, name);
	if (member && address_equal(&member->address, address))
		return member;
	if (!pool->backend_count || strlen(name) >= NAME_SIZE)
		return NULL;
	strcpy(key.name, name);
	return bsearch(&key, pool->backends, pool->backend_count, sizeof key, backend_order);
}

struct backend *pool_backend(const struct pool *pool, const char *text)
{
	const char *at = strchr(text, '@');
	char name[NAME_SIZE];
	struct address address;

	if (!at)
		return find_name(pool->backends, pool_members(pool), sizeof *pool->backends, text);
	if (at - text >= NAME_SIZE || address_parse(at + 1, &address) < 0)
		return NULL;
	memcpy(name, text, (size_t)(at - text));
	name[at - text] = '\0';
	return pool_backend_at(pool, name, &address);
}

const char *backend_label(const struct backend *backend, char text[BACKEND_TEXT])
{
	char *at = stpcpy(text, backend->name);

	if (backend->replaced) {
		*at++ = '@';
		address_text(&backend->address, at);
	}
	return text;
}

const char *model_label(const struct model *model, const char *pool_name, const char *name,
			const struct address *address, char text[BACKEND_TEXT])
{
	const struct pool *pool = model_pool(model, pool_name);
	const struct backend *member = pool ? pool_backend(pool, name) : NULL;
	struct backend backend = {.address = *address};

	backend.replaced = member && !address_equal(&member->address, address);
	strcpy(backend.name, name);
	return backend_label(&backend, text);
}

struct interface *model_interface(const struct model *model, const char *name)
{
	return find_name(model->interfaces, model->interface_count, sizeof *model->interfaces, name);
}

struct service *model_service(const struct model *model, uint8_t proto, const struct address *vip,
			      uint16_t low, uint16_t high)
{
	struct service key = {.proto = proto, .vip = *vip, .port_low = low, .port_high = high};

	if (!model->service_count)
		return NULL;
	return bsearch(&key, model->services, model->service_count, sizeof key, service_order);
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

uint64_t pool_seed(const struct model *model, const struct pool *pool)
{
	return pool->seed ? pool->seed : model->seed;
}

bool pool_is_served(const struct model *model, const char *pool)
{
	for (size_t i = 0; i < model->service_count; i++)
		if (strcmp(model->services[i].pool, pool) == 0)
			return true;
	return false;
}

uint32_t placed_weight(const struct backend *backend)
{
	return backend->removing ? 0 : backend->weight;
}

bool backend_rests(const struct backend *backend)
{
	return backend->admin != ADMIN_ACTIVE;
}

uint32_t service_idle(const struct service *service)
{
	if (service->idle)
		return service->idle;
	return service->proto == IPPROTO_TCP ? TCP_IDLE_DEFAULT : UDP_IDLE_DEFAULT;
}

bool beginnings_seen(uint8_t proto, uint8_t track)
{
	return proto == IPPROTO_TCP || track == HF_TRACK_ALWAYS;
}

/* Words ---------------------------------------------------------------------- */

#define WORD(words, value) ((size_t)(value) < sizeof(words) / sizeof((words)[0]) ? (words)[value] : "?")

const char *admin_name(enum admin_state state)
{
	static const char *const words[] = {"active", "draining", "disabled"};

	return WORD(words, state);
}

const char *health_name(enum health_state state)
{
	static const char *const words[] = {"unknown", "up", "down"};

	return WORD(words, state);
}

const char *encap_name(uint8_t encap)
{
	static const char *const words[] = {"ipip", "gue", "gre", "l2"};

	return WORD(words, encap);
}

const char *hash_name(uint8_t hash)
{
	static const char *const words[] = {"5tuple", "source"};

	return WORD(words, hash);
}

const char *track_name(uint8_t track)
{
	static const char *const words[] = {"auto", "always", "never"};

	return WORD(words, track);
}

const char *mode_name(enum interface_mode mode)
{
	static const char *const words[] = {"auto", "native", "generic"};

	return WORD(words, mode);
}

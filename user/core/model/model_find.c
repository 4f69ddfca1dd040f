/* SPDX-License-Identifier: Apache-2.0 */
/* What is in a model, and what it says of a pool, backend or service. */
#include <errno.h>
#include <holdfast/abi.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "model_edit.h"

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

/* Saying --------------------------------------------------------------------- */

bool pool_has_flows(const struct model *model, const struct pool *pool)
{
	return pool->served || pool_is_served(model, pool->name);
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

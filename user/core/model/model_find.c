/* SPDX-License-Identifier: Apache-2.0 */
/* What is in a model, in which order, and what it says of a pool, backend or service. */
#include <errno.h>
#include <holdfast/abi.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "core/value/nearest.h"
#include "model_edit.h"

/* Order ---------------------------------------------------------------------- */

/* The name is every named struct's first member; a name alone is looked for so, too. */
int name_order(const void *a, const void *b)
{
	return strcmp(a, b);
}

_Static_assert(offsetof(struct pool, name) == 0 && offsetof(struct backend, name) == 0 &&
		       offsetof(struct interface, name) == 0,
	       "name_order() compares the start of a struct");

int backend_order(const void *a, const void *b)
{
	const struct backend *left = a, *right = b;
	int order;

	if (left->replaced != right->replaced)
		return left->replaced ? 1 : -1;
	order = strcmp(left->name, right->name);
	return order || !left->replaced ? order : address_compare(&left->address, &right->address);
}

static int vip_order(const void *left, const void *right)
{
	const struct service *a = left, *b = right;

	if (a->proto != b->proto)
		return a->proto < b->proto ? -1 : 1;
	return address_compare(&a->vip, &b->vip);
}

int service_order(const void *left, const void *right)
{
	const struct service *a = left, *b = right;
	int order = vip_order(a, b);

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

/* Finding -------------------------------------------------------------------- */

static void *find_name(const void *items, size_t count, size_t size, const char *name)
{
	return count ? bsearch(name, items, count, size, name_order) : NULL;
}

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

bool model_has_vip(const struct model *model, const struct address *address)
{
	static const uint8_t protocols[] = {IPPROTO_TCP, IPPROTO_UDP};

	for (size_t i = 0; model->service_count && i < sizeof protocols; i++) {
		const struct service key = {.proto = protocols[i], .vip = *address};

		if (bsearch(&key, model->services, model->service_count, sizeof key, vip_order))
			return true;
	}
	return false;
}

struct pool *named_pool(const struct model *model, const char *name, struct refusal *refusal)
{
	struct nearest nearest = nearest_to(name);
	struct pool *pool = model_pool(model, name);

	if (pool)
		return pool;
	for (size_t i = 0; i < model->pool_count; i++)
		nearest_offer(&nearest, model->pools[i].name);
	refuse(refusal, -ENOENT, "there is no pool %.63s", name);
	nearest_right(&nearest, refusal, "the name of a pool; `holdfast pool list` shows them");
	return NULL;
}

struct backend *pool_named_backend(const struct pool *pool, const char *name, struct refusal *refusal)
{
	struct nearest nearest = nearest_to(name);
	struct backend *backend = pool_backend(pool, name);

	if (backend)
		return backend;
	for (size_t i = 0; i < pool->backend_count; i++)
		nearest_offer(&nearest, pool->backends[i].name);
	refuse(refusal, -ENOENT, "there is no backend %.111s", name);
	refusal_where(refusal, "pool %s", pool->name);
	nearest_right(&nearest, refusal, "the name of a backend; `holdfast backend list` shows them");
	return NULL;
}

/* Saying --------------------------------------------------------------------- */

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

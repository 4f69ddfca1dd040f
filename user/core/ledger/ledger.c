/* SPDX-License-Identifier: Apache-2.0 */
#include "ledger.h"

#include <errno.h>
#include <holdfast/abi.h>
#include <stdlib.h>
#include <string.h>

#include "ledger_private.h"
#include "core/model/model_edit.h"

struct ledger *ledger_new(void)
{
	struct ledger *ledger = calloc(1, sizeof *ledger);

	if (!ledger)
		return NULL;
	ledger->next_counter = 1; /* 0 means none */
	if (ledger_index(ledger) < 0) {
		ledger_free(ledger);
		return NULL;
	}
	return ledger;
}

void ledger_free(struct ledger *ledger)
{
	if (!ledger)
		return;
	free(ledger->pools);
	free(ledger->backends);
	free(ledger->services);
	free(ledger->idle_ranges);
	free(ledger->by_number);
	free(ledger);
}

static void *duplicate(const void *items, size_t count, size_t size)
{
	void *copy = malloc(count * size + 1);

	return copy && count ? memcpy(copy, items, count * size) : copy;
}

struct ledger *ledger_copy(const struct ledger *ledger)
{
	struct ledger *copy = malloc(sizeof *copy);

	if (!copy)
		return NULL;
	*copy = *ledger;
	copy->pools = duplicate(ledger->pools, ledger->pool_count, sizeof *ledger->pools);
	copy->backends = duplicate(ledger->backends, ledger->backend_count, sizeof *ledger->backends);
	copy->services = duplicate(ledger->services, ledger->service_count, sizeof *ledger->services);
	copy->idle_ranges =
		duplicate(ledger->idle_ranges, ledger->idle_range_count, sizeof *ledger->idle_ranges);
	copy->by_number = duplicate(ledger->by_number, HF_MAX_BACKENDS, sizeof *ledger->by_number);
	if (!copy->pools || !copy->backends || !copy->services || !copy->idle_ranges || !copy->by_number) {
		ledger_free(copy);
		return NULL;
	}
	return copy;
}

/* Order and index --------------------------------------------------------------- */

int ledger_pool_order(const void *a, const void *b)
{
	return strcmp(((const struct pool_entry *)a)->name, ((const struct pool_entry *)b)->name);
}

int ledger_backend_order(const void *left, const void *right)
{
	const struct backend_entry *a = left, *b = right;
	int order = strcmp(a->pool, b->pool);

	if (order == 0)
		order = strcmp(a->name, b->name);
	return order ? order : address_compare(&a->address, &b->address);
}

int ledger_service_order(const void *a, const void *b)
{
	return service_order(&((const struct service_entry *)a)->key,
			     &((const struct service_entry *)b)->key);
}

int ledger_index(struct ledger *ledger)
{
	if (ledger->pool_count > 1)
		qsort(ledger->pools, ledger->pool_count, sizeof *ledger->pools, ledger_pool_order);
	if (ledger->backend_count > 1)
		qsort(ledger->backends, ledger->backend_count, sizeof *ledger->backends,
		      ledger_backend_order);
	if (ledger->service_count > 1)
		qsort(ledger->services, ledger->service_count, sizeof *ledger->services,
		      ledger_service_order);
	if (!ledger->by_number)
		ledger->by_number = malloc(HF_MAX_BACKENDS * sizeof *ledger->by_number);
	if (!ledger->by_number)
		return -ENOMEM;
	memset(ledger->by_number, 0, HF_MAX_BACKENDS * sizeof *ledger->by_number);
	for (size_t i = 0; i < ledger->backend_count; i++)
		ledger->by_number[ledger->backends[i].number] = (uint32_t)i + 1;
	return 0;
}

/* Looking up ---------------------------------------------------------------------- */

static const struct pool_entry *find_pool(const struct ledger *ledger, const char *name)
{
	struct pool_entry key;

	if (strlen(name) >= sizeof key.name)
		return NULL;
	strcpy(key.name, name);
	return ledger->pool_count
		       ? bsearch(&key, ledger->pools, ledger->pool_count, sizeof key, ledger_pool_order)
		       : NULL;
}

static const struct backend_entry *find_number(const struct ledger *ledger, uint16_t number)
{
	uint32_t index = ledger->by_number[number];

	return index ? &ledger->backends[index - 1] : NULL;
}

uint32_t ledger_pool(const struct ledger *ledger, const char *pool)
{
	const struct pool_entry *entry = find_pool(ledger, pool);

	return entry ? entry->number : 0;
}

uint16_t ledger_backend(const struct ledger *ledger, const char *pool, const struct backend *backend)
{
	struct backend_entry key = {.address = backend->address}, *entry;

	if (!ledger->backend_count || strlen(pool) >= sizeof key.pool)
		return 0;
	strcpy(key.pool, pool);
	strcpy(key.name, backend->name);
	entry = bsearch(&key, ledger->backends, ledger->backend_count, sizeof key, ledger_backend_order);
	return entry ? entry->number : 0;
}

uint16_t ledger_ordinal(const struct ledger *ledger, uint16_t backend)
{
	const struct backend_entry *entry = find_number(ledger, backend);

	return entry ? entry->ordinal : 0;
}

uint16_t ledger_service(const struct ledger *ledger, const struct service *service, uint32_t *ret_counters,
			uint32_t *ret_ordinals)
{
	struct service_entry key = {.key = *service}, *entry;

	if (!ledger->service_count)
		return 0;
	entry = bsearch(&key, ledger->services, ledger->service_count, sizeof key, ledger_service_order);
	if (!entry)
		return 0;
	if (ret_counters)
		*ret_counters = entry->counters.first;
	if (ret_ordinals)
		*ret_ordinals = entry->counters.count;
	return entry->number;
}

bool ledger_backend_name(const struct ledger *ledger, uint16_t number, const char **ret_pool,
			 const char **ret_name, struct address *ret_address)
{
	const struct backend_entry *entry = find_number(ledger, number);

	if (!entry)
		return false;
	if (ret_pool)
		*ret_pool = entry->pool;
	if (ret_name)
		*ret_name = entry->name;
	if (ret_address)
		*ret_address = entry->address;
	return true;
}

bool ledger_pool_name(const struct ledger *ledger, uint32_t number, const char **ret_pool)
{
	for (size_t i = 0; i < ledger->pool_count; i++) {
		if (ledger->pools[i].number == number) {
			*ret_pool = ledger->pools[i].name;
			return true;
		}
	}
	return false;
}

/* Retiring ------------------------------------------------------------------------ */

int ledger_retired(const struct ledger *ledger, int (*visit)(uint16_t backend, void *context), void *context)
{
	for (size_t i = 0; i < ledger->backend_count; i++) {
		int result = ledger->backends[i].retired ? visit(ledger->backends[i].number, context) : 0;

		if (result)
			return result;
	}
	return 0;
}

void ledger_release_backends(struct ledger *ledger, bool (*is_free)(uint16_t backend, void *context),
			     void *context)
{
	size_t kept = 0;

	for (size_t i = 0; i < ledger->backend_count; i++) {
		const struct backend_entry *entry = &ledger->backends[i];
		uint16_t number = entry->number;

		if (entry->retired && is_free(number, context)) {
			ledger->by_number[number] = 0;
			continue;
		}
		if (kept != i)
			ledger->backends[kept] = *entry;
		ledger->by_number[number] = (uint32_t)++kept;
	}
	ledger->backend_count = kept;
}

static bool pool_has_backends(const struct ledger *ledger, const char *pool)
{
	for (size_t i = 0; i < ledger->backend_count; i++)
		if (strcmp(ledger->backends[i].pool, pool) == 0)
			return true;
	return false;
}

void ledger_release_unused(struct ledger *ledger)
{
	size_t kept = 0;

	for (size_t i = 0; i < ledger->service_count; i++)
		if (!ledger->services[i].retired)
			ledger->services[kept++] = ledger->services[i];
	ledger->service_count = kept;
	kept = 0;
	for (size_t i = 0; i < ledger->pool_count; i++)
		if (!ledger->pools[i].retired || pool_has_backends(ledger, ledger->pools[i].name))
			ledger->pools[kept++] = ledger->pools[i];
	ledger->pool_count = kept;
	ledger->idle_range_count = 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A ledger made of what the data plane holds, for a model whose own ledger is lost. */
#include <arpa/inet.h>
#include <errno.h>
#include <holdfast/directory.h>
#include <holdfast/slot.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adoption.h"
#include "core/ledger/ledger_private.h"

struct adoption {
	const struct image *loaded;
	const struct model *model;
	struct ledger *ledger;
	char pools[HF_MAX_POOLS][NAME_SIZE]; /* by number: the model's name; "#N": it has none */
	bool named[HF_MAX_POOLS];
	uint32_t pool_of[HF_MAX_BACKENDS]; /* whose slots name the backend; 0: none */
};

static const struct service *match_service(const struct model *model, const struct hf_service *entry)
{
	for (size_t i = 0; i < model->service_count; i++)
		if (service_has_entry(&model->services[i], &entry->key))
			return &model->services[i];
	return NULL;
}

static bool is_named(const struct adoption *adoption, const char *pool)
{
	for (uint32_t i = 1; i < HF_MAX_POOLS; i++)
		if (adoption->named[i] && !strcmp(adoption->pools[i], pool))
			return true;
	return false;
}

static void name_pools(struct adoption *adoption)
{
	const struct directory *directory = &adoption->loaded->directory;

	for (uint32_t i = 1; i < HF_MAX_POOLS; i++)
		snprintf(adoption->pools[i], NAME_SIZE, "#%u", i);
	for (uint32_t i = 0; i < directory_size(directory); i++) {
		const struct hf_service *entry = &directory->entries[i];
		const struct service *service =
			entry_is_service(entry) ? match_service(adoption->model, entry) : NULL;

		if (!service || !entry->pool || entry->pool >= HF_MAX_POOLS || adoption->named[entry->pool] ||
		    is_named(adoption, service->pool))
			continue;
		strcpy(adoption->pools[entry->pool], service->pool);
		adoption->named[entry->pool] = true;
	}
}

static int adopt_pools(struct adoption *adoption)
{
	struct ledger *ledger = adoption->ledger;

	ledger->pools = calloc(adoption->loaded->pool_count + 1, sizeof *ledger->pools);
	if (!ledger->pools)
		return -ENOMEM;
	for (size_t i = 0; i < adoption->loaded->pool_count; i++) {
		const struct pool_image *image = &adoption->loaded->pools[i];
		struct pool_entry *entry = &ledger->pools[ledger->pool_count++];

		strcpy(entry->name, adoption->pools[image->number]);
		entry->number = image->number;
		entry->retired = !adoption->named[image->number];
		if (image->number > ledger->last_pool)
			ledger->last_pool = image->number;
		for (uint32_t slot = 0; slot < image->table.size; slot++) {
			adoption->pool_of[hf_slot_owner(image->words[slot])] = image->number;
			adoption->pool_of[hf_slot_base(image->words[slot])] = image->number;
		}
	}
	return 0;
}

static const struct backend *find_backend(const struct model *model, const char *pool_name,
					  const struct address *address)
{
	const struct pool *pool = model_pool(model, pool_name);

	for (size_t i = 0; pool && i < pool->backend_count; i++)
		if (!address_compare(&pool->backends[i].address, address))
			return &pool->backends[i];
	return NULL;
}

/* A backend that no slot names may have remembered flows. It is known by its address alone. */
static const struct backend *find_anywhere(const struct model *model, const struct address *address,
					   const char **ret_pool)
{
	const struct backend *found = NULL;

	for (size_t i = 0; !found && i < model->pool_count; i++) {
		found = find_backend(model, model->pools[i].name, address);
		*ret_pool = model->pools[i].name;
	}
	return found;
}

static bool is_adopted(const struct ledger *ledger, const char *pool, const struct backend *backend)
{
	for (size_t i = 0; i < ledger->backend_count; i++)
		if (!strcmp(ledger->backends[i].pool, pool) &&
		    !strcmp(ledger->backends[i].name, backend->name))
			return true;
	return false;
}

static void adopt_backend(struct adoption *adoption, const struct backend_image *image)
{
	struct ledger *ledger = adoption->ledger;
	uint32_t number = adoption->pool_of[image->number];
	const char *pool = number ? adoption->pools[number] : "#0";
	const struct backend *backend = number ? find_backend(adoption->model, pool, &image->address)
					       : find_anywhere(adoption->model, &image->address, &pool);
	struct backend_entry *entry;

	if (backend && is_adopted(ledger, pool, backend))
		backend = NULL;
	entry = &ledger->backends[ledger->backend_count++];
	entry->address = image->address;
	entry->number = image->number;
	entry->ordinal = image->entry.ordinal;
	entry->retired = !backend;
	strcpy(entry->pool, backend || number ? pool : "#0");
	if (backend)
		strcpy(entry->name, backend->name);
	else
		snprintf(entry->name, sizeof entry->name, "#%u", image->number);
	if (image->number > ledger->last_backend)
		ledger->last_backend = image->number;
}

/* Backends that slots name come first: they have more connections than others of the same address. */
static int adopt_backends(struct adoption *adoption)
{
	const struct image *loaded = adoption->loaded;

	adoption->ledger->backends = calloc(loaded->backend_count + 1, sizeof *adoption->ledger->backends);
	if (!adoption->ledger->backends)
		return -ENOMEM;
	for (int named = 1; named >= 0; named--)
		for (size_t i = 0; i < loaded->backend_count; i++)
			if (!!adoption->pool_of[loaded->backends[i].number] == named)
				adopt_backend(adoption, &loaded->backends[i]);
	return 0;
}

/* Stands for an entry without a service of the model, so that its number and counters are not given away. */
static struct service unknown_service(const struct hf_service_key *key)
{
	struct service service = {.proto = key->proto, .vip.family = hf_kind_family(key->kind)};

	memcpy(service.vip.bytes, key->addr, service.vip.family == HF_IPV4 ? 4 : 16);
	service.port_low = ntohs(key->port);
	service.port_high = hf_kind_last_port(key->kind, service.port_low);
	return service;
}

static void adopt_service(struct adoption *adoption, const struct hf_service *loaded, bool *taken)
{
	struct ledger *ledger = adoption->ledger;
	const struct service *service = match_service(adoption->model, loaded);
	struct service_entry *entry;

	/* A part of one that is adopted: its own number is not in use any more. */
	if (service && taken[service - adoption->model->services])
		service = NULL;
	if (service)
		taken[service - adoption->model->services] = true;
	entry = &ledger->services[ledger->service_count++];
	entry->key = service ? *service : unknown_service(&loaded->key);
	/* Counters follow the ordinals of the pool that they were counted for. */
	strcpy(entry->key.pool, loaded->pool < HF_MAX_POOLS ? adoption->pools[loaded->pool] : "#0");
	entry->number = loaded->number;
	entry->counters = (struct counter_range){loaded->counters, loaded->ordinals};
	entry->retired = !service;
	if (loaded->number > ledger->last_service)
		ledger->last_service = loaded->number;
	if (loaded->counters + loaded->ordinals > ledger->next_counter)
		ledger->next_counter = loaded->counters + loaded->ordinals;
}

static int adopt_services(struct adoption *adoption)
{
	const struct directory *directory = &adoption->loaded->directory;
	uint32_t size = directory_size(directory);
	bool *seen = calloc(UINT16_MAX + 1, sizeof *seen),
	     *taken = calloc(adoption->model->service_count + 1, sizeof *taken);
	int error;

	adoption->ledger->services = calloc(size + 1, sizeof *adoption->ledger->services);
	error = seen && taken && adoption->ledger->services ? 0 : -ENOMEM;
	for (uint32_t i = 0; !error && i < size; i++) {
		const struct hf_service *entry = &directory->entries[i];

		if (!entry_is_service(entry) || seen[entry->number])
			continue;
		seen[entry->number] = true;
		adopt_service(adoption, entry, taken);
	}
	free(seen);
	free(taken);
	return error;
}

int ledger_adopt(const struct image *loaded, const struct model *model, struct ledger **ret)
{
	struct adoption *adoption = calloc(1, sizeof *adoption);
	struct ledger *ledger = ledger_new();
	int error = adoption && ledger ? 0 : -ENOMEM;

	if (!error) {
		adoption->loaded = loaded;
		adoption->model = model;
		adoption->ledger = ledger;
		name_pools(adoption);
		error = adopt_pools(adoption);
	}
	if (!error)
		error = adopt_backends(adoption);
	if (!error)
		error = adopt_services(adoption);
	if (!error)
		error = ledger_index(ledger);
	free(adoption);
	if (error)
		ledger_free(ledger);
	else
		*ret = ledger;
	return error;
}

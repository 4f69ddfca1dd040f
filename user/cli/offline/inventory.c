// SPDX-License-Identifier: Apache-2.0
#include "inventory.h"

#include <errno.h>
#include <holdfast/slot.h>
#include <stdlib.h>
#include <string.h>

#include "core/image/directory.h"
#include "kern/base/carrier.h"

/* The pool whose slots name the backend; one that owns no slot is still in the pool that the ledger says. */
static void find_backends(const struct offline *offline, struct found_backend *backends)
{
	const struct image *loaded = offline->loaded;

	for (size_t i = 0; i < loaded->pool_count; i++)
		for (uint32_t slot = 0; slot < loaded->pools[i].table.size; slot++)
			backends[hf_slot_owner(loaded->pools[i].words[slot])].pool = loaded->pools[i].number;
	for (size_t i = 0; i < loaded->backend_count; i++) {
		struct found_backend *backend = &backends[loaded->backends[i].number];
		char label[NUMBER_NAME];
		const char *pool_name, *name;
		const struct pool *pool;

		backend_number_names(&offline->names, loaded->backends[i].number, &pool_name, &name, label);
		pool = model_pool(offline->stored.model, pool_name);
		backend->stored = pool ? pool_backend(pool, name) : NULL;
		backend->removed = strcmp(pool_name, "#") && !backend->stored;
		if (backend->stored)
			backend->pool = ledger_pool(offline->stored.ledger, pool_name);
	}
}

static void find_reached(const struct offline *offline, struct found_backend *backends)
{
	uint32_t last = 0;
	bool carries = false;
	uint8_t mac[6];

	for (size_t i = 0; i < offline->loaded->backend_count; i++) {
		uint16_t number = offline->loaded->backends[i].number;
		uint32_t ifindex = dataplane_next_hop(offline->dataplane, number, mac);

		if (ifindex != last)
			carries = carrier_ask(ifindex) == LINK_CARRIES;
		last = ifindex;
		backends[number].reached = ifindex && carries;
	}
}

static void find_services(const struct directory *directory, struct found_service *services)
{
	for (uint32_t i = 0; i < directory_size(directory); i++) {
		const struct hf_service *entry = &directory->entries[i];

		if (entry_is_service(entry) && entry->number < HF_MAX_SERVICES &&
		    !services[entry->number].entry)
			services[entry->number].entry = entry;
	}
}

/* What a service counts is its own, and its backends', by their places among its counters. */
static int count_service(const struct offline *offline, struct found_service *service,
			 struct found_backend *backends)
{
	const struct hf_service *entry = service->entry;
	bool seen = beginnings_seen(entry->key.proto, entry->track);
	struct hf_counters *counters = calloc(entry->ordinals + 1, sizeof *counters);
	int r = counters ? dataplane_counters(offline->dataplane, entry->counters, entry->ordinals, counters)
			 : -ENOMEM;

	for (uint32_t i = 0; !r && i < entry->ordinals; i++)
		tally_count(&service->tally, &counters[i], seen);
	for (size_t i = 0; !r && i < offline->loaded->backend_count; i++) {
		const struct backend_image *image = &offline->loaded->backends[i];
		struct found_backend *backend = &backends[image->number];

		if (backend->pool == entry->pool && image->entry.ordinal < entry->ordinals)
			tally_count(&backend->tally, &counters[image->entry.ordinal], seen);
	}
	free(counters);
	return r;
}

static int count_services(const struct offline *offline, struct inventory *inventory)
{
	static const struct tally nothing = {.packets = -1, .bytes = -1, .flows = -1};
	int r = 0;

	for (size_t i = 0; i < HF_MAX_BACKENDS; i++)
		inventory->backends[i].tally = nothing;
	for (size_t i = 0; !r && i < HF_MAX_SERVICES; i++) {
		inventory->services[i].tally = nothing;
		if (inventory->services[i].entry)
			r = count_service(offline, &inventory->services[i], inventory->backends);
	}
	return r;
}

struct inventory *inventory_take(const struct offline *offline)
{
	struct inventory *inventory = calloc(1, sizeof *inventory);

	if (!inventory)
		return NULL;
	slots_count(offline->loaded, inventory->slots);
	find_backends(offline, inventory->backends);
	find_reached(offline, inventory->backends);
	find_services(&offline->loaded->directory, inventory->services);
	if (count_services(offline, inventory)) {
		free(inventory);
		return NULL;
	}
	return inventory;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Ledgers as JSON: one short list an entry, since there are thousands. */
#include <errno.h>
#include <holdfast/abi.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "ledger_private.h"

enum { LEDGER_VERSION = 1 };

/* A list that has lost an entry would give its number away again: it is none then. */
static json_t *append(json_t *list, json_t *entry)
{
	if (!json_array_append_new(list, entry))
		return list;
	json_decref(list);
	return NULL;
}

static json_t *pool_entries_to_json(const struct ledger *ledger)
{
	json_t *list = json_array();

	for (size_t i = 0; list && i < ledger->pool_count; i++) {
		const struct pool_entry *entry = &ledger->pools[i];

		list = append(list, json_pack("[sib]", entry->name, (int)entry->number, entry->retired));
	}
	return list;
}

static json_t *backend_entries_to_json(const struct ledger *ledger)
{
	json_t *list = json_array();
	char address[ADDRESS_TEXT];

	for (size_t i = 0; list && i < ledger->backend_count; i++) {
		const struct backend_entry *entry = &ledger->backends[i];

		list = append(list, json_pack("[sssiib]", entry->pool, entry->name,
					      address_text(&entry->address, address), entry->number,
					      entry->ordinal, entry->retired));
	}
	return list;
}

static json_t *service_entries_to_json(const struct ledger *ledger)
{
	json_t *list = json_array();
	char listen[ENDPOINT_TEXT];

	for (size_t i = 0; list && i < ledger->service_count; i++) {
		const struct service_entry *entry = &ledger->services[i];

		endpoint_text(&entry->key.vip, entry->key.port_low, entry->key.port_high, listen);
		list = append(list,
			      json_pack("[sssiIIb]", proto_name(entry->key.proto), listen, entry->key.pool,
					entry->number, (json_int_t)entry->counters.first,
					(json_int_t)entry->counters.count, entry->retired));
	}
	return list;
}

static json_t *range_entries_to_json(const struct ledger *ledger)
{
	json_t *list = json_array();

	for (size_t i = 0; list && i < ledger->idle_range_count; i++)
		list = append(list, json_pack("[II]", (json_int_t)ledger->idle_ranges[i].first,
					      (json_int_t)ledger->idle_ranges[i].count));
	return list;
}

json_t *ledger_to_json(const struct ledger *ledger)
{
	return json_pack("{si so so so so s[IIII]}", "version", LEDGER_VERSION, "pools",
			 pool_entries_to_json(ledger), "backends", backend_entries_to_json(ledger),
			 "services", service_entries_to_json(ledger), "idle_counters",
			 range_entries_to_json(ledger), "last", (json_int_t)ledger->last_pool,
			 (json_int_t)ledger->last_backend, (json_int_t)ledger->last_service,
			 (json_int_t)ledger->next_counter);
}

/* Reading ------------------------------------------------------------------------- */

typedef int (*read_entry)(const json_t *json, void *entry);

static int entries_from_json(const json_t *json, const char *key, size_t size, read_entry read,
			     void *ret_items, size_t *ret_count)
{
	const json_t *list = json_object_get(json, key);
	size_t count = json_array_size(list);
	char *items;

	if (!json_is_array(list))
		return -EINVAL;
	items = calloc(count + 1, size);
	if (!items)
		return -ENOMEM;
	*(void **)ret_items = items;
	*ret_count = count;
	for (size_t i = 0; i < count; i++)
		if (read(json_array_get(list, i), items + i * size) < 0)
			return -EINVAL;
	return 0;
}

static int copy_name(char name[NAME_SIZE], const char *text)
{
	if (strlen(text) >= NAME_SIZE)
		return -EINVAL;
	strcpy(name, text);
	return 0;
}

static int pool_entry_from_json(const json_t *json, void *at)
{
	struct pool_entry *entry = at;
	const char *name;
	int number, retired;

	if (json_unpack((json_t *)json, "[sib!]", &name, &number, &retired) < 0 ||
	    copy_name(entry->name, name) < 0 || number < 1 || number >= HF_MAX_POOLS)
		return -EINVAL;
	entry->number = (uint32_t)number;
	entry->retired = retired;
	return 0;
}

static int backend_entry_from_json(const json_t *json, void *at)
{
	struct backend_entry *entry = at;
	const char *pool, *name, *address;
	int number, ordinal, retired;

	if (json_unpack((json_t *)json, "[sssiib!]", &pool, &name, &address, &number, &ordinal, &retired) <
		    0 ||
	    copy_name(entry->pool, pool) < 0 || copy_name(entry->name, name) < 0 ||
	    address_parse(address, &entry->address) < 0 || number < 1 || number >= HF_MAX_BACKENDS ||
	    ordinal < 0 || ordinal >= HF_MAX_BACKENDS)
		return -EINVAL;
	entry->number = (uint16_t)number;
	entry->ordinal = (uint16_t)ordinal;
	entry->retired = retired;
	return 0;
}

static int service_entry_from_json(const json_t *json, void *at)
{
	struct service_entry *entry = at;
	const char *proto, *listen, *pool;
	json_int_t first, count;
	int number, retired;

	if (json_unpack((json_t *)json, "[sssiIIb!]", &proto, &listen, &pool, &number, &first, &count,
			&retired) < 0 ||
	    copy_name(entry->key.pool, pool) < 0 ||
	    endpoint_parse(listen, &entry->key.vip, &entry->key.port_low, &entry->key.port_high) < 0 ||
	    number < 1 || number >= HF_MAX_SERVICES || first < 1 || count < 1 || first + count > UINT32_MAX)
		return -EINVAL;
	entry->key.proto = strcmp(proto, "tcp") == 0 ? IPPROTO_TCP : IPPROTO_UDP;
	entry->number = (uint16_t)number;
	entry->counters = (struct counter_range){(uint32_t)first, (uint32_t)count};
	entry->retired = retired;
	return 0;
}

static int range_entry_from_json(const json_t *json, void *at)
{
	struct counter_range *range = at;
	json_int_t first, count;

	if (json_unpack((json_t *)json, "[II!]", &first, &count) < 0 || first < 1 || count < 1 ||
	    first + count > UINT32_MAX)
		return -EINVAL;
	*range = (struct counter_range){(uint32_t)first, (uint32_t)count};
	return 0;
}

static int last_numbers_from_json(const json_t *json, struct ledger *ledger)
{
	json_int_t pool, backend, service, counter;

	if (json_unpack((json_t *)json, "{s[IIII!]}", "last", &pool, &backend, &service, &counter) < 0 ||
	    pool < 0 || pool >= HF_MAX_POOLS || backend < 0 || backend >= HF_MAX_BACKENDS || service < 0 ||
	    service >= HF_MAX_SERVICES || counter < 1 || counter > UINT32_MAX)
		return -EINVAL;
	ledger->last_pool = (uint32_t)pool;
	ledger->last_backend = (uint32_t)backend;
	ledger->last_service = (uint32_t)service;
	ledger->next_counter = (uint32_t)counter;
	return 0;
}

static int lists_from_json(const json_t *json, struct ledger *ledger)
{
	int error;

	error = entries_from_json(json, "pools", sizeof *ledger->pools, pool_entry_from_json, &ledger->pools,
				  &ledger->pool_count);
	if (error == 0)
		error = entries_from_json(json, "backends", sizeof *ledger->backends, backend_entry_from_json,
					  &ledger->backends, &ledger->backend_count);
	if (error == 0)
		error = entries_from_json(json, "services", sizeof *ledger->services, service_entry_from_json,
					  &ledger->services, &ledger->service_count);
	if (error == 0)
		error = entries_from_json(json, "idle_counters", sizeof *ledger->idle_ranges,
					  range_entry_from_json, &ledger->idle_ranges,
					  &ledger->idle_range_count);
	return error;
}

int ledger_from_json(const json_t *json, struct ledger **ret)
{
	struct ledger *ledger = ledger_new();
	int error;

	if (!ledger)
		return -ENOMEM;
	error = json_integer_value(json_object_get(json, "version")) == LEDGER_VERSION ? 0 : -EINVAL;
	if (error == 0)
		error = lists_from_json(json, ledger);
	if (error == 0)
		error = last_numbers_from_json(json, ledger);
	if (error == 0)
		error = ledger_index(ledger);
	if (error < 0) {
		ledger_free(ledger);
		return error;
	}
	*ret = ledger;
	return 0;
}

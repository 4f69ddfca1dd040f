/* SPDX-License-Identifier: Apache-2.0 */
#include "number_name.h"

#include <arpa/inet.h>
#include <holdfast/directory.h>
#include <stdio.h>
#include <string.h>

#include "core/image/directory.h"
#include "core/model/service_text.h"

void backend_number_names(const struct names *names, uint16_t number, const char **ret_pool,
			  const char **ret_name, char text[NUMBER_NAME])
{
	struct address address;

	if (ledger_backend_name(names->ledger, number, ret_pool, ret_name, &address)) {
		*ret_name = model_label(names->model, *ret_pool, *ret_name, &address, text);
		return;
	}
	snprintf(text, NUMBER_NAME, "#%u", number);
	*ret_pool = "#";
	*ret_name = text;
}

const char *backend_number_name(const struct names *names, uint16_t number, char text[NUMBER_NAME])
{
	char label[NUMBER_NAME];
	const char *pool, *name;

	backend_number_names(names, number, &pool, &name, label);
	snprintf(text, NUMBER_NAME, "%.*s/%.*s", NAME_SIZE, pool, BACKEND_TEXT, name);
	return text;
}

const char *pool_number_name(const struct names *names, uint32_t number, char text[NUMBER_NAME])
{
	const char *name;

	if (ledger_pool_name(names->ledger, number, &name))
		snprintf(text, NUMBER_NAME, "%s", name);
	else
		snprintf(text, NUMBER_NAME, "#%u", number);
	return text;
}

/* The keys of a range of ports are its parts, without gaps. */
static struct service service_of_keys(const struct directory *directory, const struct hf_service *entry)
{
	const struct hf_service_key *key = &entry->key;
	struct service service = {.proto = key->proto, .port_low = UINT16_MAX};

	service.vip.family = hf_kind_family(key->kind);
	memcpy(service.vip.bytes, key->addr, service.vip.family == HF_IPV4 ? 4 : 16);
	for (uint32_t i = 0; i < directory_size(directory); i++) {
		const struct hf_service *part = &directory->entries[i];
		uint16_t first = ntohs(part->key.port), last = hf_kind_last_port(part->key.kind, first);

		if (!entry_is_service(part) || part->number != entry->number)
			continue;
		service.port_low = first < service.port_low ? first : service.port_low;
		service.port_high = last > service.port_high ? last : service.port_high;
	}
	return service;
}

const char *service_entry_name(const struct names *names, const struct directory *directory,
			       const struct hf_service *entry, char text[NUMBER_NAME])
{
	struct service keys;
	uint32_t counters, ordinals;

	for (size_t i = 0; i < names->model->service_count; i++) {
		const struct service *service = &names->model->services[i];

		if (ledger_service(names->ledger, service, &counters, &ordinals) == entry->number)
			return service_text(service, text);
	}
	keys = service_of_keys(directory, entry);
	return service_text(&keys, text);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "number_name.h"

#include <arpa/inet.h>
#include <holdfast/directory.h>
#include <stdio.h>
#include <string.h>

#include "core/image/directory.h"

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

bool directory_service(const struct directory *directory, uint16_t number, struct service *ret)
{
	struct service service = {.port_low = UINT16_MAX};

	/* A range of ports has an entry for each of its parts, and no gaps. */
	for (uint32_t i = 0; i < directory_size(directory); i++) {
		const struct hf_service *entry = &directory->entries[i];
		uint16_t first = ntohs(entry->key.port), last = hf_kind_last_port(entry->key.kind, first);

		if (!entry_is_service(entry) || entry->number != number)
			continue;
		service.proto = entry->key.proto;
		service.vip.family = hf_kind_family(entry->key.kind);
		memcpy(service.vip.bytes, entry->key.addr, service.vip.family == HF_IPV4 ? 4 : 16);
		service.port_low = first < service.port_low ? first : service.port_low;
		service.port_high = last > service.port_high ? last : service.port_high;
		service.track = entry->track;
		service.idle = entry->idle;
	}
	*ret = service;
	return service.proto;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Whether numbers in the data plane mean what the ledger says. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>

#include "adoption.h"
#include "core/ledger/ledger_private.h"

static int knows_pools(const struct ledger *ledger, const struct image *loaded, struct refusal *refusal)
{
	const char *name;

	for (size_t i = 0; i < loaded->pool_count; i++) {
		uint32_t number = loaded->pools[i].number;

		if (!ledger_pool_name(ledger, number, &name))
			return refuse(refusal, -ENOTRECOVERABLE,
				      "the pins have a pool %u that the database "
				      "does not know",
				      number);
	}
	return 0;
}

static int knows_backends(const struct ledger *ledger, const struct image *loaded, struct refusal *refusal)
{
	char text[ADDRESS_TEXT];

	for (size_t i = 0; i < loaded->backend_count; i++) {
		const struct backend_image *backend = &loaded->backends[i];
		struct address address;

		if (!ledger_backend_name(ledger, backend->number, NULL, NULL, &address))
			return refuse(refusal, -ENOTRECOVERABLE,
				      "the pins have a backend %u at %s that the database does not know",
				      backend->number, address_text(&backend->address, text));
		if (address_compare(&address, &backend->address))
			return refuse(refusal, -ENOTRECOVERABLE,
				      "the pins have backend %u at %s, and the database has another one",
				      backend->number, address_text(&backend->address, text));
	}
	return 0;
}

static const struct service_entry **services_by_number(const struct ledger *ledger)
{
	const struct service_entry **numbered = calloc(UINT16_MAX + 1, sizeof(void *));

	for (size_t i = 0; numbered && i < ledger->service_count; i++)
		numbered[ledger->services[i].number] = &ledger->services[i];
	return numbered;
}

static int knows_services(const struct ledger *ledger, const struct image *loaded, struct refusal *refusal)
{
	const struct service_entry **numbered = services_by_number(ledger);
	int error = numbered ? 0 : -ENOMEM;

	for (uint32_t i = 0; !error && i < directory_size(&loaded->directory); i++) {
		const struct hf_service *entry = &loaded->directory.entries[i];
		const struct service_entry *known = numbered[entry->number];

		if (entry_is_service(entry) && (!known || !service_has_entry(&known->key, &entry->key)))
			error = refuse(refusal, -ENOTRECOVERABLE,
				       "the pins have a service %u (%s, port %u) that the database does not "
				       "know",
				       entry->number, proto_name(entry->key.proto), ntohs(entry->key.port));
	}
	free(numbered);
	return error;
}

int ledger_knows(const struct ledger *ledger, const struct image *loaded, struct refusal *refusal)
{
	int error = knows_pools(ledger, loaded, refusal);

	if (!error)
		error = knows_backends(ledger, loaded, refusal);
	return error ? error : knows_services(ledger, loaded, refusal);
}

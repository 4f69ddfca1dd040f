/* SPDX-License-Identifier: Apache-2.0 */
/* The directory of services: where the data plane finds the service of a packet. */
#pragma once

#include <holdfast/abi.h>
#include <stddef.h>
#include <stdint.h>

#include "core/model/model.h"

/* An open-addressed directory of services, as control.services names it (abi.h): 1 << log2 entries. */
struct directory {
	struct hf_service *entries;
	uint32_t log2;
	uint32_t seed;    /* of hf_service_hash() */
	uint32_t lengths; /* bit n: port prefixes of n bits are in use */
};

/*
 * Lays services out as a directory whose longest probe is at most HF_MAX_PROBES. A service of one port is one
 * entry, a range of ports one for each of the port prefixes that it is made of (30 at most), and each address
 * is one more. One that is there before (NULL: none) and holds the same entries is copied as it is. 0,
 * -ENOMEM, or -ENOSPC: more than DIRECTORY_MAX_ENTRIES.
 */
enum { DIRECTORY_MAX_ENTRIES = HF_MAX_DIRECTORY / 2 };
int directory_build(const struct hf_service *services, const uint16_t *port_high, size_t count,
		    const struct directory *before, struct directory *ret);
void directory_free(struct directory *directory);
/* The entry a packet to (proto, addr, port) finds, or NULL: the data plane's own walk, for tests and `why`.
 */
const struct hf_service *directory_find(const struct directory *directory, uint8_t family,
					const __be32 addr[4], uint8_t proto, uint16_t port);
/* How many places for entries there are; 0: there is no directory. */
uint32_t directory_size(const struct directory *directory);
/* Else it is empty, or a VIP's. */
bool entry_is_service(const struct hf_service *entry);
/* Whether packets that find the entry are the service's. */
bool service_has_entry(const struct service *service, const struct hf_service_key *key);

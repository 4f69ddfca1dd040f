/* SPDX-License-Identifier: Apache-2.0 */
/* Which addresses backends, VIPs and outer sources can have: what the address alone says. */
#pragma once

#include "address.h"

/* Addresses that no packet can be sent to or from beyond a link, as the IANA registries of special-purpose
 * addresses (RFC 6890) have them. */
struct address_class {
	struct prefix prefix;
	const char *name; /* "link-local", as an address is */
	const char *why;  /* "routers do not forward its packets" */
};

bool prefix_contains(const struct prefix *prefix, const struct address *address);
/* NULL: a backend, a VIP and a source can have this address, as far as the address alone tells. */
const struct address_class *address_class(const struct address *address);
/* The first class of which the prefix has an address, or that has the prefix; NULL: none. */
const struct address_class *prefix_class(const struct prefix *prefix);

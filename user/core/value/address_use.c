/* SPDX-License-Identifier: Apache-2.0 */
#include "address_use.h"

static const char stays[] = "packets to it never leave a host";
static const char no_router[] = "routers do not forward its packets";
static const char no_host[] = "it is no single host's";

/* Parts of another class come before it. Documentation (RFC 5737, RFC 3849), private and shared addresses are
 * as good as any here. */
static const struct address_class classes[] = {
	{{{4, {0}}, 8}, "of \"this network\"", "nothing can be sent to it"},  /* RFC 1122, 3.2.1.3 */
	{{{4, {127}}, 8}, "loopback", stays},                                 /* RFC 1122, 3.2.1.3 */
	{{{4, {169, 254}}, 16}, "link-local", no_router},                     /* RFC 3927 */
	{{{4, {224}}, 4}, "multicast", no_host},                              /* RFC 5771 */
	{{{4, {255, 255, 255, 255}}, 32}, "broadcast", no_host},              /* RFC 919 */
	{{{4, {240}}, 4}, "reserved", no_host},                               /* RFC 1112, 4 */
	{{{6, {0}}, 128}, "unspecified", "it is no host's"},                  /* RFC 4291, 2.5.2 */
	{{{6, {[15] = 1}}, 128}, "loopback", stays},                          /* RFC 4291, 2.5.3 */
	{{{6, {0}}, 96}, "IPv4-compatible", "such addresses are out of use"}, /* RFC 4291, 2.5.5.1 */
	{{{6, {[10] = 0xff, 0xff}}, 96},
	 "IPv4-mapped",
	 "such addresses are in no packet"},                /* RFC 4291, 2.5.5.2 */
	{{{6, {0xfe, 0x80}}, 10}, "link-local", no_router}, /* RFC 4291, 2.5.6 */
	{{{6, {0xff}}, 8}, "multicast", no_host},           /* RFC 4291, 2.7 */
};

enum { CLASSES = sizeof classes / sizeof classes[0] };

bool prefix_contains(const struct prefix *prefix, const struct address *address)
{
	unsigned int whole = prefix->bits / 8, rest = prefix->bits % 8;

	if (prefix->address.family != address->family)
		return false;
	for (unsigned int i = 0; i < whole; i++)
		if (prefix->address.bytes[i] != address->bytes[i])
			return false;
	return !rest || (prefix->address.bytes[whole] ^ address->bytes[whole]) >> (8 - rest) == 0;
}

const struct address_class *address_class(const struct address *address)
{
	for (int i = 0; i < CLASSES; i++)
		if (prefix_contains(&classes[i].prefix, address))
			return &classes[i];
	return NULL;
}

const struct address_class *prefix_class(const struct prefix *prefix)
{
	for (int i = 0; i < CLASSES; i++)
		if (prefix_contains(&classes[i].prefix, &prefix->address) ||
		    prefix_contains(prefix, &classes[i].prefix.address))
			return &classes[i];
	return NULL;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static const uint8_t mapped_prefix[12] = {[10] = 0xff, [11] = 0xff};

int address_parse(const char *text, struct address *ret)
{
	struct address address = {0};
	char bare[ADDRESS_TEXT];
	size_t length = strlen(text);

	if (text[0] == '[') {
		if (length < 3 || text[length - 1] != ']' || length - 2 >= sizeof bare)
			return -EINVAL;
		memcpy(bare, text + 1, length - 2);
		bare[length - 2] = '\0';
		text = bare;
	} else if (inet_pton(AF_INET, text, address.bytes) == 1) {
		address.family = 4;
		*ret = address;
		return 0;
	}
	if (inet_pton(AF_INET6, text, address.bytes) != 1)
		return -EINVAL;
	if (memcmp(address.bytes, mapped_prefix, sizeof mapped_prefix) == 0)
		return -EINVAL;
	address.family = 6;
	*ret = address;
	return 0;
}

const char *address_text(const struct address *address, char text[ADDRESS_TEXT])
{
	text[0] = '\0';
	if (address->family)
		inet_ntop(address->family == 4 ? AF_INET : AF_INET6, address->bytes, text, ADDRESS_TEXT);
	return text;
}

bool address_equal(const struct address *a, const struct address *b)
{
	return address_compare(a, b) == 0;
}

int address_compare(const struct address *a, const struct address *b)
{
	if (a->family != b->family)
		return a->family < b->family ? -1 : 1;
	return memcmp(a->bytes, b->bytes, sizeof a->bytes);
}

bool address_unicast(const struct address *address)
{
	static const struct address any4 = {.family = 4}, any6 = {.family = 6};

	if (address_equal(address, &any4) || address_equal(address, &any6))
		return false;
	if (address->family == 4)
		return address->bytes[0] != 0 && address->bytes[0] != 127 && address->bytes[0] < 224;
	return address->bytes[0] != 0xff;
}

static bool host_bits_clear(const struct address *address, unsigned int bits)
{
	for (unsigned int bit = bits; bit < sizeof address->bytes * 8; bit++)
		if (address->bytes[bit / 8] & (0x80 >> bit % 8))
			return false;
	return true;
}

/* Digits alone, no sign and no space, at most limit. */
static int parse_number(const char *text, size_t length, uint32_t limit, uint32_t *ret)
{
	uint32_t number = 0;

	if (length == 0 || length > 9)
		return -EINVAL;
	for (size_t i = 0; i < length; i++) {
		if (text[i] < '0' || text[i] > '9')
			return -EINVAL;
		number = number * 10 + (uint32_t)(text[i] - '0');
	}
	if (number > limit)
		return -EINVAL;
	*ret = number;
	return 0;
}

int prefix_parse(const char *text, struct prefix *ret)
{
	const char *slash = strchr(text, '/');
	size_t length = slash ? (size_t)(slash - text) : strlen(text);
	char bare[ADDRESS_TEXT];
	struct prefix prefix;
	uint32_t bits, most;

	if (length >= sizeof bare)
		return -EINVAL;
	memcpy(bare, text, length);
	bare[length] = '\0';
	if (address_parse(bare, &prefix.address) < 0)
		return -EINVAL;
	bits = most = prefix.address.family == 4 ? 32 : 128;
	if (slash && parse_number(slash + 1, strlen(slash + 1), most, &bits) < 0)
		return -EINVAL;
	if (!host_bits_clear(&prefix.address, bits))
		return -EINVAL;
	prefix.bits = (uint8_t)bits;
	*ret = prefix;
	return 0;
}

const char *prefix_text(const struct prefix *prefix, char text[PREFIX_TEXT])
{
	char address[ADDRESS_TEXT];
	unsigned int most = prefix->address.family == 4 ? 32 : 128;

	address_text(&prefix->address, address);
	if (prefix->bits == most || !prefix->address.family)
		snprintf(text, PREFIX_TEXT, "%s", address);
	else
		snprintf(text, PREFIX_TEXT, "%s/%u", address, prefix->bits);
	return text;
}

static int parse_ports(const char *text, uint16_t *ret_low, uint16_t *ret_high)
{
	const char *dash = strchr(text, '-');
	uint32_t low, high;

	if (strcmp(text, "any") == 0) {
		*ret_low = 0;
		*ret_high = UINT16_MAX;
		return 0;
	}
	if (parse_number(text, dash ? (size_t)(dash - text) : strlen(text), UINT16_MAX, &low) < 0 || low == 0)
		return -EINVAL;
	high = low;
	if (dash && parse_number(dash + 1, strlen(dash + 1), UINT16_MAX, &high) < 0)
		return -EINVAL;
	if (high < low)
		return -EINVAL;
	*ret_low = (uint16_t)low;
	*ret_high = (uint16_t)high;
	return 0;
}

int endpoint_parse(const char *text, struct address *ret_address, uint16_t *ret_low, uint16_t *ret_high)
{
	const char *colon = strrchr(text, ':');
	struct address address;
	char bare[ADDRESS_TEXT];
	size_t length;

	if (!colon)
		return -EINVAL;
	length = (size_t)(colon - text);
	if (length >= sizeof bare)
		return -EINVAL;
	memcpy(bare, text, length);
	bare[length] = '\0';
	if (address_parse(bare, &address) < 0)
		return -EINVAL;
	/* Without brackets nobody can tell where an IPv6 address ends and its port begins. */
	if (address.family == 6 && bare[0] != '[')
		return -EINVAL;
	if (parse_ports(colon + 1, ret_low, ret_high) < 0)
		return -EINVAL;
	*ret_address = address;
	return 0;
}

const char *endpoint_text(const struct address *address, uint16_t low, uint16_t high,
			  char text[ENDPOINT_TEXT])
{
	char bare[ADDRESS_TEXT], ports[16];

	address_text(address, bare);
	if (low == 0 && high == UINT16_MAX)
		snprintf(ports, sizeof ports, "any");
	else if (low == high)
		snprintf(ports, sizeof ports, "%u", low);
	else
		snprintf(ports, sizeof ports, "%u-%u", low, high);
	if (address->family == 6)
		snprintf(text, ENDPOINT_TEXT, "[%s]:%s", bare, ports);
	else
		snprintf(text, ENDPOINT_TEXT, "%s:%s", bare, ports);
	return text;
}

const char *proto_name(uint8_t proto)
{
	return proto == IPPROTO_TCP ? "tcp" : proto == IPPROTO_UDP ? "udp" : "?";
}

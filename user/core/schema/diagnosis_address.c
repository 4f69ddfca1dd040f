/* SPDX-License-Identifier: Apache-2.0 */
/* What is wrong with addresses, prefixes and ports. */
#include <arpa/inet.h>
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/value/address.h"
#include "diagnosis.h"

__attribute__((format(printf, 2, 3))) static struct diagnosis instead(struct diagnosis found,
								      const char *right, ...)
{
	va_list args;

	va_start(args, right);
	vsnprintf(found.right, sizeof found.right, right, args);
	va_end(args);
	return found;
}

/* Addresses ------------------------------------------------------------------------- */

static struct diagnosis no_unicast(const struct address *address)
{
	const uint8_t *bytes = address->bytes;

	if (address->family == 4 && bytes[0] == 127)
		return diagnosis("is a loopback address");
	if (address->family == 4 ? bytes[0] >= 224 && bytes[0] < 240 : bytes[0] == 0xff)
		return diagnosis("is a multicast address");
	return diagnosis("is not the address of a host");
}

/* The IPv4 address in ::ffff:10.0.0.11, which no packet bears. */
static bool mapped(const char *text, char plain[INET_ADDRSTRLEN])
{
	static const uint8_t prefix[12] = {[10] = 0xff, [11] = 0xff};
	uint8_t bytes[16];

	return inet_pton(AF_INET6, text, bytes) == 1 && !memcmp(bytes, prefix, sizeof prefix) &&
	       inet_ntop(AF_INET, bytes + sizeof prefix, plain, INET_ADDRSTRLEN);
}

static bool looks_like_name(const char *text)
{
	if (text[strcspn(text, ":/ ")])
		return false;
	for (const char *letter = text; *letter; letter++)
		if (isalpha((unsigned char)*letter))
			return true;
	return false;
}

/* 10.0.0.011: decimal to some programs, octal to others. */
static bool has_leading_zero(const char *text)
{
	for (const char *at = text; *at; at++)
		if (*at == '0' && isdigit((unsigned char)at[1]) && (at == text || at[-1] == '.'))
			return strspn(text, "0123456789.") == strlen(text);
	return false;
}

static bool bracketed(const char *text, char bare[ADDRESS_TEXT])
{
	size_t length = strlen(text);

	if (text[0] != '[' || length < 3 || length >= ADDRESS_TEXT || text[length - 1] != ']')
		return false;
	snprintf(bare, ADDRESS_TEXT, "%.*s", (int)length - 2, text + 1);
	return true;
}

struct diagnosis diagnose_address(const char *text)
{
	char plain[INET_ADDRSTRLEN], bare[ADDRESS_TEXT];
	struct address address;
	struct prefix prefix;
	uint16_t low, high;

	if (!*text)
		return diagnosis("is empty");
	if (address_parse(text, &address) == 0)
		return no_unicast(&address);
	if (bracketed(text, bare))
		text = bare;
	if (mapped(text, plain))
		return instead(diagnosis("is an IPv4 address in IPv6 form"), "%s", plain);
	if (strchr(text, '/'))
		return prefix_parse(text, &prefix) == 0 ? diagnosis("is a prefix")
							: diagnosis("has the character /");
	if (endpoint_parse(text, &address, &low, &high) == 0)
		return diagnosis("has a port");
	if (strchr(text, '%'))
		return diagnosis("has a zone, which is of one host alone");
	if (has_leading_zero(text))
		return diagnosis("has a number that begins with 0");
	return diagnosis(looks_like_name(text) ? "is a name, and names are not looked up"
					       : "is not an IPv4 or IPv6 address");
}

/* Of an address with something behind it. */
static struct diagnosis has_address(const char *text, const char *rest)
{
	struct diagnosis inner = diagnose_address(text), found;

	if (!*text)
		return diagnosis("has no address");
	if (!*rest)
		return inner;
	found = diagnosis("has an address that %.72s", inner.why);
	return *inner.right ? instead(found, "%.100s%.40s", inner.right, rest) : found;
}

/* Prefixes -------------------------------------------------------------------------- */

static void clear_host_bits(struct address *address, unsigned int bits)
{
	for (unsigned int bit = bits; bit < sizeof address->bytes * 8; bit++)
		address->bytes[bit / 8] &= (uint8_t) ~(0x80 >> bit % 8);
}

static struct diagnosis has_host_bits(const struct address *address, unsigned int bits)
{
	char whole[ADDRESS_TEXT], one[ADDRESS_TEXT];
	struct address network = *address;

	clear_host_bits(&network, bits);
	return instead(diagnosis("has host bits"), "%s/%u, or %s for that address alone",
		       address_text(&network, whole), bits, address_text(address, one));
}

struct diagnosis diagnose_prefix(const char *text)
{
	const char *slash = strchr(text, '/');
	size_t length = slash ? (size_t)(slash - text) : strlen(text);
	char bare[ADDRESS_TEXT];
	struct address address;
	unsigned int most, bits;
	size_t digits;

	if (!*text)
		return diagnosis("is empty");
	snprintf(bare, sizeof bare, "%.*s", (int)(length < sizeof bare ? length : sizeof bare), text);
	if (length >= sizeof bare || address_parse(bare, &address) < 0)
		return has_address(bare, slash ? slash : "");
	if (!slash)
		return no_unicast(&address);
	most = address.family == 4 ? 32 : 128;
	digits = strspn(slash + 1, "0123456789");
	if (!slash[1])
		return diagnosis("has no prefix length behind the /");
	if (slash[1 + digits])
		return diagnosis("has a prefix length that is not a number");
	bits = (unsigned int)atoi(slash + 1);
	if (digits > 3 || bits > most)
		return diagnosis("has a prefix length above %u", most);
	return address_unicast(&address) ? has_host_bits(&address, bits) : no_unicast(&address);
}

struct diagnosis diagnose_source(const char *text)
{
	char copy[2 * PREFIX_TEXT], *rest = copy, *word;
	int families = 0;

	if (strlen(text) >= sizeof copy)
		return diagnosis("is too long for two prefixes");
	strcpy(copy, text);
	while ((word = strsep(&rest, ","))) {
		struct prefix prefix;

		word += strspn(word, " ");
		if (!*word)
			return diagnosis("has nothing before or behind a comma");
		if (prefix_parse(word, &prefix) < 0 || !address_unicast(&prefix.address))
			return diagnose_prefix(word);
		if (families & 1 << prefix.address.family)
			return diagnosis("has two prefixes of IPv%u", prefix.address.family);
		families |= 1 << prefix.address.family;
	}
	return diagnosis("is not a prefix");
}

/* Ports ----------------------------------------------------------------------------- */

static struct diagnosis diagnose_port(const char *text, size_t length)
{
	if (length == 0 || strspn(text, "0123456789") < length)
		return instead(diagnosis("has no port behind the last colon"),
			       "a port from 1 to 65535, a range LOW-HIGH, or any");
	return instead(diagnosis("has port %.*s", (int)(length > 32 ? 32 : length), text),
		       "ports from 1 to 65535; `any` means all of them");
}

static bool port_good(const char *text, size_t length)
{
	return length && length < 6 && strspn(text, "0123456789") >= length && atoi(text) > 0 &&
	       atoi(text) <= UINT16_MAX;
}

static struct diagnosis diagnose_ports(const char *text)
{
	size_t length = strcspn(text, "-");
	const char *last = text[length] ? text + length + 1 : NULL;

	if (!port_good(text, length))
		return diagnose_port(text, length);
	if (!last || !port_good(last, strlen(last)))
		return diagnose_port(last ? last : "", last ? strlen(last) : 0);
	return instead(diagnosis("has a range that ends before it begins"), "ports %d-%d", atoi(last),
		       atoi(text));
}

struct diagnosis diagnose_endpoint(const char *text)
{
	const char *colon = strrchr(text, ':');
	size_t length = colon ? (size_t)(colon - text) : strlen(text);
	char bare[ADDRESS_TEXT];
	struct address address;

	if (!*text)
		return diagnosis("is empty");
	if (address_parse(text, &address) == 0 || !colon)
		return diagnosis(address_parse(text, &address) ? "has no port"
							       : "is an address without a port");
	snprintf(bare, sizeof bare, "%.*s", (int)(length < sizeof bare ? length : sizeof bare), text);
	if (length >= sizeof bare || address_parse(bare, &address) < 0)
		return has_address(bare, colon);
	if (address.family == 6 && bare[0] != '[')
		return instead(diagnosis("has an IPv6 address without brackets"), "[%s]%s", bare, colon);
	return diagnose_ports(colon + 1);
}

struct diagnosis diagnose_listen(const char *text)
{
	size_t length = strcspn(text, " ");
	const char *rest = text + length + strspn(text + length, " ");

	if (!*text)
		return diagnosis("is empty");
	if (length != 3 || (strncmp(text, "tcp", 3) && strncmp(text, "udp", 3)))
		return diagnosis("does not begin with tcp or udp");
	if (!*rest)
		return diagnosis("has no address");
	return diagnose_endpoint(rest);
}

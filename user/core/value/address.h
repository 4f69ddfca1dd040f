/* SPDX-License-Identifier: Apache-2.0 */
/* IPv4 and IPv6 addresses, prefixes and ports, as text and as network-order bytes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ADDRESS_TEXT = 48, PREFIX_TEXT = 52, ENDPOINT_TEXT = 80 };

struct address {
	uint8_t family;    /* 4, 6, or 0 for none */
	uint8_t bytes[16]; /* network order; IPv4 uses the first four, the rest is 0 */
};

struct prefix {
	struct address address; /* host bits are 0 */
	uint8_t bits;
};

/* 0 or -EINVAL. IPv6 may stand in brackets. IPv4-mapped IPv6 is refused: it never appears on the wire. */
int address_parse(const char *text, struct address *ret);
const char *address_text(const struct address *address, char text[ADDRESS_TEXT]); /* returns text */
bool address_equal(const struct address *a, const struct address *b);
int address_compare(const struct address *a, const struct address *b);
/* An address that a host can have: not unspecified, multicast, broadcast, or (IPv4) in 0/8 or 127/8. */
bool address_unicast(const struct address *address);

/* "10.0.0.0/8"; a bare address is a prefix of full length. Host bits that are set are an error. */
int prefix_parse(const char *text, struct prefix *ret);
const char *prefix_text(const struct prefix *prefix, char text[PREFIX_TEXT]);

/* "203.0.113.10:5432", "[2001:db8::1]:80", ":8000-8100" for a range, ":any" for every port (0 to 65535). */
int endpoint_parse(const char *text, struct address *ret_address, uint16_t *ret_low, uint16_t *ret_high);
const char *endpoint_text(const struct address *address, uint16_t low, uint16_t high,
			  char text[ENDPOINT_TEXT]);

/* "tcp", "udp"; "?" for another protocol. */
const char *proto_name(uint8_t proto);

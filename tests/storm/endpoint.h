/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the flock's server and client share: how an address is written, and how they speak.
 *
 * A message is a line `N`, a number in decimal; its answer is the line `N NAME`, NAME being the server's.
 * Over TCP a connection's numbers count from 1; over UDP a message is one datagram and its answer another.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

enum {
	SERVER_NAME_SIZE = 32, /* letters, digits, '-', '_', '.', and the final 0 */
	LINE_SIZE = 64,        /* the longest line, its end included */
	ENDPOINT_TEXT_SIZE = 64,
};

struct endpoint {
	struct sockaddr_storage address;
	socklen_t length;
};

/* Reads `192.0.2.1:80`, `[2001:db8::1]:80`, or, where port is false, an address alone. -EINVAL: neither. */
int endpoint_read(const char *text, bool port, struct endpoint *ret);
/* Writes the endpoint with the port given (host order) as `192.0.2.1:80` or `[2001:db8::1]:80`. */
void endpoint_write(const struct endpoint *endpoint, uint16_t port, char ret[ENDPOINT_TEXT_SIZE]);
/* In host order. */
uint16_t endpoint_port(const struct endpoint *endpoint);

bool server_name_valid(const char *name);
/* Milliseconds of CLOCK_MONOTONIC. */
uint64_t monotonic_ms(void);
/* Raises the limit of open files as far as it goes, at most to files. Returns what it is now. */
uint64_t files_raise(uint64_t files);

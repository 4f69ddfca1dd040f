/* SPDX-License-Identifier: Apache-2.0 */
/* The sockets of a host, which the receiver is asked about. */
#ifndef HOLDFAST_SOCKETS_H
#define HOLDFAST_SOCKETS_H

#include <stddef.h>
#include <stdint.h>

#include "core/value/address.h"

/* Counts the TCP connections (every state but listening) whose local address is each of addresses. */
int sockets_count(const struct address *addresses, size_t count, uint32_t *ret);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What a service listens on, as text: "tcp 203.0.113.10:5432", "udp [2001:db8::1]:8000-8100",
 * "tcp 10.0.0.1:any". */
#pragma once

#include "address.h"

struct listen {
	uint8_t proto; /* IPPROTO_TCP, IPPROTO_UDP */
	struct address vip;
	uint16_t port_low, port_high; /* inclusive; 0 to 65535: any */
};

/* 0 or -EINVAL. */
int listen_parse(const char *text, struct listen *ret);
enum { LISTEN_TEXT = ENDPOINT_TEXT + 16 };
const char *listen_text(const struct listen *listen, char text[LISTEN_TEXT]); /* returns text */

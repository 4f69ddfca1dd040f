/* SPDX-License-Identifier: Apache-2.0 */
/* A frame of one flow, as a client's packet would arrive: for asking the data plane what it would do with it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "address.h"

enum { FRAME_ROOM = 128 };

struct flow_tuple {
	uint8_t proto;                          /* IPPROTO_TCP, IPPROTO_UDP */
	struct address source, destination;     /* of one family */
	uint16_t source_port, destination_port; /* host order */
};

/* Writes an Ethernet frame with correct lengths and checksums: TCP with SYN where `opening`, else ACK; UDP
 * with eight bytes of zeros. Returns its length. */
size_t frame_build(const struct flow_tuple *tuple, bool opening, uint8_t frame[FRAME_ROOM]);

/* The outer addresses of a frame that the data plane has wrapped; false: not an IP packet. */
bool frame_addresses(const uint8_t *frame, size_t length, struct address *ret_source,
		     struct address *ret_destination);

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * transmit: back out where the packet came in, or out of another interface.
 */
#pragma once

#include "backend.bpf.h"
#include "maps.bpf.h"
#include "packet.bpf.h"

static __always_inline int packet_transmit(struct packet *packet)
{
	const struct hf_link *link = packet->link;
	int verdict;

	/* The flag spares two dependent loads behind ingress_ifindex. */
	if (likely(link->flags & HF_LINK_ONLY_INGRESS) || link->ifindex == packet->ctx->ingress_ifindex)
		return XDP_TX;
	/* The flags are the verdict for a link that is not in the map. */
	verdict = bpf_redirect_map(&egress, packet->next_hop >> LINK_SHIFT, XDP_DROP);
	return verdict == XDP_REDIRECT ? verdict : -HF_REASON_REDIRECT;
}

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * unwrap: the Ethernet header moves up to the inner packet, and what was between them goes.
 */
#pragma once

#include "wrapped.bpf.h"

static __always_inline bool packet_unwrap(struct wrapped *packet)
{
	struct ethhdr ethernet, *start = packet->start;

	__builtin_memcpy(&ethernet, start, sizeof(ethernet));
	ethernet.h_proto = packet->proto == IPPROTO_IPIP ? bpf_htons(ETH_P_IP) : bpf_htons(ETH_P_IPV6);
	if (bpf_xdp_adjust_head(packet->ctx, packet->header))
		return false;
	start = (void *)(long)packet->ctx->data;
	if ((void *)(start + 1) > (void *)(long)packet->ctx->data_end)
		return false;
	__builtin_memcpy(start, &ethernet, sizeof(ethernet));
	return true;
}

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The inner packet: readable, and for an address of this host.
 */
#pragma once

#include "wrapped.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, HF_RECEIVER_MAX_VIPS);
	__type(key, struct hf_receiver_address);
	__type(value, __u8);
} vips SEC(".maps");

static __always_inline int inner_ipv4(struct wrapped *packet)
{
	struct iphdr *ip = packet->inner;

	if ((void *)(ip + 1) > packet->end || ip->version != 4 || ip->ihl < 5)
		return HF_RECEIVER_BAD_INNER;
	packet->destination = ipv4_key(ip->daddr);
	return 0;
}

static __always_inline int inner_ipv6(struct wrapped *packet)
{
	struct ipv6hdr *ip = packet->inner;

	if ((void *)(ip + 1) > packet->end || ip->version != 6)
		return HF_RECEIVER_BAD_INNER;
	packet->destination = ipv6_key(&ip->daddr);
	return 0;
}

static __always_inline int inner_parse(struct wrapped *packet)
{
	/* The mask changes nothing but what the verifier knows. */
	if (packet->proto != IPPROTO_IPIP && packet->proto != IPPROTO_IPV6)
		return HF_RECEIVER_BAD_INNER;
	packet->inner = packet->start + ETH_HLEN + (packet->header & LONGEST_HEADER);
	return packet->proto == IPPROTO_IPIP ? inner_ipv4(packet) : inner_ipv6(packet);
}

static __always_inline int vip_check(struct wrapped *packet)
{
	return bpf_map_lookup_elem(&vips, &packet->destination) ? 0 : HF_RECEIVER_NOT_A_VIP;
}

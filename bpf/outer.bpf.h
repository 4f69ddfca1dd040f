/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The outer header, and who may send it. What is no wrapped packet is left alone; so is a fragment of one:
 * whole, the balancer sends none.
 */
#ifndef HOLDFAST_OUTER_BPF_H
#define HOLDFAST_OUTER_BPF_H

#include "wrapped.bpf.h"

enum { ALL_BITS = 128, ANY_FRAGMENT = 0x3fff };

struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, HF_RECEIVER_MAX_PREFIXES);
	__type(key, struct hf_receiver_prefix);
	__type(value, __u8);
} prefixes SEC(".maps");

static __always_inline int outer_ipv4(struct wrapped *packet)
{
	struct iphdr *ip = packet->start + ETH_HLEN;

	if ((void *)(ip + 1) > packet->end || ip->version != 4 || ip->ihl < 5 ||
	    ip->frag_off & bpf_htons(ANY_FRAGMENT))
		return HF_RECEIVER_NOT_WRAPPED;
	packet->proto = ip->protocol;
	packet->header = ip->ihl * 4;
	address_map(packet->source.addr, ip->saddr);
	return 0;
}

static __always_inline int outer_ipv6(struct wrapped *packet)
{
	struct ipv6hdr *ip = packet->start + ETH_HLEN;

	if ((void *)(ip + 1) > packet->end || ip->version != 6)
		return HF_RECEIVER_NOT_WRAPPED;
	packet->proto = ip->nexthdr;
	packet->header = sizeof(*ip);
	__builtin_memcpy(packet->source.addr, &ip->saddr, sizeof(packet->source.addr));
	return 0;
}

static __always_inline int outer_parse(struct wrapped *packet)
{
	struct ethhdr *ethernet = packet->start;
	int verdict = HF_RECEIVER_NOT_WRAPPED;

	if ((void *)(ethernet + 1) > packet->end)
		return HF_RECEIVER_NOT_WRAPPED;
	if (ethernet->h_proto == bpf_htons(ETH_P_IP))
		verdict = outer_ipv4(packet);
	else if (ethernet->h_proto == bpf_htons(ETH_P_IPV6))
		verdict = outer_ipv6(packet);
	if (verdict)
		return verdict;
	return packet->proto == IPPROTO_IPIP || packet->proto == IPPROTO_IPV6 ? 0 : HF_RECEIVER_NOT_WRAPPED;
}

static __always_inline int source_check(struct wrapped *packet)
{
	packet->source.bits = ALL_BITS;
	return bpf_map_lookup_elem(&prefixes, &packet->source) ? 0 : HF_RECEIVER_BAD_SOURCE;
}

#endif

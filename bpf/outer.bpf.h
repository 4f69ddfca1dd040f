/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The outer header, and who may send it. What is no wrapped packet is left alone; so is a fragment of one:
 * whole, the balancer sends none.
 */
#ifndef HOLDFAST_OUTER_BPF_H
#define HOLDFAST_OUTER_BPF_H

#include <linux/udp.h>
#include <holdfast/gue.h>
#include "wrapped.bpf.h"

/* Where GUE is listened for, in host order. */
const volatile __u16 gue_port = HF_GUE_PORT;

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
	packet->family = 4;
	packet->header = ip->ihl * 4;
	packet->ecn = ip->tos & ECN_BITS;
	packet->source.address = ipv4_key(ip->saddr);
	packet->target.address = ipv4_key(ip->daddr);
	return 0;
}

static __always_inline int outer_ipv6(struct wrapped *packet)
{
	struct ipv6hdr *ip = packet->start + ETH_HLEN;

	if ((void *)(ip + 1) > packet->end || ip->version != 6)
		return HF_RECEIVER_NOT_WRAPPED;
	packet->proto = ip->nexthdr;
	packet->family = 6;
	packet->header = sizeof(*ip);
	packet->ecn = ip->flow_lbl[0] >> 4 & ECN_BITS;
	packet->source.address = ipv6_key(&ip->saddr);
	packet->target.address = ipv6_key(&ip->daddr);
	return 0;
}

static __always_inline bool outer_is_gue(const struct wrapped *packet)
{
	struct udphdr *udp = packet->start + ETH_HLEN + (packet->header & LONGEST_HEADER);

	return (void *)(udp + 1) <= packet->end && udp->dest == bpf_htons(gue_port);
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
	packet->shim = packet->header;
	if (packet->proto == IPPROTO_IPIP || packet->proto == IPPROTO_IPV6 || packet->proto == IPPROTO_GRE)
		return 0;
	return packet->proto == IPPROTO_UDP && outer_is_gue(packet) ? 0 : HF_RECEIVER_NOT_WRAPPED;
}

static __always_inline int source_check(struct wrapped *packet)
{
	return bpf_map_lookup_elem(&prefixes, &packet->source) ? 0 : HF_RECEIVER_BAD_SOURCE;
}

#endif

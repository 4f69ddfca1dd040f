/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The outer header, and who may send it. What is no wrapped packet is left alone; so is a fragment of one:
 * whole, the balancer sends none.
 */
#pragma once

#include <linux/udp.h>
#include <holdfast/gue.h>
#include "extensions.bpf.h"
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
	return 0;
}

static __always_inline int outer_ipv6(struct wrapped *packet)
{
	struct ipv6hdr *ip = packet->start + ETH_HLEN;
	int header;

	if ((void *)(ip + 1) > packet->end || ip->version != 6)
		return HF_RECEIVER_NOT_WRAPPED;
	header = extensions_skip(ip, packet->end, FRAGMENT_ANY, &packet->proto);
	if (header < 0 || header > LONGEST_OUTER)
		return HF_RECEIVER_NOT_WRAPPED;
	packet->family = 6;
	packet->header = header;
	return 0;
}

static __always_inline bool outer_is_gue(const struct wrapped *packet)
{
	struct udphdr *udp = packet->start + ETH_HLEN + (packet->header & LONGEST_HEADER);

	return (void *)(udp + 1) <= packet->end && udp->dest == bpf_htons(gue_port);
}

/* What only wrapped packets need. */
static __always_inline int outer_read(struct wrapped *packet)
{
	struct ipv6hdr *ipv6 = packet->start + ETH_HLEN;
	struct iphdr *ipv4 = packet->start + ETH_HLEN;

	packet->shim = packet->header;
	if (packet->family == 4) {
		if ((void *)(ipv4 + 1) > packet->end)
			return HF_RECEIVER_NOT_WRAPPED;
		packet->ecn = ipv4->tos & ECN_BITS;
		packet->source = ipv4_key(ipv4->saddr);
		packet->target = ipv4_key(ipv4->daddr);
	} else {
		if ((void *)(ipv6 + 1) > packet->end)
			return HF_RECEIVER_NOT_WRAPPED;
		packet->ecn = ipv6->flow_lbl[0] >> 4 & ECN_BITS;
		packet->source = ipv6_key(&ipv6->saddr);
		packet->target = ipv6_key(&ipv6->daddr);
	}
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
	if (packet->proto == IPPROTO_IPIP || packet->proto == IPPROTO_IPV6 || packet->proto == IPPROTO_GRE ||
	    (packet->proto == IPPROTO_UDP && outer_is_gue(packet)))
		return outer_read(packet);
	return HF_RECEIVER_NOT_WRAPPED;
}

static __always_inline int source_check(const struct wrapped *packet)
{
	struct hf_receiver_prefix source = {ALL_BITS, packet->source};

	return bpf_map_lookup_elem(&prefixes, &source) ? 0 : HF_RECEIVER_BAD_SOURCE;
}

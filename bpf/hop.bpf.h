/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * hop: sends a packet that is not for this host to the next that it names. Next hop only ever grows, so that
 * no packet goes round.
 */
#ifndef HOLDFAST_HOP_BPF_H
#define HOLDFAST_HOP_BPF_H

#include <linux/udp.h>
#include <holdfast/gue.h>
#include "wrapped.bpf.h"

enum { FAMILY_IPV4 = 2, FAMILY_IPV6 = 10 /* of bpf_fib_lookup: AF_INET, AF_INET6 */ };

/* RFC 1624, equation 3. */
static __always_inline __u16 checksum_replace(__u16 checksum, __be32 before, __be32 after)
{
	__u32 sum =
		(__u16)~checksum + (__u16)~before + (__u16) ~(before >> 16) + (__u16)after + (after >> 16);

	sum = (sum & 0xffff) + (sum >> 16);
	return ~((sum & 0xffff) + (sum >> 16));
}

/* Puts the hop into the outer destination; returns whether there is one. */
static __always_inline bool hop_take(struct wrapped *packet, struct bpf_fib_lookup *way)
{
	void *ip = packet->start + ETH_HLEN;
	struct udphdr *udp = ip + (packet->shim & LONGEST_HEADER);
	struct hf_gue *gue = (void *)(udp + 1);
	void *hops = gue + 1, *hop;
	__u32 next = packet->next & HF_GUE_LENGTH_MASK;

	if ((void *)(gue + 1) > packet->end)
		return false;
	if (packet->family == 4) {
		struct iphdr *ipv4 = ip;
		__be32 before, after;

		hop = hops + next * 4;
		if ((void *)(ipv4 + 1) > packet->end || hop + 4 > packet->end)
			return false;
		before = ipv4->daddr;
		after = *(__be32 *)hop;
		ipv4->check = checksum_replace(ipv4->check, before, after);
		ipv4->daddr = after;
		way->family = FAMILY_IPV4;
		way->ipv4_src = ipv4->saddr;
		way->ipv4_dst = after;
	} else {
		struct ipv6hdr *ipv6 = ip;

		hop = hops + next * 16;
		if ((void *)(ipv6 + 1) > packet->end || hop + 16 > packet->end)
			return false;
		__builtin_memcpy(&ipv6->daddr, hop, sizeof(ipv6->daddr));
		way->family = FAMILY_IPV6;
		__builtin_memcpy(way->ipv6_src, &ipv6->saddr, sizeof(way->ipv6_src));
		__builtin_memcpy(way->ipv6_dst, hop, sizeof(way->ipv6_dst));
	}
	/* Whatever it was, it is that of another packet now; 0 is none. */
	udp->check = 0;
	gue->next++;
	return true;
}

/*
 * By the host's routes and neighbours, if it forwards for this interface; otherwise back to who sent the
 * frame, which in a routed network is the router that knows the way.
 */
static __always_inline int hop_send(struct wrapped *packet, struct bpf_fib_lookup *way)
{
	struct ethhdr *ethernet = packet->start;
	__u8 address[ETH_ALEN];

	if ((void *)(ethernet + 1) > packet->end)
		return XDP_DROP;
	way->ifindex = packet->ctx->ingress_ifindex;
	if (bpf_fib_lookup(packet->ctx, way, sizeof(*way), 0) == BPF_FIB_LKUP_RET_SUCCESS) {
		__builtin_memcpy(ethernet->h_dest, way->dmac, ETH_ALEN);
		__builtin_memcpy(ethernet->h_source, way->smac, ETH_ALEN);
		return way->ifindex == packet->ctx->ingress_ifindex ? XDP_TX : bpf_redirect(way->ifindex, 0);
	}
	__builtin_memcpy(address, ethernet->h_dest, ETH_ALEN);
	__builtin_memcpy(ethernet->h_dest, ethernet->h_source, ETH_ALEN);
	__builtin_memcpy(ethernet->h_source, address, ETH_ALEN);
	return XDP_TX;
}

static __always_inline int packet_pass_on(struct wrapped *packet)
{
	struct bpf_fib_lookup way = {};

	if (!hop_take(packet, &way))
		return HF_RECEIVER_BAD_INNER;
	packet->action = hop_send(packet, &way);
	return HF_RECEIVER_PASSED_ON;
}

#endif

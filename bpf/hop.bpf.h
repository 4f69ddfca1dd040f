/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * hop: sends a packet that is not for this host to the next that it names.
 */
#pragma once

#include <linux/udp.h>
#include <holdfast/gue.h>
#include "checksum.bpf.h"
#include "note.bpf.h"
#include "wrapped.bpf.h"

enum { FAMILY_IPV4 = 2, FAMILY_IPV6 = 10 /* of bpf_fib_lookup: AF_INET, AF_INET6 */ };

/* The host's routes as they were when the receiver was attached (enum hf_receiver_way). */
struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, HF_RECEIVER_MAX_WAYS);
	__type(key, struct hf_receiver_prefix);
	__type(value, __u8);
} ways SEC(".maps");

/* As a router does it (RFC 1812, 5.3.1; RFC 8200, 3). Returns whether the packet may go on. */
static __always_inline bool ttl_take(struct wrapped *packet)
{
	void *ip = packet->start + ETH_HLEN;
	struct ipv6hdr *ipv6 = ip;
	struct iphdr *ipv4 = ip;
	__u16 word;

	if (packet->family == 4) {
		if ((void *)(ipv4 + 1) > packet->end || ipv4->ttl <= 1)
			return false;
		word = *(__u16 *)&ipv4->ttl;
		ipv4->check = checksum_replace(ipv4->check, word, word - 1);
		ipv4->ttl--;
	} else {
		if ((void *)(ipv6 + 1) > packet->end || ipv6->hop_limit <= 1)
			return false;
		ipv6->hop_limit--;
	}
	return true;
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

static __always_inline int hop_send_back(struct wrapped *packet)
{
	struct ethhdr *ethernet = packet->start;
	__u8 address[ETH_ALEN];

	if ((void *)(ethernet + 1) > packet->end)
		return HF_RECEIVER_BAD_INNER;
	__builtin_memcpy(address, ethernet->h_dest, ETH_ALEN);
	__builtin_memcpy(ethernet->h_dest, ethernet->h_source, ETH_ALEN);
	__builtin_memcpy(ethernet->h_source, address, ETH_ALEN);
	packet->action = XDP_TX;
	return HF_RECEIVER_PASSED_ON;
}

static __always_inline int hop_send_at_once(struct wrapped *packet, const struct bpf_fib_lookup *way)
{
	struct ethhdr *ethernet = packet->start;

	if ((void *)(ethernet + 1) > packet->end)
		return HF_RECEIVER_BAD_INNER;
	__builtin_memcpy(ethernet->h_dest, way->dmac, ETH_ALEN);
	__builtin_memcpy(ethernet->h_source, way->smac, ETH_ALEN);
	packet->action =
		way->ifindex == packet->ctx->ingress_ifindex ? XDP_TX : bpf_redirect(way->ifindex, 0);
	return HF_RECEIVER_PASSED_ON;
}

static __always_inline int hop_hand_over(struct wrapped *packet, struct note *note)
{
	note->secret = secret_read();
	return note->secret && note_leave(packet, note) ? HF_RECEIVER_HANDED_OVER : hop_send_back(packet);
}

/* The route is known, the neighbour is not. */
static __always_inline int hop_ask_neighbour(struct wrapped *packet, const struct bpf_fib_lookup *way)
{
	struct note note = {.ifindex = way->ifindex, .neighbour.nh_family = way->family};

	if (way->family == FAMILY_IPV4)
		note.neighbour.ipv4_nh = way->ipv4_dst;
	else
		__builtin_memcpy(note.neighbour.ipv6_nh, way->ipv6_dst, sizeof(note.neighbour.ipv6_nh));
	return hop_hand_over(packet, &note);
}

/* The host does not forward, so bpf_fib_lookup() has not looked. */
static __always_inline int hop_ask_route(struct wrapped *packet, const struct bpf_fib_lookup *way)
{
	struct hf_receiver_prefix hop = {.bits = ALL_BITS};
	struct note note = {.ifindex = packet->ctx->ingress_ifindex};
	__u8 *found;

	hop.address = way->family == FAMILY_IPV4 ? ipv4_key(way->ipv4_dst) : ipv6_key(way->ipv6_dst);
	found = bpf_map_lookup_elem(&ways, &hop);
	if (found && *found == HF_WAY_NONE)
		return HF_RECEIVER_NO_ROUTE;
	return found && *found == HF_WAY_HERE ? hop_hand_over(packet, &note) : hop_send_back(packet);
}

/*
 * Sends by the host's routes and neighbours. Where the host has no route out of this interface, the frame
 * goes back to its sender: in a routed network that is a router, which knows the way. On a segment shared
 * with the balancer the sender is the balancer, which does not pass the packet on: there the tc program sends
 * it (note.bpf.h).
 */
static __always_inline int hop_send(struct wrapped *packet, struct bpf_fib_lookup *way)
{
	way->ifindex = packet->ctx->ingress_ifindex;
	switch (bpf_fib_lookup(packet->ctx, way, sizeof(*way), 0)) {
	case BPF_FIB_LKUP_RET_SUCCESS:
		return hop_send_at_once(packet, way);
	case BPF_FIB_LKUP_RET_NO_NEIGH:
		return hop_ask_neighbour(packet, way);
	case BPF_FIB_LKUP_RET_FWD_DISABLED:
		return hop_ask_route(packet, way);
	case BPF_FIB_LKUP_RET_BLACKHOLE:
	case BPF_FIB_LKUP_RET_UNREACHABLE:
	case BPF_FIB_LKUP_RET_PROHIBIT:
		return HF_RECEIVER_NO_ROUTE;
	default:
		return hop_send_back(packet);
	}
}

static __always_inline int packet_pass_on(struct wrapped *packet)
{
	struct bpf_fib_lookup way = {};

	if (!ttl_take(packet))
		return HF_RECEIVER_TTL_EXPIRED;
	return hop_take(packet, &way) ? hop_send(packet, &way) : HF_RECEIVER_BAD_INNER;
}

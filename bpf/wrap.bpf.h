/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * wrap: a new Ethernet header, the backend's outer header, and behind them the packet as it came.
 *
 * Outer headers are put together in registers and stored as words. TOS and traffic class are copied whole:
 * that is the normal mode of RFC 6040, and DSCP stays what it was.
 */
#ifndef HOLDFAST_WRAP_BPF_H
#define HOLDFAST_WRAP_BPF_H

#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <holdfast/outer.h>
#include "packet.bpf.h"
#include "parse.bpf.h"

/* Destination from the next hop, source from the link; what either word has beyond its address is
 * overwritten. */
static __always_inline void ethernet_write(const struct packet *packet, void *at, __u16 proto)
{
	const __u64 address = (1ULL << 48) - 1;

	store64(at, packet->next_hop);
	store64(at + ETH_ALEN, (load64(packet->link->mac) & address) | (__u64)bpf_htons(proto) << 48);
}

static __always_inline __u16 checksum_fold(__u32 sum)
{
	sum = (sum & 0xffff) + (sum >> 16);
	return ~((sum & 0xffff) + (sum >> 16));
}

/* length: of the whole outer packet. */
static __always_inline void ipv4_write(const struct packet *packet, void *at, __u8 proto, __u32 length)
{
	const struct hf_backend *backend = packet->backend;
	__be32 spread = (__u32)packet->hash & backend->src_mask;
	__u32 tos = packet->tos << 8;
	__u32 total = bpf_htons(length);
	__u64 checksum = checksum_fold(backend->csum + tos + total + (proto << 8) + (spread & 0xffff) +
				       (spread >> 16));

	store64(at, 0x45 | tos | total << 16 | (__u64)bpf_htons(0x4000) << 48);
	store64(at + 8, HF_OUTER_TTL | proto << 8 | checksum << 16 | (__u64)(backend->src[0] | spread) << 32);
	store32(at + 16, backend->dst[0]);
}

static __always_inline int ipv4_wrap(struct packet *packet)
{
	__u32 length = packet->length + IPV4_HEADER;
	void *start;

	if (unlikely(packet->backend->mtu && length > packet->backend->mtu))
		return -HF_REASON_TOO_BIG;
	if (unlikely(bpf_xdp_adjust_head(packet->ctx, -IPV4_HEADER)))
		return -HF_REASON_NO_HEADROOM;
	start = (void *)(long)packet->ctx->data;
	if (unlikely(start + ETH_HLEN + IPV4_HEADER > (void *)(long)packet->ctx->data_end))
		return -HF_REASON_NO_HEADROOM;
	ethernet_write(packet, start, ETH_P_IP);
	ipv4_write(packet, start + ETH_HLEN, packet->tuple.family == HF_IPV6 ? IPPROTO_IPV6 : IPPROTO_IPIP,
		   length);
	return 0;
}

static __always_inline int packet_wrap(struct packet *packet)
{
	return ipv4_wrap(packet);
}

#endif

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Outer headers, put together in registers and stored as words. TOS and traffic class are copied whole: that
 * is the normal mode of RFC 6040, and DSCP stays what it was.
 */
#pragma once

#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <holdfast/outer.h>
#include "checksum.bpf.h"
#include "packet.bpf.h"
#include "parse.bpf.h"

/* The label's bits of the hash: those that spread the source are the lowest. */
enum { LABEL_SHIFT = 12 };

/* Destination from the next hop, source from the link; what either word has beyond its address is
 * overwritten. */
static __always_inline void ethernet_write(const struct packet *packet, void *at, __u16 proto)
{
	const __u64 address = (1ULL << 48) - 1;

	store64(at, packet->next_hop);
	store64(at + ETH_ALEN, (load64(packet->link->mac) & address) | (__u64)bpf_htons(proto) << 48);
}

/* The sum of an address's words. */
static __always_inline __u32 address_sum(__be32 address)
{
	return (address & 0xffff) + (address >> 16);
}

/*
 * length: of the whole outer packet. User space may change the source meanwhile. So it is read once, and the
 * checksum is made of what was read.
 */
static __always_inline void ipv4_write(const struct packet *packet, void *at, __u8 proto, __u32 length)
{
	const struct hf_backend *backend = packet->backend;
	__be32 source = load32(backend->src) | ((__u32)packet->hash & backend->src_mask);
	__be32 destination = load32(backend->dst);
	__u32 tos = packet->tos << 8;
	__u32 total = bpf_htons(length);
	/* Version and header length, DF, TTL: hf_outer_csum() says the same. */
	__u32 sum = 0x45 + bpf_htons(0x4000) + HF_OUTER_TTL + tos + total + (proto << 8);
	__u64 checksum = checksum_fold(sum + address_sum(source) + address_sum(destination));

	store64(at, 0x45 | tos | total << 16 | (__u64)bpf_htons(0x4000) << 48);
	store64(at + 8, HF_OUTER_TTL | proto << 8 | checksum << 16 | (__u64)source << 32);
	store32(at + 16, destination);
}

/*
 * length: of what follows the header. The flow label spreads by flow, so that routers may hash three-tuples
 * alone (RFC 6438).
 */
static __always_inline void ipv6_write(const struct packet *packet, void *at, __u8 proto, __u32 length)
{
	const struct hf_backend *backend = packet->backend;
	const __u64 *destination = (const __u64 *)backend->dst, *source = (const __u64 *)backend->src;
	__u64 spread = (__u32)packet->hash & backend->src_mask;
	__u32 label = packet->hash >> LABEL_SHIFT & 0xfffff;
	__u32 first = bpf_htonl(6 << 28 | packet->tos << 20 | label);

	store64(at, first | (__u64)bpf_htons(length) << 32 | (__u64)proto << 48 | (__u64)HF_OUTER_TTL << 56);
	store64(at + 8, source[0]);
	store64(at + 16, source[1] | spread << 32);
	store64(at + 24, destination[0]);
	store64(at + 32, destination[1]);
}

/*
 * Makes room behind a new Ethernet header, which is written: for header bytes that *ret may be used for, and
 * for more bytes behind them.
 */
static __always_inline int outer_open(struct packet *packet, int header, int more, __u16 proto, void **ret)
{
	void *start;

	if (unlikely(packet->backend->mtu && packet->length + header + more > packet->backend->mtu))
		return -HF_REASON_TOO_BIG;
	if (unlikely(bpf_xdp_adjust_head(packet->ctx, -(header + more))))
		return -HF_REASON_NO_HEADROOM;
	start = (void *)(long)packet->ctx->data;
	if (unlikely(start + ETH_HLEN + header > (void *)(long)packet->ctx->data_end))
		return -HF_REASON_NO_HEADROOM;
	ethernet_write(packet, start, proto);
	*ret = start + ETH_HLEN;
	return 0;
}

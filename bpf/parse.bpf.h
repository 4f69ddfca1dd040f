/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * parse: from the IP header to the ports. Where there are none to go by, the reason matters only if the
 * address is a VIP.
 *
 * Fields are loaded one by one and no wider than they are: a packet's bytes may have been written a moment
 * ago, and a load that spans two stores waits for both.
 */
#pragma once

#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include "extensions.bpf.h"
#include "packet.bpf.h"
#include "service.bpf.h"

enum {
	IPV4_HEADER = sizeof(struct iphdr),
	IPV6_HEADER = sizeof(struct ipv6hdr),
	IPV4_FRAGMENT_BITS = 0x3fff, /* more fragments, and the offset */
	TCP_HEADER = 20,
	UDP_HEADER = 8,
	TCP_FLAGS_AT = 13,
};

static __always_inline struct packet packet_of(struct xdp_md *ctx, bool observed)
{
	void *start = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;

	return (struct packet){
		.ctx = ctx,
		.start = start,
		.end = end,
		.observed = observed,
		.frame = end - start,
		.control = map_at(&control, 0),
		.stage = HF_STAGE_PARSE,
	};
}

/* The IP header promises more than there is. With frags, the rest may be in other buffers. */
static __always_inline bool packet_cut(const struct packet *packet)
{
	__u32 frame = packet->length + ETH_HLEN;

	return unlikely(frame > packet->frame) && frame > bpf_xdp_get_buff_len(packet->ctx);
}

static __always_inline int layer4_missing(struct packet *packet, void *layer4, int room)
{
	if (room < 0 || layer4 > packet->end)
		return -HF_REASON_BAD_HEADER;
	return vip_reason(packet, HF_REASON_TRUNCATED);
}

/* room: bytes of the IP packet from layer4 on. */
static __always_inline int layer4_parse(struct packet *packet, void *layer4, int room)
{
	switch (packet->tuple.proto) {
	case IPPROTO_TCP:
		if (unlikely(room < TCP_HEADER || layer4 + TCP_HEADER > packet->end))
			return layer4_missing(packet, layer4, room);
		packet->tcp_flags = *((__u8 *)layer4 + TCP_FLAGS_AT);
		break;
	case IPPROTO_UDP:
		if (unlikely(room < UDP_HEADER || layer4 + UDP_HEADER > packet->end))
			return layer4_missing(packet, layer4, room);
		break;
	default:
		packet->layer4 = layer4;
		packet->room = room;
		return 0;
	}
	packet->tuple.ports = load16(layer4) | (__u32)load16(layer4 + 2) << 16;
	return packet_cut(packet) ? vip_reason(packet, HF_REASON_TRUNCATED) : 0;
}

static __always_inline int ipv4_parse(struct packet *packet)
{
	void *ip = packet->start + ETH_HLEN;
	__u32 first, header;

	if (unlikely(ip + IPV4_HEADER > packet->end))
		return -HF_REASON_BAD_HEADER;
	first = *(__u8 *)ip;
	header = (first & 0xf) * 4;
	if (unlikely(first >> 4 != 4 || header < IPV4_HEADER))
		return -HF_REASON_BAD_HEADER;
	packet->tos = *(__u8 *)(ip + 1);
	packet->length = bpf_ntohs(load16(ip + 2));
	packet->tuple.proto = *(__u8 *)(ip + 9);
	packet->tuple.saddr.halves[0] = load32(ip + 12);
	packet->tuple.daddr.halves[0] = load16(ip + 16) | (__u64)load16(ip + 18) << 16;
	if (unlikely(load16(ip + 6) & bpf_htons(IPV4_FRAGMENT_BITS)))
		return vip_reason(packet, HF_REASON_FRAGMENT);
	return layer4_parse(packet, ip + header, packet->length - header);
}

static __always_inline int ipv6_parse(struct packet *packet)
{
	void *ip = packet->start + ETH_HLEN;
	int header = IPV6_HEADER;
	__u32 first;

	if (unlikely(ip + IPV6_HEADER > packet->end))
		return -HF_REASON_BAD_HEADER;
	first = bpf_ntohs(load16(ip));
	if (unlikely(first >> 12 != 6))
		return -HF_REASON_BAD_HEADER;
	packet->tos = first >> 4;
	packet->length = bpf_ntohs(load16(ip + 4)) + IPV6_HEADER;
	packet->tuple.proto = *(__u8 *)(ip + 6);
	packet->tuple.saddr = address_load(ip + 8);
	packet->tuple.daddr = address_load(ip + 24);
	if (unlikely(packet->tuple.proto != IPPROTO_TCP && packet->tuple.proto != IPPROTO_UDP)) {
		header = extensions_skip(ip, packet->end, FRAGMENT_ANY, &packet->tuple.proto);
		if (header < 0)
			return vip_reason(packet, -header);
	}
	return layer4_parse(packet, ip + header, packet->length - header);
}

static __always_inline int packet_parse(struct packet *packet)
{
	return packet->tuple.family == HF_IPV4 ? ipv4_parse(packet) : ipv6_parse(packet);
}

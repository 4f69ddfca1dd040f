/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * icmp: an error about a packet that a backend sent belongs to that packet's flow, and must reach the same
 * backend (path MTU discovery depends on it: RFC 1191, RFC 8201). The error quotes the packet; its tuple,
 * reversed, is the client's. Echo and all else that is not about a flow is for the host.
 */
#pragma once

#include <linux/icmp.h>
#include <linux/icmpv6.h>
#include "packet.bpf.h"
#include "parse.bpf.h"

enum {
	ICMP_HEADER = 8,
	PORTS = 4,
	IPV4_OFFSET_BITS = 0x1fff,
};

static __always_inline bool icmp_is_error(const struct packet *packet, __u8 type)
{
	if (packet->tuple.family == HF_IPV4)
		return type == ICMP_DEST_UNREACH || type == ICMP_TIME_EXCEEDED || type == ICMP_PARAMETERPROB;
	return type >= ICMPV6_DEST_UNREACH && type <= ICMPV6_PARAMPROB;
}

/* quoted: the layer-4 header of the packet that the error is about, room: bytes from there on. */
static __always_inline int quoted_parse(struct packet *packet, void *quoted, int room, __u8 proto)
{
	if (proto != IPPROTO_TCP && proto != IPPROTO_UDP)
		return vip_reason(packet, HF_REASON_VIP_OTHER);
	if (room < PORTS || quoted + PORTS > packet->end || packet_cut(packet))
		return vip_reason(packet, HF_REASON_TRUNCATED);
	packet->tuple.proto = proto;
	packet->tuple.ports = load16(quoted + 2) | (__u32)load16(quoted) << 16;
	return 0;
}

static __always_inline int icmpv4_parse(struct packet *packet)
{
	struct iphdr *quoted = packet->layer4 + ICMP_HEADER;
	__u32 header;

	if ((void *)(quoted + 1) > packet->end)
		return vip_reason(packet, HF_REASON_TRUNCATED);
	header = quoted->ihl * 4;
	if (quoted->version != 4 || header < IPV4_HEADER || quoted->saddr != packet->tuple.daddr.words[0])
		return vip_reason(packet, HF_REASON_VIP_OTHER);
	if (quoted->frag_off & bpf_htons(IPV4_OFFSET_BITS))
		return vip_reason(packet, HF_REASON_FRAGMENT);
	packet->tuple.saddr.halves[0] = quoted->daddr;
	return quoted_parse(packet, (void *)quoted + header, packet->room - ICMP_HEADER - header,
			    quoted->protocol);
}

static __always_inline int icmpv6_parse(struct packet *packet)
{
	void *quoted = packet->layer4 + ICMP_HEADER;
	const struct ipv6hdr *ip = quoted;
	union hf_address source;
	__u8 proto;
	int header;

	if (quoted + IPV6_HEADER > packet->end)
		return vip_reason(packet, HF_REASON_TRUNCATED);
	source = address_load(&ip->saddr);
	if (ip->version != 6 || !hf_address_equal(&source, &packet->tuple.daddr))
		return vip_reason(packet, HF_REASON_VIP_OTHER);
	packet->tuple.saddr = address_load(&ip->daddr);
	header = extensions_skip(quoted, packet->end, FRAGMENT_OFFSET, &proto);
	if (header < 0)
		return vip_reason(packet, -header);
	return quoted_parse(packet, quoted + header, packet->room - ICMP_HEADER - header, proto);
}

static __always_inline int icmp_parse(struct packet *packet)
{
	__u8 proto = packet->tuple.proto;
	__u8 *icmp = packet->layer4;

	if (likely(proto == IPPROTO_TCP || proto == IPPROTO_UDP))
		return 0;
	if (packet->room < 0 || packet->layer4 > packet->end)
		return -HF_REASON_BAD_HEADER;
	if (proto != (packet->tuple.family == HF_IPV4 ? IPPROTO_ICMP : IPPROTO_ICMPV6))
		return vip_reason(packet, HF_REASON_VIP_OTHER);
	if (packet->room < ICMP_HEADER || packet->layer4 + ICMP_HEADER > packet->end)
		return vip_reason(packet, HF_REASON_TRUNCATED);
	if (!icmp_is_error(packet, icmp[0]))
		return vip_reason(packet, HF_REASON_VIP_OTHER);
	return packet->tuple.family == HF_IPV4 ? icmpv4_parse(packet) : icmpv6_parse(packet);
}

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * parse: from the Ethernet header to the ports. A packet without readable ports goes on with the reason in
 * `portless`: whether it matters depends on whether its address is a VIP.
 */
#ifndef HOLDFAST_PARSE_BPF_H
#define HOLDFAST_PARSE_BPF_H

#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include "packet.bpf.h"

enum {
	IPV4_FRAGMENT_BITS = 0x3fff, /* more fragments, and the offset */
	IPV6_HEADER = sizeof(struct ipv6hdr),
	IPV6_FRAGMENT_BITS = 0xfff9, /* of a fragment header's first word: the offset, and more fragments */
	MAX_EXTENSIONS = 6,
	TCP_HEADER = 20,
	UDP_HEADER = 8,
	ICMP_HEADER = 8,
	TCP_FLAGS_AT = 13,
};

/* room: bytes of the IP packet from layer4 on. */
static __always_inline int ports_parse(struct packet *packet, void *layer4, int room)
{
	__u8 proto = packet->tuple.proto;
	int header = proto == IPPROTO_TCP ? TCP_HEADER : UDP_HEADER;
	__u32 ports;

	if (proto != IPPROTO_TCP && proto != IPPROTO_UDP) {
		packet->portless = HF_REASON_VIP_OTHER;
		return 0;
	}
	if (unlikely(room < header || layer4 + header > packet->end)) {
		packet->portless = HF_REASON_TRUNCATED;
		return 0;
	}
	ports = load32(layer4);
	packet->tuple.sport = ports;
	packet->tuple.dport = ports >> 16;
	/* Not all of what the IP header promises is here: with frags, the rest may be in other buffers. */
	if (unlikely(packet->start + ETH_HLEN + packet->length > packet->end) &&
	    ETH_HLEN + packet->length > bpf_xdp_get_buff_len(packet->ctx))
		packet->portless = HF_REASON_TRUNCATED;
	if (proto == IPPROTO_TCP && layer4 + TCP_HEADER <= packet->end)
		packet->tcp_flags = *((__u8 *)layer4 + TCP_FLAGS_AT);
	return 0;
}

static __always_inline int ipv4_parse(struct packet *packet)
{
	struct iphdr *ip = packet->start + ETH_HLEN;
	__u32 header;

	if (unlikely((void *)(ip + 1) > packet->end || ip->version != 4 || ip->ihl < 5))
		return -HF_REASON_BAD_HEADER;
	header = ip->ihl * 4;
	packet->family = HF_IPV4;
	packet->length = bpf_ntohs(ip->tot_len);
	packet->tos = ip->tos;
	packet->tuple.family = HF_IPV4;
	packet->tuple.proto = ip->protocol;
	packet->tuple.saddr[0] = ip->saddr;
	packet->tuple.daddr[0] = ip->daddr;
	if (unlikely(packet->length < header || (void *)ip + header > packet->end))
		return -HF_REASON_BAD_HEADER;
	if (unlikely(ip->frag_off & bpf_htons(IPV4_FRAGMENT_BITS))) {
		packet->portless = HF_REASON_FRAGMENT;
		return 0;
	}
	return ports_parse(packet, (void *)ip + header, packet->length - header);
}

/*
 * Steps over the extension headers of RFC 8200 that a packet for a TCP or UDP port may carry, and over an
 * atomic fragment header (RFC 6946). Returns where the upper-layer header begins, 0 if it cannot be reached
 * (portless says why).
 */
static __always_inline __u32 extensions_skip(struct packet *packet, void *ip)
{
	__u32 offset = IPV6_HEADER;

	for (int i = 0; i < MAX_EXTENSIONS; i++) {
		__u8 *extension = ip + offset;
		__u8 proto = packet->tuple.proto;

		if (proto != IPPROTO_HOPOPTS && proto != IPPROTO_DSTOPTS && proto != IPPROTO_ROUTING &&
		    proto != IPPROTO_FRAGMENT)
			return offset;
		if ((void *)extension + 8 > packet->end) {
			packet->portless = HF_REASON_TRUNCATED;
			return 0;
		}
		if (proto == IPPROTO_FRAGMENT && load32(extension) & bpf_htonl(IPV6_FRAGMENT_BITS)) {
			packet->portless = HF_REASON_FRAGMENT;
			return 0;
		}
		packet->tuple.proto = extension[0];
		offset += proto == IPPROTO_FRAGMENT ? 8 : (extension[1] + 1) * 8;
	}
	packet->portless = HF_REASON_EXTENSIONS;
	return 0;
}

static __always_inline int ipv6_parse(struct packet *packet)
{
	void *ip = packet->start + ETH_HLEN;
	__u32 header = IPV6_HEADER;
	__u64 first;

	if (unlikely(ip + IPV6_HEADER > packet->end))
		return -HF_REASON_BAD_HEADER;
	first = load64(ip);
	if (unlikely((first & 0xf0) != 0x60))
		return -HF_REASON_BAD_HEADER;
	packet->family = HF_IPV6;
	packet->tos = first << 4 | (first >> 12 & 0xf);
	packet->length = bpf_ntohs((__u16)(first >> 32)) + IPV6_HEADER;
	packet->tuple.family = HF_IPV6;
	packet->tuple.proto = first >> 48;
	address_load(packet->tuple.saddr, ip + 8);
	address_load(packet->tuple.daddr, ip + 24);
	if (unlikely(packet->tuple.proto != IPPROTO_TCP && packet->tuple.proto != IPPROTO_UDP)) {
		header = extensions_skip(packet, ip);
		if (!header)
			return 0;
	}
	return ports_parse(packet, ip + header, packet->length - header);
}

static __always_inline int packet_parse(struct packet *packet)
{
	struct ethhdr *ethernet = packet->start;

	if (unlikely((void *)(ethernet + 1) > packet->end))
		return -HF_REASON_NOT_IP;
	if (unlikely(ethernet->h_dest[0] & 1))
		return -HF_REASON_NOT_UNICAST;
	if (likely(ethernet->h_proto == bpf_htons(ETH_P_IP)))
		return ipv4_parse(packet);
	if (ethernet->h_proto == bpf_htons(ETH_P_IPV6))
		return ipv6_parse(packet);
	return -HF_REASON_NOT_IP;
}

#endif

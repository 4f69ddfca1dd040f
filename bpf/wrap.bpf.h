/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * wrap: a new Ethernet header, the backend's outer header, and behind them the packet as it came.
 */
#ifndef HOLDFAST_WRAP_BPF_H
#define HOLDFAST_WRAP_BPF_H

#include "gue.bpf.h"
#include "outer_header.bpf.h"
#include "packet.bpf.h"

enum { GRE_HEADER = 4 };

static __always_inline int ip_wrap(struct packet *packet)
{
	__u8 proto = packet->tuple.family == HF_IPV6 ? IPPROTO_IPV6 : IPPROTO_IPIP;
	void *outer;
	int reason;

	if (likely(packet->backend->family == HF_IPV4)) {
		reason = outer_open(packet, IPV4_HEADER, 0, ETH_P_IP, &outer);
		if (likely(!reason))
			ipv4_write(packet, outer, proto, packet->length + IPV4_HEADER);
	} else {
		reason = outer_open(packet, IPV6_HEADER, 0, ETH_P_IPV6, &outer);
		if (likely(!reason))
			ipv6_write(packet, outer, proto, packet->length);
	}
	return reason;
}

/* GRE (RFC 2784) without any option. */
static __always_inline int gre_wrap(struct packet *packet)
{
	__u32 gre = (__u32)bpf_htons(packet->tuple.family == HF_IPV6 ? ETH_P_IPV6 : ETH_P_IP) << 16;
	void *outer;
	int reason;

	if (packet->backend->family == HF_IPV4) {
		reason = outer_open(packet, IPV4_HEADER + GRE_HEADER, 0, ETH_P_IP, &outer);
		if (reason)
			return reason;
		ipv4_write(packet, outer, IPPROTO_GRE, packet->length + GRE_HEADER + IPV4_HEADER);
		store32(outer + IPV4_HEADER, gre);
	} else {
		reason = outer_open(packet, IPV6_HEADER + GRE_HEADER, 0, ETH_P_IPV6, &outer);
		if (reason)
			return reason;
		ipv6_write(packet, outer, IPPROTO_GRE, packet->length + GRE_HEADER);
		store32(outer + IPV6_HEADER, gre);
	}
	return 0;
}

/* The backend is a neighbour and has the VIP itself: the packet only gets another destination MAC. */
static __always_inline int l2_wrap(struct packet *packet)
{
	if (packet->backend->mtu && packet->length > packet->backend->mtu)
		return -HF_REASON_TOO_BIG;
	ethernet_write(packet, packet->start, packet->tuple.family == HF_IPV6 ? ETH_P_IPV6 : ETH_P_IP);
	return 0;
}

static __always_inline int packet_wrap(struct packet *packet)
{
	__u8 encap = packet->backend->encap;

	if (likely(encap == HF_ENCAP_IP))
		return ip_wrap(packet);
	if (encap == HF_ENCAP_GUE)
		return gue_wrap(packet);
	return encap == HF_ENCAP_GRE ? gre_wrap(packet) : l2_wrap(packet);
}

#endif

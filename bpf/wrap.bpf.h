/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * wrap: a new Ethernet header, the backend's outer header, and behind them the packet as it came.
 */
#pragma once

#include "gue.bpf.h"
#include "outer_header.bpf.h"
#include "packet.bpf.h"

enum { GRE_HEADER = 4 };

static __always_inline int ip_wrap(struct packet *packet, enum hf_family family)
{
	__u8 proto = packet->tuple.family == HF_IPV6 ? IPPROTO_IPV6 : IPPROTO_IPIP;
	int header = family == HF_IPV4 ? IPV4_HEADER : IPV6_HEADER, reason;
	void *outer;

	reason = outer_open(packet, header, 0, family == HF_IPV4 ? ETH_P_IP : ETH_P_IPV6, &outer);
	if (unlikely(reason))
		return reason;
	if (family == HF_IPV4)
		ipv4_write(packet, outer, proto, packet->length + IPV4_HEADER);
	else
		ipv6_write(packet, outer, proto, packet->length);
	return 0;
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

/* What of a packet is needed to wrap it. */
struct wrap_job {
	struct xdp_md *ctx;
	void *start;
	const struct hf_backend *backend;
	const struct hf_link *link;
	__u64 hash;
	__u64 slot_word;
	__u64 next_hop;
	__u32 length;
	__u32 backend_number;
	__u8 family;
	__u8 tos;
	__u8 tcp_flags;
	__u8 encap; /* of the backend, as it was read once */
};

/* Out of line, so that the plain way keeps the packet in registers. */
static __noinline int rare_wrap(const struct wrap_job *job)
{
	struct packet packet = {
		.ctx = job->ctx,
		.start = job->start,
		.backend = job->backend,
		.link = job->link,
		.hash = job->hash,
		.slot_word = job->slot_word,
		.next_hop = job->next_hop,
		.length = job->length,
		.backend_number = job->backend_number,
		.tuple.family = job->family,
		.tos = job->tos,
		.tcp_flags = job->tcp_flags,
	};

	switch (job->encap) {
	case HF_ENCAP_GUE:
		return gue_wrap(&packet);
	case HF_ENCAP_GRE:
		return gre_wrap(&packet);
	default:
		return l2_wrap(&packet);
	}
}

static __always_inline int packet_wrap(struct packet *packet)
{
	__u16 how = load16(&packet->backend->family);
	struct wrap_job job;

	/* One look at both bytes spares the most common way a branch; a second one might see another encap.
	 */
	if (likely(how == (HF_IPV4 | HF_ENCAP_IP << 8)))
		return ip_wrap(packet, HF_IPV4);
	if (how >> 8 == HF_ENCAP_IP)
		return ip_wrap(packet, HF_IPV6);
	job = (struct wrap_job){
		.ctx = packet->ctx,
		.start = packet->start,
		.backend = packet->backend,
		.link = packet->link,
		.hash = packet->hash,
		.slot_word = packet->slot_word,
		.next_hop = packet->next_hop,
		.length = packet->length,
		.backend_number = packet->backend_number,
		.family = packet->tuple.family,
		.tos = packet->tos,
		.tcp_flags = packet->tcp_flags,
		.encap = how >> 8,
	};
	return rare_wrap(&job);
}

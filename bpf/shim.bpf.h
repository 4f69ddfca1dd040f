/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The shim: what GUE (holdfast/gue.h) or GRE (RFC 2784, no options) puts between the outer IP header and the
 * inner packet.
 */
#pragma once

#include "wrapped.bpf.h"

struct gre {
	__be16 flags;
	__be16 proto;
};

static __always_inline int gre_parse(struct wrapped *packet)
{
	struct gre *gre = packet->start + ETH_HLEN + (packet->shim & LONGEST_HEADER);

	if ((void *)(gre + 1) > packet->end || gre->flags)
		return HF_RECEIVER_BAD_INNER;
	packet->header = packet->shim + sizeof(*gre);
	packet->proto = gre->proto == bpf_htons(ETH_P_IP)     ? IPPROTO_IPIP
			: gre->proto == bpf_htons(ETH_P_IPV6) ? IPPROTO_IPV6
							      : IPPROTO_RAW;
	return 0;
}

/* Hops of the other family, or of a type that is not known here, are as good as none. */
static __always_inline int gue_parse(struct wrapped *packet)
{
	struct hf_gue *gue =
		packet->start + ETH_HLEN + (packet->shim & LONGEST_HEADER) + sizeof(struct udphdr);
	__u32 words, hop_words = packet->family == 4 ? 1 : 4;

	if ((void *)(gue + 1) > packet->end || gue->version_length & ~HF_GUE_LENGTH_MASK || gue->flags)
		return HF_RECEIVER_BAD_INNER;
	words = gue->version_length;
	packet->header = packet->shim + sizeof(struct udphdr) + 4 + words * 4;
	packet->proto = gue->proto;
	if (words && gue->type == bpf_htons(packet->family == 4 ? HF_GUE_HOPS_IPV4 : HF_GUE_HOPS_IPV6)) {
		if (1 + gue->count * hop_words > words)
			return HF_RECEIVER_BAD_INNER;
		packet->next = gue->next;
		packet->count = gue->count;
	}
	return 0;
}

static __always_inline int shim_parse(struct wrapped *packet)
{
	if (packet->proto == IPPROTO_UDP)
		return gue_parse(packet);
	return packet->proto == IPPROTO_GRE ? gre_parse(packet) : 0;
}

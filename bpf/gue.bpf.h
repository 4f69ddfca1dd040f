/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * gue: wrapping with the hops that a receiver may try after the first (holdfast/gue.h). A SYN carries none:
 * who gets it keeps it.
 */
#pragma once

#include <holdfast/gue.h>
#include "maps.bpf.h"
#include "packet.bpf.h"
#include "outer_header.bpf.h"

enum {
	OTHER_HOPS = HF_MAX_HOPS - 1,
	GUE_HEADER = UDP_HEADER + sizeof(struct hf_gue),
	SOURCE_PORT_SHIFT = 8,
};

struct hop_list {
	union hf_address hop[OTHER_HOPS];
};

/*
 * Fills the hops of a packet that goes to `first`: the record's but for that one, and of the same family. A
 * record that is full and does not have it loses its last; if that is one that only answers, the last before
 * it, since that must stay the last. Returns how many.
 */
__noinline __u32 hops_collect(__u32 record, __u32 first, __u32 family, struct hop_list *list)
{
	const struct hf_hops *known = map_at(&hops, record);
	__u32 count = 0, all, too_many = HF_MAX_HOPS;
	bool has_first = false;

	if (!known || !record || !list)
		return 0;
	all = known->count < HF_MAX_HOPS ? known->count : HF_MAX_HOPS;
	for (__u32 i = 0; i < HF_MAX_HOPS; i++)
		has_first |= i < all && known->backend[i] == first;
	if (all == HF_MAX_HOPS && !has_first)
		too_many = known->flags & HF_HOPS_LAST_ANSWERS ? HF_MAX_HOPS - 2 : HF_MAX_HOPS - 1;
	for (__u32 i = 0; i < HF_MAX_HOPS && count < OTHER_HOPS; i++) {
		const struct hf_backend *backend;

		if (i >= all || i == too_many || known->backend[i] == first)
			continue;
		backend = map_at(&backends, known->backend[i]);
		if (!backend || backend->family != family)
			continue;
		__builtin_memcpy(&list->hop[count], backend->dst, sizeof(list->hop[count]));
		count++;
	}
	return count;
}

static __always_inline void udp_gue_write(const struct packet *packet, void *at, __u8 proto, __u32 length,
					  __u32 type, __u32 words, __u32 count)
{
	__u32 port = HF_GUE_FIRST_SOURCE_PORT | (packet->hash >> SOURCE_PORT_SHIFT & 0x3fff);

	store64(at,
		bpf_htons(port) | (__u32)packet->backend->gue_port << 16 | (__u64)bpf_htons(length) << 32);
	store64(at + UDP_HEADER, words | proto << 8 | (__u64)bpf_htons(type) << 32 | (__u64)count << 56);
}

/* The hops behind the outer header, whose size the verifier must see at every step. */
static __always_inline int hops_write(const struct packet *packet, void *at, const struct hop_list *list,
				      __u32 count, int size)
{
	void *end = (void *)(long)packet->ctx->data_end;

	for (__u32 i = 0; i < OTHER_HOPS && i < count; i++, at += size) {
		if (unlikely(at + size > end))
			return -HF_REASON_NO_HEADROOM;
		if (size == 4) {
			store32(at, list->hop[i].words[0]);
		} else {
			store64(at, list->hop[i].halves[0]);
			store64(at + 8, list->hop[i].halves[1]);
		}
	}
	return 0;
}

static __always_inline int gue_wrap_as(struct packet *packet, int family, const struct hop_list *list,
				       __u32 count)
{
	__u8 proto = packet->tuple.family == HF_IPV6 ? IPPROTO_IPV6 : IPPROTO_IPIP;
	int ip = family == HF_IPV4 ? IPV4_HEADER : IPV6_HEADER, size = family == HF_IPV4 ? 4 : 16;
	__u32 words = 1 + count * (size / 4), length = packet->length + GUE_HEADER + count * size;
	void *outer;
	int reason;

	reason = outer_open(packet, ip + GUE_HEADER, count * size, family == HF_IPV4 ? ETH_P_IP : ETH_P_IPV6,
			    &outer);
	if (unlikely(reason))
		return reason;
	if (family == HF_IPV4)
		ipv4_write(packet, outer, IPPROTO_UDP, length + IPV4_HEADER);
	else
		ipv6_write(packet, outer, IPPROTO_UDP, length);
	udp_gue_write(packet, outer + ip, proto, length,
		      family == HF_IPV4 ? HF_GUE_HOPS_IPV4 : HF_GUE_HOPS_IPV6, words, count);
	return hops_write(packet, outer + ip + GUE_HEADER, list, count, size);
}

static __always_inline int gue_wrap(struct packet *packet)
{
	struct hop_list list = {};
	__u32 record = hf_slot_hops(packet->slot_word), count = 0;
	__u8 family = packet->backend->family;

	if (!packet_opens(packet))
		count = hops_collect(record, packet->backend_number, family, &list);
	if (count > OTHER_HOPS)
		return -HF_REASON_NO_HEADROOM;
	return family == HF_IPV4 ? gue_wrap_as(packet, HF_IPV4, &list, count)
				 : gue_wrap_as(packet, HF_IPV6, &list, count);
}

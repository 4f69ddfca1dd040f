/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * backend: the chosen backend's record, and the link and MAC address that lead to it.
 */
#ifndef HOLDFAST_BACKEND_BPF_H
#define HOLDFAST_BACKEND_BPF_H

#include "maps.bpf.h"
#include "packet.bpf.h"

enum { LINK_SHIFT = 48 }; /* in hf_backend.next_hop */

static __always_inline int backend_find(struct packet *packet)
{
	const struct hf_control *control_now = map_at(&control, 0);
	__u32 number;

	packet->backend = map_at(&backends, packet->backend_number);
	/* The unused record 0 has no family either. */
	if (unlikely(!control_now || !packet->backend || !packet->backend->family))
		return -HF_REASON_NO_BACKEND;
	packet->next_hop = load64(&packet->backend->next_hop);
	number = packet->next_hop >> LINK_SHIFT;
	if (unlikely(!number || number >= HF_MAX_LINKS))
		return -HF_REASON_NEXT_HOP;
	packet->link = &control_now->links[number];
	return packet->link->ifindex ? 0 : -HF_REASON_NEXT_HOP;
}

#endif

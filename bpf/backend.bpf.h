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
	__u32 number;

	packet->backend = map_at(&backends, packet->backend_number);
	/* The unused record 0 has no family either. */
	if (unlikely(!packet->backend || !packet->backend->family))
		return packet->table->size ? -HF_REASON_NO_BACKEND : -HF_REASON_NO_TABLE;
	packet->next_hop = load64(&packet->backend->next_hop);
	number = packet->next_hop >> LINK_SHIFT;
	/* Link 0 stands for none and has no interface. */
	if (unlikely(number >= HF_MAX_LINKS))
		return -HF_REASON_NEXT_HOP;
	/* Older verifiers (6.1, 6.12) lose the bound when the compiler keeps a copy on the stack. */
	asm volatile("%0 &= %1" : "+r"(number) : "i"(HF_MAX_LINKS - 1));
	packet->link = &packet->control->links[number];
	return likely(packet->link->ifindex) ? 0 : -HF_REASON_NEXT_HOP;
}

#endif

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * backend: the chosen backend's record, and the link and MAC address that lead to it.
 */
#pragma once

#include "maps.bpf.h"
#include "packet.bpf.h"

enum { LINK_SHIFT = 48 }; /* in hf_backend.next_hop */

/* There is no way to it: no link, because there is no backend, or none yet. */
static __always_inline int backend_missing(const struct packet *packet)
{
	if (packet->backend->family)
		return -HF_REASON_NEXT_HOP;
	return packet->table->size ? -HF_REASON_NO_BACKEND : -HF_REASON_NO_TABLE;
}

static __always_inline int backend_find(struct packet *packet)
{
	__u64 number;

	packet->backend = map_at(&backends, packet->backend_number);
	if (unlikely(!packet->backend))
		return -HF_REASON_NO_BACKEND;
	packet->next_hop = load64(&packet->backend->next_hop);
	number = packet->next_hop >> LINK_SHIFT;
	/* Older verifiers (6.1, 6.12) lose the bound if the compiler compares before it shifts. */
	barrier_var(number);
	if (unlikely(number >= HF_MAX_LINKS))
		return -HF_REASON_NEXT_HOP;
	packet->link = &packet->control->links[number];
	/* Link 0 stands for none: it has no interface. */
	return likely(packet->link->ifindex) ? 0 : backend_missing(packet);
}

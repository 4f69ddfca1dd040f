/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * slot: which slot the hash falls in, and so who owns the flow.
 */
#pragma once

#include <holdfast/slot.h>

#include "maps.bpf.h"
#include "packet.bpf.h"

static __always_inline int slot_find(struct packet *packet)
{
	const __u64 *word;

	packet->slot = packet->table->first + hf_slot_index(packet->hash, packet->table->size);
	word = map_at(&slots, packet->slot);
	if (unlikely(!word))
		return -HF_REASON_NO_TABLE;
	packet->slot_word = load64(word);
	packet->backend_number = hf_slot_owner(packet->slot_word);
	return 0;
}

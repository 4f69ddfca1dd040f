/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * observe: what the observing form writes instead of counting.
 */
#pragma once

#include "backend.bpf.h"
#include "maps.bpf.h"
#include "packet.bpf.h"

static __always_inline void observe(const struct packet *packet, int outcome)
{
	struct hf_observation *found = map_at(&observation, 0);

	if (!found)
		return;
	*found = (struct hf_observation){
		.stage = packet->stage,
		.reason = outcome < 0 ? -outcome : 0,
		.hash = packet->hash,
		.service = packet->service ? packet->service->number : 0,
		.pool = packet->service ? packet->service->pool : 0,
		.table = packet->table_number,
		.slot = packet->table ? packet->slot - packet->table->first : 0,
		.slot_word = packet->slot_word,
		.backend = packet->backend_number,
		.choice = packet->choice,
		.link = packet->next_hop >> LINK_SHIFT,
	};
}

/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * hash: the flow's hash, by the seed and policy of the table that its service's pool uses now.
 */
#pragma once

#include "maps.bpf.h"
#include "packet.bpf.h"

static __always_inline int flow_hash(struct packet *packet)
{
	const __u64 *pool = map_at(&pools, packet->service->pool);

	if (unlikely(!pool))
		return -HF_REASON_NO_TABLE;
	/* Table 0 is empty: a pool without a table has no backend, and is told apart there. */
	packet->table_number = load64(pool);
	packet->table = map_at(&tables, packet->table_number);
	if (unlikely(!packet->table))
		return -HF_REASON_NO_TABLE;
	packet->hash = hf_flow_hash(&packet->tuple, packet->table->hash, packet->table->seed);
	return 0;
}

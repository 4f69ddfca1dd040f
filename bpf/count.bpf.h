/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * count: one record a packet, and the verdict. The observing form counts nothing, but says what was found.
 */
#pragma once

#include "maps.bpf.h"
#include "observe.bpf.h"
#include "packet.bpf.h"

static __always_inline int reason_verdict(int reason)
{
	const __u64 drops = 0
#define DROP                                     1ULL
#define PASS                                     0ULL
#define X(name, number, word, verdict, sentence) | verdict << number
		HF_REASONS(X)
#undef X
#undef PASS
#undef DROP
		;

	return drops >> (reason & 63) & 1 ? XDP_DROP : XDP_PASS;
}

static __always_inline void count_forwarded(const struct packet *packet)
{
	__u32 ordinal = packet->backend->ordinal;
	struct hf_counters *record;

	/* A backend that this service has no counter for yet is counted under none. */
	if (unlikely(ordinal >= packet->service->ordinals))
		return;
	record = map_at(&counters, packet->service->counters + ordinal);
	if (unlikely(!record))
		return;
	record->packets++;
	record->bytes += packet->frame;
	if (packet_opens(packet))
		record->flows++;
}

static __always_inline void count_reason(const struct packet *packet, int reason)
{
	struct hf_reason_counter *record = map_at(&reasons, reason);

	if (!record)
		return;
	record->packets++;
	record->bytes += packet->frame;
}

/* The single exit: counts, and turns what the last stage said into a verdict. */
static __always_inline int packet_finish(const struct packet *packet, int outcome)
{
	if (packet->observed)
		observe(packet, outcome);
	else if (likely(outcome > 0))
		count_forwarded(packet);
	else
		count_reason(packet, -outcome);
	return likely(outcome > 0) ? outcome : reason_verdict(-outcome);
}

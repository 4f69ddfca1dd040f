/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The flow table: sets of HF_FLOW_WAYS entries in one array. Nobody waits for anybody: an entry is claimed by
 * one compare-and-exchange of its tag, and who loses does without.
 */
#ifndef HOLDFAST_FLOWTABLE_BPF_H
#define HOLDFAST_FLOWTABLE_BPF_H

#include "maps.bpf.h"
#include "packet.bpf.h"

/* 96 bits of two hashes with seeds of their own: that two flows share them is less likely than 2^-60. */
struct flow_tag {
	__u64 tag;
	__u32 tag2;
	__u32 set; /* index of flows: the first of the set */
};

/* The head of the kernel's struct bpf_map, as far as a program may read its own maps. */
struct bpf_map {
	__u32 max_entries;
} __attribute__((preserve_access_index));

enum {
	TAG2_SEED = 0x5eed,
	ENTER_ATTEMPTS = 2,
	/* Which of its neighbours a newcomer takes the place of: the lowest rank, the longest silent of it.
	 */
	RANK_FREE = 0,
	RANK_OPENING = 1,
	RANK_CLOSING = 2,
	RANK_QUIET = 3,
	RANK_NEVER = 4,
	RANK_SHIFT = 32,
	LONGEST_SILENCE = 0x7fffffff,
	QUIET_SHARE = 4, /* of its idle time, in which an established flow may be silent */
};

/* Seconds gone by since then, which another processor may have noted as a moment to come. */
static __always_inline __s32 elapsed(__u32 now, __u32 then)
{
	return now - then;
}

static __always_inline struct flow_tag flow_tag(const struct hf_tuple *tuple, __u64 seed)
{
	__u32 sets = ((struct bpf_map *)&flows)->max_entries / HF_FLOW_WAYS;
	__u64 tag = hf_flow_hash(tuple, HF_HASH_5TUPLE, seed);
	/* The first hash folds an IPv6 destination: here its halves do not cancel out. */
	__u64 other = hf_flow_hash(tuple, HF_HASH_5TUPLE, seed + TAG2_SEED + tuple->daddr.halves[0] * 3);

	return (struct flow_tag){
		.tag = tag > HF_FLOW_CLAIMED ? tag : tag + 2,
		.tag2 = other >> 32,
		.set = hf_slot_index(tag, sets) * HF_FLOW_WAYS,
	};
}

static __always_inline struct hf_flow *flowtable_find(const struct flow_tag *tag)
{
	for (__u32 way = 0; way < HF_FLOW_WAYS; way++) {
		struct hf_flow *flow = map_at(&flows, tag->set + way);

		barrier_var(way);
		if (!flow)
			return NULL;
		if (load64(&flow->tag) == tag->tag && flow->tag2 == tag->tag2)
			return flow;
	}
	return NULL;
}

static __always_inline __u64 flow_rank(const struct hf_flow *flow, __u32 now)
{
	__u64 rank = RANK_NEVER;
	__s32 silent = elapsed(now, flow->seen);

	if (!flow->tag || (flow->tag != HF_FLOW_CLAIMED && silent > (__s32)flow->idle))
		return RANK_FREE;
	if (flow->tag == HF_FLOW_CLAIMED)
		rank = RANK_NEVER;
	else if (flow->state == HF_FLOW_OPENING)
		rank = RANK_OPENING;
	else if (flow->state == HF_FLOW_CLOSING)
		rank = RANK_CLOSING;
	else if (silent > (__s32)(flow->idle / QUIET_SHARE))
		rank = RANK_QUIET;
	return rank << RANK_SHIFT | (__u32)(LONGEST_SILENCE - silent);
}

/*
 * Among equals the first from a random place on: in a flood all are equal, and a newcomer must not always go
 * for the next.
 */
static __always_inline struct hf_flow *flowtable_victim(const struct flow_tag *tag, __u32 now,
							__u32 *ret_rank)
{
	__u64 lowest = (__u64)RANK_NEVER << RANK_SHIFT;
	__u32 start = bpf_get_prandom_u32();
	struct hf_flow *victim = NULL;

	for (__u32 way = 0; way < HF_FLOW_WAYS; way++) {
		struct hf_flow *flow = map_at(&flows, tag->set + ((start + way) & (HF_FLOW_WAYS - 1)));
		__u64 rank;

		barrier_var(way);
		if (!flow)
			return NULL;
		rank = flow_rank(flow, now);
		if (rank < lowest) {
			lowest = rank;
			victim = flow;
		}
	}
	*ret_rank = lowest >> RANK_SHIFT;
	return victim;
}

static __always_inline void flow_event(enum hf_flow_event event)
{
	__u64 *count = map_at(&flow_events, event);

	if (count)
		(*count)++;
}

/* The tag goes first and comes last, so that no reader takes half a flow for a whole one. */
static __always_inline bool flow_write(struct hf_flow *flow, const struct flow_tag *tag,
				       const struct hf_flow *entry)
{
	__u64 before = load64(&flow->tag);

	if (before == HF_FLOW_CLAIMED ||
	    __sync_val_compare_and_swap(&flow->tag, before, HF_FLOW_CLAIMED) != before)
		return false;
	flow->tag2 = tag->tag2;
	flow->slot = entry->slot;
	flow->seen = entry->seen;
	flow->backend = entry->backend;
	flow->service = entry->service;
	flow->state = entry->state;
	flow->proto = entry->proto;
	flow->pool = entry->pool;
	flow->idle = entry->idle;
	__sync_lock_test_and_set(&flow->tag, tag->tag);
	return true;
}

static __always_inline void flow_entered(__u32 rank)
{
	flow_event(HF_FLOW_REMEMBERED);
	if (rank == RANK_OPENING)
		flow_event(HF_FLOW_EVICTED_OPENING);
	else if (rank == RANK_CLOSING)
		flow_event(HF_FLOW_EVICTED_CLOSING);
	else if (rank == RANK_QUIET)
		flow_event(HF_FLOW_EVICTED_ESTABLISHED);
}

/* Enters a flow; over its own former entry, if it has one that is over. */
static __always_inline void flowtable_enter(const struct flow_tag *tag, struct hf_flow *former,
					    const struct hf_flow *entry)
{
	for (__u32 attempt = 0; attempt < ENTER_ATTEMPTS; attempt++) {
		__u32 rank = RANK_FREE;
		struct hf_flow *flow = former ? former : flowtable_victim(tag, entry->seen, &rank);

		if (flow && flow_write(flow, tag, entry)) {
			flow_entered(rank);
			return;
		}
	}
	flow_event(HF_FLOW_EVICTED_OPENING);
}

#endif

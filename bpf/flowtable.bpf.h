/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The flow table: sets of HF_FLOW_WAYS entries in one array. Nobody waits for anybody: an entry is claimed by
 * one compare-and-exchange of its tag, and who loses does without.
 *
 * The table is for exceptions. While a slot's old flows are looked for at its base, a flow that lives there
 * needs no entry. So a full set gives up only flows that can do without their entry (flow_rank()), and a new
 * flow that finds no room goes where its next packet will go (flow.bpf.h).
 */
#pragma once

#include <holdfast/slot.h>

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
	CLAIM_ATTEMPTS = 8, /* a change is some ten instructions */
	/* Seconds of silence after which a flow that only opened, or that is closing, may lose its entry.
	 * Before that its handshake or its close may still be on the way. */
	HANDSHAKE = 5,
	NO_PLACE = 0xffffffff, /* index of flows: none */
	/* Which of its neighbours a newcomer takes the place of: the lowest rank, the longest silent of it.
	 */
	RANK_FREE = 0,
	RANK_OPENING = 1,
	RANK_CLOSING = 2,
	RANK_BASE = 3,
	RANK_NEVER = 4,
	RANK_SHIFT = 32,
	LONGEST_SILENCE = 0x7fffffff,
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

/*
 * Whether the entry is the flow's. One that another processor has claimed bears no tag, but still the second
 * one: the flow is found by that, or each packet that meets a change of its own flow would be placed anew. A
 * change may last long: hosts take processors away from their guests in the middle of it.
 */
static __always_inline bool flow_is(const struct hf_flow *flow, const struct flow_tag *tag)
{
	__u64 found = load64(&flow->tag);

	return load32(&flow->tag2) == tag->tag2 && (found == tag->tag || found == HF_FLOW_CLAIMED);
}

/*
 * Where the flow is remembered, or NO_PLACE. Every processor takes the first entry in the order of the set.
 * The backend is the flow's only if the entry is the flow's before and after.
 */
static __always_inline __u32 flowtable_find(const struct flow_tag *tag, __u32 *ret_backend)
{
	for (__u32 way = 0; way < HF_FLOW_WAYS; way++) {
		const struct hf_flow *flow = map_at(&flows, tag->set + way);

		barrier_var(way);
		if (!flow)
			return NO_PLACE;
		if (!flow_is(flow, tag))
			continue;
		*ret_backend = load16(&flow->backend);
		if (likely(flow_is(flow, tag)))
			return tag->set + way;
	}
	return NO_PLACE;
}

/* From here until flow_publish() only this processor writes into the entry, apart from `seen`. */
static __always_inline bool flow_claim(struct hf_flow *flow, __u64 tag)
{
	return tag != HF_FLOW_CLAIMED && __sync_val_compare_and_swap(&flow->tag, tag, HF_FLOW_CLAIMED) == tag;
}

/* The tag goes first and comes last, so that no reader takes half a flow for a whole one. */
static __always_inline void flow_publish(struct hf_flow *flow, __u64 tag)
{
	__sync_lock_test_and_set(&flow->tag, tag);
}

/* The slot of a remembered flow, as it is now. */
struct flow_slot {
	__u64 word;
	__u32 *since;
	bool migrates; /* the base is what the old table says, and that needs the flow's tuple */
};

static __always_inline bool flow_slot(const struct hf_flow *flow, struct flow_slot *ret)
{
	const struct hf_table *table;
	struct hf_since *pair;
	const __u64 *word;
	__u32 key = flow->pool, odd; /* one key for all maps: the stack is short */

	word = bpf_map_lookup_elem(&pools, &key);
	if (!word)
		return false;
	key = load64(word);
	table = bpf_map_lookup_elem(&tables, &key);
	key = flow->slot;
	if (!table || key >= table->size)
		return false;
	ret->migrates = table->old_size;
	key += table->first;
	word = bpf_map_lookup_elem(&slots, &key);
	if (!word)
		return false;
	ret->word = load64(word);
	odd = key & 1;
	key /= 2;
	pair = bpf_map_lookup_elem(&since, &key);
	if (!pair)
		return false;
	ret->since = &pair->at[odd];
	return true;
}

/*
 * Whether a remembered flow would go to the same backend without its entry. forget: it loses it; where the
 * flow may live at its slot's base, the slot goes on moving until the flow's idle time is over too.
 */
static __always_inline bool flow_needless(const struct hf_flow *flow, __u32 now, bool forget)
{
	struct flow_slot slot;

	if (!flow_slot(flow, &slot))
		return false;
	if (!slot.migrates) {
		if (flow->backend != hf_slot_base(slot.word))
			return false;
		if (hf_slot_base(slot.word) == hf_slot_owner(slot.word))
			return true;
	}
	if (elapsed(now, load32(slot.since)) >= (__s32)flow->idle)
		return false;
	if (forget && elapsed(flow->seen, load32(slot.since)) > 0)
		store32(slot.since, flow->seen);
	return !slot.migrates;
}

enum { FOR_EXCEPTION = 1, FORGET = 2 };

/*
 * How soon an entry with this tag may be given up, the lowest first. FOR_EXCEPTION: the new flow's next
 * packet would go elsewhere if it were not remembered. Such a flow may take the entry of one that needs none.
 * An established flow away from its base keeps its entry until it is over: without the entry it would lose
 * its backend, and the new flow would not. FORGET: it is given up now, if it may be.
 *
 * Out of line: the verifier looks at it once, not once for each entry of a set.
 */
__noinline __u64 flow_rank(__u32 place, __u64 tag, __u32 now, __u32 how)
{
	const struct hf_flow *flow = map_at(&flows, place);
	__u64 rank = RANK_NEVER;
	bool needless;
	__s32 silent;

	if (!flow || tag == HF_FLOW_CLAIMED)
		return rank << RANK_SHIFT;
	if (!tag)
		return 0;
	silent = elapsed(now, flow->seen);
	if (silent > (__s32)flow->idle)
		rank = RANK_FREE;
	else if (silent > HANDSHAKE && flow->state == HF_FLOW_OPENING)
		rank = RANK_OPENING;
	else if (silent > HANDSHAKE && flow->state == HF_FLOW_CLOSING)
		rank = RANK_CLOSING;
	if (rank == RANK_FREE || (rank == RANK_NEVER && !(how & FOR_EXCEPTION)))
		needless = false;
	else
		needless = flow_needless(flow, now, how & FORGET);
	if (rank == RANK_NEVER && needless)
		rank = RANK_BASE;
	return rank << RANK_SHIFT | (__u32)(LONGEST_SILENCE - silent);
}

/*
 * The place that a new flow may take in a set, or NO_PLACE. Of equal ones it is the first from a random place
 * on: in a flood all are equal, and each new flow would take the entry of the one before it.
 */
static __always_inline __u32 flowtable_victim(__u32 set, __u32 now, __u32 how)
{
	__u64 lowest = (__u64)RANK_NEVER << RANK_SHIFT;
	__u32 start = bpf_get_prandom_u32(), victim = NO_PLACE;

	for (__u32 way = 0; way < HF_FLOW_WAYS; way++) {
		__u32 place = set + ((start + way) & (HF_FLOW_WAYS - 1));
		const struct hf_flow *flow = map_at(&flows, place);
		__u64 rank;

		barrier_var(way);
		if (!flow)
			return NO_PLACE;
		rank = flow_rank(place, load64(&flow->tag), now, how);
		if (rank < lowest) {
			lowest = rank;
			victim = place;
		}
	}
	return victim;
}

static __always_inline void flow_event(enum hf_flow_event event)
{
	__u64 *count = map_at(&flow_events, event);

	if (count)
		(*count)++;
}

/*
 * Claims an entry that may still be given up, and returns its rank; RANK_NEVER: it is not to be had. What is
 * known of it counts from the claim on: before that, it may have shown a packet, or become another flow's.
 */
static __always_inline __u32 flow_take(__u32 place, struct hf_flow *flow, __u32 now, __u32 how)
{
	__u64 tag = load64(&flow->tag);
	__u32 rank;

	if (!flow_claim(flow, tag))
		return RANK_NEVER;
	rank = flow_rank(place, tag, now, how | FORGET) >> RANK_SHIFT;
	if (rank == RANK_NEVER)
		flow_publish(flow, tag);
	return rank;
}

/* A claimed entry is its flow's by the second tag, so that goes before anything else changes, and comes last
 * but for the first. */
static __always_inline void flow_write(struct hf_flow *flow, const struct flow_tag *tag,
				       const struct hf_flow *entry)
{
	__sync_lock_test_and_set(&flow->tag2, 0);
	flow->slot = entry->slot;
	flow->seen = entry->seen;
	flow->backend = entry->backend;
	flow->service = entry->service;
	flow->state = entry->state;
	flow->proto = entry->proto;
	flow->pool = entry->pool;
	flow->idle = entry->idle;
	__sync_lock_test_and_set(&flow->tag2, tag->tag2);
	flow_publish(flow, tag->tag);
}

static __always_inline void flow_entered(__u32 rank)
{
	flow_event(HF_FLOW_REMEMBERED);
	if (rank == RANK_OPENING)
		flow_event(HF_FLOW_EVICTED_OPENING);
	else if (rank == RANK_CLOSING)
		flow_event(HF_FLOW_EVICTED_CLOSING);
	else if (rank == RANK_BASE)
		flow_event(HF_FLOW_EVICTED_BASE);
}

/*
 * Two processors may enter one flow at once, each in a place of its own. So a processor that has entered a
 * flow looks through the set again. Of two entries the first in the set's order stays: the one that
 * flowtable_find() finds. Both name one backend, unless the slot's word changed between their packets. Then
 * the packet whose entry goes follows the entry that stays. Returns the backend.
 */
static __always_inline __u32 flowtable_unite(const struct flow_tag *tag, __u32 place, __u32 backend)
{
	bool before = true; /* the entry at `place` */

	for (__u32 way = 0; way < HF_FLOW_WAYS; way++) {
		struct hf_flow *flow = map_at(&flows, tag->set + way);
		bool own = tag->set + way == place;

		barrier_var(way);
		if (!flow)
			return backend;
		if (flow_is(flow, tag)) {
			if (before && !own) {
				backend = flow->backend;
				flow = map_at(&flows, place);
			}
			if (flow && !(before && own))
				__sync_val_compare_and_swap(&flow->tag, tag->tag, 0);
			if (before && !own)
				return backend;
		}
		before &= !own;
	}
	return backend;
}

/*
 * Claims a place for a flow that is not in the table: flowtable_enter() must follow. NO_PLACE: there is no
 * room. passive: asks only whether there is, and claims nothing.
 */
static __always_inline __u32 flowtable_claim(const struct flow_tag *tag, __u32 now, __u32 how, bool passive)
{
	for (__u32 attempt = 0; attempt < ENTER_ATTEMPTS; attempt++) {
		__u32 place = flowtable_victim(tag->set, now, how), rank;
		struct hf_flow *flow = map_at(&flows, place);

		barrier_var(attempt);
		if (!flow)
			return NO_PLACE;
		if (passive)
			return place;
		rank = flow_take(place, flow, now, how);
		if (rank == RANK_NEVER)
			continue;
		flow_entered(rank);
		return place;
	}
	return NO_PLACE;
}

/* Returns the backend that the flow is remembered with from now on. */
static __always_inline __u32 flowtable_enter(const struct flow_tag *tag, __u32 place,
					     const struct hf_flow *entry)
{
	struct hf_flow *flow = map_at(&flows, place);

	if (!flow)
		return entry->backend;
	flow_write(flow, tag, entry);
	return flowtable_unite(tag, place, entry->backend);
}

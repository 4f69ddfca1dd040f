/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The word of a slot, as it lies in the map slots: bits 0..15 owner, 16..31 base (backends; 0 none), 32..55
 * index of hops (0 none), 56..63 flags. These functions alone know where each of them lies.
 */
#pragma once

#include <holdfast/abi.h>
#include <stdbool.h>

enum {
	HF_SLOT_BASE_SHIFT = 16,
	HF_SLOT_HOPS_SHIFT = 32,
	HF_SLOT_HOPS_MASK = 0xffffff,
	HF_SLOT_FLAGS_SHIFT = 56,
};

/* The flags. */
enum { HF_SLOT_MOVING = 1 };

/* Owner and base as one number, to compare two words by; 0: the slot has neither. */
static inline __u32 hf_slot_backends(__u64 word)
{
	return word;
}

/* Who takes the slot's new flows, and all flows while it is settled: a backend's number, 0 none. */
static inline __u16 hf_slot_owner(__u64 word)
{
	return word;
}

/* Who has the old flows of a moving slot that are not remembered: a backend's number, 0 none. */
static inline __u16 hf_slot_base(__u64 word)
{
	return hf_slot_backends(word) >> HF_SLOT_BASE_SHIFT;
}

/* Index of hops, 0 none. */
static inline __u32 hf_slot_hops(__u64 word)
{
	return word >> HF_SLOT_HOPS_SHIFT & HF_SLOT_HOPS_MASK;
}

static inline __u8 hf_slot_flags(__u64 word)
{
	return word >> HF_SLOT_FLAGS_SHIFT;
}

static inline bool hf_slot_is_moving(__u64 word)
{
	return hf_slot_flags(word) & HF_SLOT_MOVING;
}

/* A word without hops. */
static inline __u64 hf_slot_word(__u16 owner, __u16 base, __u8 flags)
{
	return owner | (__u64)base << HF_SLOT_BASE_SHIFT | (__u64)flags << HF_SLOT_FLAGS_SHIFT;
}

/* The word with this index of hops instead of its own; 0: none. */
static inline __u64 hf_slot_with_hops(__u64 word, __u32 index)
{
	return (word & ~((__u64)HF_SLOT_HOPS_MASK << HF_SLOT_HOPS_SHIFT)) | (__u64)index
										    << HF_SLOT_HOPS_SHIFT;
}

/* Where a slot's time is. all: the entries of since, from the first one on. */
static inline __u32 *hf_slot_since(struct hf_since *all, __u32 slot)
{
	return &all[slot / 2].at[slot % 2];
}

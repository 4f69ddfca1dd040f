/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Moving slots: what becomes of a slot's word when its owner changes, and when it is settled again.
 *
 * A slot that changes owner while the old one lives is moving: new flows go to the owner and are remembered,
 * flows that are not remembered belong to the base. After the idle time every live old flow is remembered;
 * the slot is settled when none is away from its owner. Any number of changes may overlap: the base stays
 * what it was when the slot was last settled, or ripe.
 */
#pragma once

#include <holdfast/slot.h>
#include <stdbool.h>
#include <stdint.h>

/* A slot's word without its hops, and since when it moves (seconds of CLOCK_MONOTONIC). Backends by number, 0
 * none. */
struct slot {
	uint16_t owner, base;
	bool moving;
	uint32_t since;
};

static inline struct slot slot_read(uint64_t word, uint32_t since)
{
	return (struct slot){.owner = hf_slot_owner(word),
			     .base = hf_slot_base(word),
			     .moving = hf_slot_is_moving(word),
			     .since = since};
}

static inline uint64_t slot_word(struct slot slot)
{
	return hf_slot_word(slot.owner, slot.base, slot.moving ? HF_SLOT_MOVING : 0);
}

static inline struct slot slot_settled(uint16_t owner)
{
	return (struct slot){.owner = owner, .base = owner};
}

/* The slot after it was given to owner at now. lives: its owner so far still serves old flows. */
struct slot slot_give(struct slot slot, uint16_t owner, bool lives, uint32_t now);

/*
 * A ripe slot that is about to get another owner: what is not remembered lives at its owner by now, for the
 * data plane sends such flows there from the moment on at which the slot is ripe.
 */
struct slot slot_renew(struct slot slot, uint16_t base, uint32_t now);

/*
 * Whether a moving slot's unremembered old flows are all over or all where they belong: idle seconds have
 * passed, or its base serves nobody any more, or is its owner again. It settles then, if no remembered flow
 * is away.
 */
bool slot_is_ripe(struct slot slot, bool base_lives, uint32_t idle, uint32_t now);

/* SPDX-License-Identifier: Apache-2.0 */
#include "moves.h"

struct slot slot_give(struct slot slot, uint16_t owner, bool lives, uint32_t now)
{
	if (slot.owner == owner)
		return slot;
	if (slot.moving) {
		slot.owner = owner;
		return slot;
	}
	if (!slot.owner || !lives)
		return slot_settled(owner);
	return (struct slot){.owner = owner, .base = slot.owner, .moving = true, .since = now};
}

struct slot slot_renew(struct slot slot, uint16_t base, uint32_t now)
{
	slot.base = base;
	slot.since = now;
	return slot;
}

bool slot_is_ripe(struct slot slot, bool base_lives, uint32_t idle, uint32_t now)
{
	int64_t age = (int64_t)now - slot.since;

	return !base_lives || slot.base == slot.owner || age >= idle;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hash modulo the number of members: perfect balance, no state, and the scheme that nobody should use. From N
 * to N + 1 members a key stays only where its hash has one remainder for both, which is one key in N + 1: N
 * in N + 1 move.
 */
#include "bucket.h"

static uint16_t modulo_owner(const struct placement *placement, uint64_t hash)
{
	const struct buckets *buckets = placement->state;

	return buckets->members[hash % buckets->count];
}

/* Slots are numbers already. */
static int modulo_fill(struct placement *placement, struct refusal *refusal)
{
	(void)refusal;
	for (uint32_t slot = 0; slot < placement->slots; slot++)
		placement->owners[slot] = modulo_owner(placement, slot);
	return 0;
}

const struct scheme scheme_modulo = {
	.prepare = buckets_prepare,
	.fill = modulo_fill,
	.release = buckets_release,
	.owner = modulo_owner,
	.bytes = buckets_bytes,
};

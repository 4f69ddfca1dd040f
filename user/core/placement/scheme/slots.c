/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fixed hash slots, as in Redis Cluster: an operator says who has which, and nothing moves unasked. A key's
 * slot is CRC-16 modulo the table (16384 there); of a key with {…} only what stands between the first brace
 * and the next closing one is hashed, unless that is empty (Redis Cluster specification, "Hash tags").
 */
#include <errno.h>
#include <string.h>

#include "core/placement/table/digest.h"
#include "scheme.h"

static int slots_prepare(struct placement *placement, const struct placement *previous,
			 struct refusal *refusal)
{
	(void)previous;
	(void)refusal;
	placement->space = placement->slots;
	return 0;
}

static uint64_t slots_hash(const struct placement *placement, const void *key, size_t length)
{
	const char *open = memchr(key, '{', length), *close;

	if (open) {
		close = memchr(open + 1, '}', length - (size_t)(open + 1 - (const char *)key));
		if (close && close > open + 1) {
			key = open + 1;
			length = (size_t)(close - open - 1);
		}
	}
	return crc16(key, length) % placement->slots;
}

static uint16_t slots_owner(const struct placement *placement, uint64_t hash)
{
	return placement->owners[hash % placement->slots];
}

static int refuse_assigned(const struct slot_range *range, const char *why, uint32_t slots,
			   struct refusal *refusal)
{
	refuse(refusal, -EINVAL, "slots %u-%u of member %s %s", range->first, range->last, range->member,
	       why);
	refusal_where(refusal, "slots %u-%u", range->first, range->last);
	refusal_right(refusal, "ranges of slots 0 to %u that do not overlap, of members with weight",
		      slots - 1);
	return -EINVAL;
}

static int slots_assign(struct placement *placement, const struct slot_range *range, struct refusal *refusal)
{
	uint16_t member = placement_member_number(placement, range->member);

	if (member == PLACEMENT_NONE || !placement->members[member].weight)
		return refuse_assigned(range, "have no such owner", placement->slots, refusal);
	if (range->first > range->last || range->last >= placement->slots)
		return refuse_assigned(range, "are not in the table", placement->slots, refusal);
	for (uint32_t slot = range->first; slot <= range->last; slot++) {
		if (placement->owners[slot] != PLACEMENT_NONE)
			return refuse_assigned(range, "are partly assigned already", placement->slots,
					       refusal);
		placement->owners[slot] = member;
	}
	return 0;
}

/* Without an assignment: consecutive ranges by weight, in name order. */
static int slots_divide(struct placement *placement, struct refusal *refusal)
{
	int error = quota_share(placement, refusal);

	if (error)
		return error;
	for (size_t i = 0, slot = 0; i < placement->count; i++)
		for (uint32_t left = placement->members[i].quota; left > 0; left--)
			placement->owners[slot++] = (uint16_t)i;
	return 0;
}

static int slots_fill(struct placement *placement, struct refusal *refusal)
{
	const struct placement_options *options = &placement->options;
	int error = 0;

	if (!options->range_count)
		return slots_divide(placement, refusal);
	for (size_t i = 0; i < options->range_count && !error; i++)
		error = slots_assign(placement, &options->ranges[i], refusal);
	return error;
}

const struct scheme scheme_slots = {
	.prepare = slots_prepare,
	.fill = slots_fill,
	.hash = slots_hash,
	.owner = slots_owner,
	.holes = true,
};

/* SPDX-License-Identifier: Apache-2.0 */
#include "placement.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/placement/table/table.h"
#include "schemes.h"

/* How long a slot takes beside one of modulo, roughly: what build/bench-steps shows. */
static uint64_t slot_effort(const struct member_set *set)
{
	switch (set->scheme) {
	case PLACEMENT_RENDEZVOUS:
	case PLACEMENT_STABLE:
		return 8 + set->count;
	case PLACEMENT_RING:
	case PLACEMENT_KETAMA:
		return 24;
	default:
		return 8;
	}
}

bool placement_takes_long(const struct member_set *set)
{
	const uint64_t tens_of_milliseconds = 1 << 22;
	uint64_t weight = 0;

	for (size_t i = 0; i < set->count; i++)
		weight += set->members[i].weight;
	if (set->scheme == PLACEMENT_KETAMA)
		weight *= 16;
	if (set->scheme == PLACEMENT_RING && set->options && set->options->virtual_nodes)
		weight = weight * set->options->virtual_nodes / 100;
	return set->slots * slot_effort(set) + 8 * weight > tens_of_milliseconds;
}

static int set_check(const struct member_set *set, struct refusal *refusal)
{
	if (set->count > PLACEMENT_MAX_MEMBERS) {
		refuse(refusal, -EINVAL, "%zu members are too many", set->count);
		refusal_right(refusal, "at most %d members", PLACEMENT_MAX_MEMBERS);
		return -EINVAL;
	}
	return placement_check_slots(set->scheme, set->slots, refusal);
}

/* The member that no slot is left for, in name order. */
static int refuse_surplus(const struct placement *placement, struct refusal *refusal)
{
	size_t weighted = 0, i = 0;

	while (i < placement->count) {
		weighted += placement->members[i].weight > 0;
		if (weighted > placement->slots)
			break;
		i++;
	}
	refuse(refusal, -EINVAL, "%zu members with weight are more than %u slots: none is left for member %s",
	       placement->weighted, placement->slots, placement->members[i].name);
	refusal_where(refusal, "member %s", placement->members[i].name);
	refusal_right(refusal, "a table of at least %zu slots, or fewer members", placement->weighted);
	return -EINVAL;
}

/* Schemes that share by chance may leave a member without a slot: then it would never be asked for anything.
 */
static int owners_check(const struct placement *placement, struct refusal *refusal)
{
	bool *owning = calloc(placement->count + 1, sizeof *owning);
	size_t i = 0;

	if (!owning)
		return -ENOMEM;
	for (uint32_t slot = 0; slot < placement->slots; slot++)
		owning[placement->owners[slot]] = true;
	while (i < placement->count && (owning[i] || !placement->members[i].weight))
		i++;
	free(owning);
	if (i == placement->count)
		return 0;
	refuse(refusal, -EINVAL, "member %s of weight %u would earn no slot of %u under scheme %s",
	       placement->members[i].name, placement->members[i].weight, placement->slots,
	       placement_scheme_name(placement->scheme));
	refusal_where(refusal, "member %s", placement->members[i].name);
	refusal_right(refusal, "a larger weight, weight 0, a larger table, or scheme maglev");
	return -EINVAL;
}

static void owners_by_hash(struct placement *placement, const struct scheme *scheme)
{
	for (uint32_t slot = 0; slot < placement->slots; slot++)
		placement->owners[slot] = scheme->owner(placement, slot_hash(placement, slot));
}

static int owners_fill(struct placement *placement, struct refusal *refusal)
{
	const struct scheme *scheme = scheme_of(placement);
	bool keys_only = placement->options.keys_only;
	int error = 0;

	if (keys_only && scheme->prefer)
		return 0;
	placement->owners = malloc(placement->slots * sizeof *placement->owners);
	if (!placement->owners)
		return -ENOMEM;
	memset(placement->owners, 0xff, placement->slots * sizeof *placement->owners);
	if (!placement->weighted)
		return 0;
	if (placement->weighted > placement->slots)
		return refuse_surplus(placement, refusal);
	if (scheme->fill)
		error = scheme->fill(placement, refusal);
	else
		owners_by_hash(placement, scheme);
	if (error || scheme->quotas || scheme->holes || keys_only)
		return error;
	return owners_check(placement, refusal);
}

/* Fills an empty placement in; what was made before an error goes with it. */
static int placement_fill(struct placement *placement, const struct member_set *set,
			  const struct member **members, const struct placement *previous,
			  struct refusal *refusal)
{
	const struct scheme *scheme;
	int error;

	placement->scheme = set->scheme;
	scheme = scheme_of(placement);
	placement->slots = set->slots;
	placement->seed = set->seed;
	placement->count = set->count;
	if (set->options)
		placement->options = *set->options;
	placement->space = hash_space(&placement->options);
	error = members_order(set, members, refusal);
	if (!error)
		error = members_copy(placement, members);
	if (!error && placement->weighted && scheme->prepare)
		error = scheme->prepare(placement, previous, refusal);
	if (!error)
		error = owners_fill(placement, refusal);
	placement->options.positions = NULL;
	placement->ranged = placement->options.ranges != NULL;
	placement->options.ranges = NULL;
	return error;
}

int placement_rebuild(const struct placement *previous, const struct member_set *set, struct placement **ret,
		      struct refusal *refusal)
{
	const struct member **members = NULL;
	struct placement *placement = NULL;
	int error = set_check(set, refusal);

	if (error)
		return error;
	error = -ENOMEM;
	members = malloc((set->count + 1) * sizeof *members);
	placement = calloc(1, sizeof *placement);
	if (members && placement)
		error = placement_fill(placement, set, members, previous, refusal);
	free(members);
	if (error)
		placement_free(placement);
	else
		*ret = placement;
	return error;
}

int placement_build(const struct member_set *set, struct placement **ret, struct refusal *refusal)
{
	return placement_rebuild(NULL, set, ret, refusal);
}

struct placement *placement_share(struct placement *placement)
{
	placement->sharers++;
	return placement;
}

void placement_free(struct placement *placement)
{
	if (!placement || placement->sharers--)
		return;
	if (scheme_of(placement)->release)
		scheme_of(placement)->release(placement);
	free(placement->members);
	free(placement->names);
	free(placement->zone_sizes);
	free(placement->owners);
	free(placement->preferences);
	free(placement);
}

uint32_t placement_slots(const struct placement *placement)
{
	return placement->slots;
}

const uint16_t *placement_owners(const struct placement *placement)
{
	return placement->owners;
}

size_t placement_bytes(const struct placement *placement)
{
	const struct scheme *scheme = scheme_of(placement);

	if (scheme->bytes)
		return placement->weighted ? scheme->bytes(placement) : 0;
	return placement->slots * sizeof *placement->owners;
}

uint64_t placement_space(const struct placement *placement)
{
	return placement->space;
}

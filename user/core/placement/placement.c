/* SPDX-License-Identifier: Apache-2.0 */
#include "placement.h"

#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/placement/table/key.h"
#include "core/placement/table/member.h"
#include "core/placement/scheme/tokens.h"
#include "core/placement/scheme/scheme.h"

static const char *const scheme_names[PLACEMENT_SCHEMES] = {
	[PLACEMENT_MAGLEV] = "maglev", [PLACEMENT_STABLE] = "stable", [PLACEMENT_RENDEZVOUS] = "rendezvous",
	[PLACEMENT_RING] = "ring",     [PLACEMENT_KETAMA] = "ketama", [PLACEMENT_JUMP] = "jump",
	[PLACEMENT_MODULO] = "modulo", [PLACEMENT_SLOTS] = "slots",
};

static const struct scheme *const schemes[PLACEMENT_SCHEMES] = {
	[PLACEMENT_MAGLEV] = &scheme_maglev,         [PLACEMENT_STABLE] = &scheme_stable,
	[PLACEMENT_RENDEZVOUS] = &scheme_rendezvous, [PLACEMENT_RING] = &scheme_ring,
	[PLACEMENT_KETAMA] = &scheme_ketama,         [PLACEMENT_JUMP] = &scheme_jump,
	[PLACEMENT_MODULO] = &scheme_modulo,         [PLACEMENT_SLOTS] = &scheme_slots,
};

int placement_check_slots(enum placement_scheme scheme, uint32_t slots, struct refusal *refusal)
{
	if ((unsigned int)scheme >= PLACEMENT_SCHEMES) {
		refuse(refusal, -EINVAL, "scheme number %d is unknown", (int)scheme);
		return -EINVAL;
	}
	if (slots < PLACEMENT_MIN_SLOTS || slots > PLACEMENT_MAX_SLOTS) {
		refuse(refusal, -EINVAL, "table size %u is out of range", slots);
		refusal_right(refusal, "a size from %d to %d", PLACEMENT_MIN_SLOTS, PLACEMENT_MAX_SLOTS);
		return -EINVAL;
	}
	return schemes[scheme]->check_slots ? schemes[scheme]->check_slots(slots, refusal) : 0;
}

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
	       scheme_names[placement->scheme]);
	refusal_where(refusal, "member %s", placement->members[i].name);
	refusal_right(refusal, "a larger weight, weight 0, a larger table, or scheme maglev");
	return -EINVAL;
}

static int owners_fill(struct placement *placement, struct refusal *refusal)
{
	const struct scheme *scheme = schemes[placement->scheme];
	bool keys_only = placement->options.keys_only;
	int error;

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
	error = scheme->fill(placement, refusal);
	if (error || scheme->quotas || scheme->holes || keys_only)
		return error;
	return owners_check(placement, refusal);
}

int fill_by_owner(struct placement *placement, struct refusal *refusal)
{
	(void)refusal;
	for (uint32_t slot = 0; slot < placement->slots; slot++)
		placement->owners[slot] =
			schemes[placement->scheme]->owner(placement, slot_hash(placement, slot));
	return 0;
}

/* Fills an empty placement in; what was made before an error goes with it. */
static int placement_fill(struct placement *placement, const struct member_set *set,
			  const struct member **members, const struct placement *previous,
			  struct refusal *refusal)
{
	const struct scheme *scheme = schemes[set->scheme];
	int error;

	placement->scheme = set->scheme;
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
	if (schemes[placement->scheme]->release)
		schemes[placement->scheme]->release(placement);
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

size_t placement_members(const struct placement *placement)
{
	return placement->count;
}

const char *placement_member_name(const struct placement *placement, uint16_t member)
{
	return member < placement->count ? placement->members[member].name : NULL;
}

uint16_t placement_member_number(const struct placement *placement, const char *name)
{
	size_t from = 0, to = placement->count;

	while (from < to) {
		size_t middle = from + (to - from) / 2;
		int order = strcmp(name, placement->members[middle].name);

		if (!order)
			return (uint16_t)middle;
		if (order < 0)
			to = middle;
		else
			from = middle + 1;
	}
	return PLACEMENT_NONE;
}

const uint16_t *placement_owners(const struct placement *placement)
{
	return placement->owners;
}

/* What a slot, or a key with this hash, prefers, after `owner`, or by the scheme's own order. */
static size_t preference_list(const struct placement *placement, uint32_t slot, uint64_t hash, uint16_t owner,
			      uint16_t *ret_members, size_t max)
{
	const struct scheme *scheme = schemes[placement->scheme];

	return scheme->prefer ? scheme->prefer(placement, hash, ret_members, max)
			      : walk_prefer(placement, slot, owner, ret_members, max);
}

size_t placement_walk(const struct placement *placement, uint32_t slot, uint16_t *ret_members, size_t max)
{
	if (slot >= placement->slots || !placement->weighted || !placement->owners)
		return 0;
	return preference_list(placement, slot, slot_hash(placement, slot), placement->owners[slot],
			       ret_members, max);
}

void placement_visit(const struct placement *placement, uint32_t slot,
		     const struct placement_visitor *visitor)
{
	const struct scheme *scheme = schemes[placement->scheme];

	if (slot >= placement->slots || !placement->weighted || !placement->owners)
		return;
	if (scheme->visit)
		scheme->visit(placement, slot_hash(placement, slot), visitor);
	else
		walk_visit(placement, slot, placement->owners[slot], visitor);
}

uint64_t placement_key_hash(const struct placement *placement, const void *key, size_t length)
{
	const struct scheme *scheme = schemes[placement->scheme];

	return scheme->hash ? scheme->hash(placement, key, length) : key_hash(placement, key, length);
}

uint32_t placement_key_slot(const struct placement *placement, const void *key, size_t length)
{
	return hash_slot(placement, placement_key_hash(placement, key, length));
}

static uint16_t hash_owner(const struct placement *placement, uint64_t hash)
{
	const struct scheme *scheme = schemes[placement->scheme];

	return scheme->owner ? scheme->owner(placement, hash) : placement->owners[hash_slot(placement, hash)];
}

uint16_t placement_lookup(const struct placement *placement, const void *key, size_t length)
{
	if (!placement->weighted)
		return PLACEMENT_NONE;
	return hash_owner(placement, placement_key_hash(placement, key, length));
}

size_t placement_lookup_list(const struct placement *placement, const void *key, size_t length,
			     uint16_t *ret_members, size_t max)
{
	uint64_t hash;

	if (!placement->weighted)
		return 0;
	hash = placement_key_hash(placement, key, length);
	return preference_list(placement, hash_slot(placement, hash), hash, hash_owner(placement, hash),
			       ret_members, max);
}

size_t placement_bytes(const struct placement *placement)
{
	const struct scheme *scheme = schemes[placement->scheme];

	if (scheme->bytes)
		return placement->weighted ? scheme->bytes(placement) : 0;
	return placement->slots * sizeof *placement->owners;
}

uint64_t placement_space(const struct placement *placement)
{
	return placement->space;
}

bool placement_token(const struct placement *placement, size_t number, uint64_t *ret_position,
		     uint16_t *ret_member)
{
	const struct ring *ring = placement->state;

	if ((placement->scheme != PLACEMENT_RING && placement->scheme != PLACEMENT_KETAMA) || !ring ||
	    number >= ring->count)
		return false;
	*ret_position = ring->tokens[number].position;
	*ret_member = ring->tokens[number].member;
	return true;
}

void placement_forget_preferences(struct placement *placement)
{
	free(placement->preferences);
	placement->preferences = NULL;
}

const uint16_t *placement_preferences(struct placement *placement)
{
	size_t cells = (size_t)placement->slots * PLACEMENT_STORED_PREFERENCES;
	const struct scheme *scheme = schemes[placement->scheme];
	uint16_t *preferences = placement->preferences;

	if (preferences || !placement->owners)
		return preferences;
	preferences = malloc(cells * sizeof *preferences);
	if (!preferences)
		return NULL;
	memset(preferences, 0xff, cells * sizeof *preferences);
	if (placement->weighted && !scheme->prefer)
		walk_fill(placement, scheme->holes, preferences);
	else
		for (uint32_t slot = 0; slot < placement->slots; slot++)
			placement_walk(placement, slot,
				       preferences + (size_t)slot * PLACEMENT_STORED_PREFERENCES,
				       PLACEMENT_STORED_PREFERENCES);
	placement->preferences = preferences;
	return preferences;
}

/* Names, not numbers, and little-endian: the digest says what the table means, on any host. */
uint64_t placement_digest(struct placement *placement)
{
	const uint16_t *preferences = placement_preferences(placement);
	uint64_t head[3] = {htole64(placement->scheme), htole64(placement->slots), htole64(placement->seed)};
	XXH64_state_t state;

	if (!preferences)
		return 0;
	XXH64_reset(&state, 0);
	XXH64_update(&state, head, sizeof head);
	for (uint32_t slot = 0; slot < placement->slots; slot++) {
		uint64_t names[PLACEMENT_STORED_PREFERENCES];

		for (int rank = 0; rank < PLACEMENT_STORED_PREFERENCES; rank++) {
			uint16_t member = *preferences++;

			names[rank] = member == PLACEMENT_NONE ? 0 : htole64(placement->members[member].hash);
		}
		XXH64_update(&state, names, sizeof names);
	}
	return XXH64_digest(&state);
}

const char *placement_scheme_name(enum placement_scheme scheme)
{
	return (unsigned int)scheme < PLACEMENT_SCHEMES ? scheme_names[scheme] : "unknown";
}

int placement_scheme_parse(const char *word, enum placement_scheme *ret)
{
	for (int scheme = 0; scheme < PLACEMENT_SCHEMES; scheme++)
		if (!strcmp(word, scheme_names[scheme])) {
			*ret = (enum placement_scheme)scheme;
			return 0;
		}
	return -EINVAL;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Whom a slot prefers, and whom a key: by the scheme's own order, or on the walk over the table. */
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "core/placement/table/table.h"
#include "core/placement/table/walk.h"
#include "schemes.h"

/* What a slot, or a key with this hash, prefers, after `owner`, or by the scheme's own order. */
static size_t preference_list(const struct placement *placement, uint32_t slot, uint64_t hash, uint16_t owner,
			      uint16_t *ret_members, size_t max)
{
	const struct scheme *scheme = scheme_of(placement);

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
	const struct scheme *scheme = scheme_of(placement);

	if (slot >= placement->slots || !placement->weighted || !placement->owners)
		return;
	if (scheme->visit)
		scheme->visit(placement, slot_hash(placement, slot), visitor);
	else
		walk_visit(placement, slot, placement->owners[slot], visitor);
}

uint64_t placement_key_hash(const struct placement *placement, const void *key, size_t length)
{
	const struct scheme *scheme = scheme_of(placement);

	return scheme->hash ? scheme->hash(placement, key, length) : key_hash(placement, key, length);
}

uint32_t placement_key_slot(const struct placement *placement, const void *key, size_t length)
{
	return hash_slot(placement, placement_key_hash(placement, key, length));
}

static uint16_t hash_owner(const struct placement *placement, uint64_t hash)
{
	const struct scheme *scheme = scheme_of(placement);

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

void placement_forget_preferences(struct placement *placement)
{
	free(placement->preferences);
	placement->preferences = NULL;
}

const uint16_t *placement_preferences(struct placement *placement)
{
	size_t cells = (size_t)placement->slots * PLACEMENT_STORED_PREFERENCES;
	const struct scheme *scheme = scheme_of(placement);
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

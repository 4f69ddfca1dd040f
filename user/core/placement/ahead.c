/* SPDX-License-Identifier: Apache-2.0 */
#include "ahead.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

struct computed {
	XXH128_hash_t set; /* of the member set and its options */
	struct placement *placement;
	int error;
	struct refusal refusal;
};

struct ahead {
	struct computed *computed;
	size_t count;
	bool computing;
};

struct ahead *ahead_new(void)
{
	return calloc(1, sizeof(struct ahead));
}

void ahead_free(struct ahead *ahead)
{
	if (!ahead)
		return;
	for (size_t i = 0; i < ahead->count; i++)
		placement_free(ahead->computed[i].placement);
	free(ahead->computed);
	free(ahead);
}

void ahead_compute_missing(struct ahead *ahead, bool compute)
{
	ahead->computing = compute;
}

static XXH128_hash_t set_hash(const struct member_set *set, uint64_t options)
{
	const uint64_t head[] = {set->scheme, set->slots, set->seed, set->count, options};
	XXH3_state_t state;

	XXH3_128bits_reset(&state);
	XXH3_128bits_update(&state, head, sizeof head);
	for (size_t i = 0; i < set->count; i++) {
		const struct member *member = &set->members[i];

		XXH3_128bits_update(&state, &member->weight, sizeof member->weight);
		XXH3_128bits_update(&state, member->name, strlen(member->name) + 1);
		XXH3_128bits_update(&state, member->zone, strlen(member->zone) + 1);
	}
	return XXH3_128bits_digest(&state);
}

static struct computed *computed_find(const struct ahead *ahead, XXH128_hash_t set)
{
	for (size_t i = 0; i < ahead->count; i++)
		if (XXH128_isEqual(ahead->computed[i].set, set))
			return &ahead->computed[i];
	return NULL;
}

static struct computed *computed_add(struct ahead *ahead, const struct member_set *set, XXH128_hash_t hash)
{
	struct computed *grown = realloc(ahead->computed, (ahead->count + 1) * sizeof *grown), *last;

	if (!grown)
		return NULL;
	ahead->computed = grown;
	last = &grown[ahead->count++];
	*last = (struct computed){.set = hash};
	last->error = placement_build(set, &last->placement, &last->refusal);
	/* Preferences are the longer half. */
	if (!last->error && !placement_preferences(last->placement))
		last->error = -ENOMEM;
	return last;
}

int ahead_placement(struct ahead *ahead, const struct member_set *set, uint64_t options,
		    struct placement **ret, struct refusal *refusal)
{
	struct computed *found;
	XXH128_hash_t hash;

	if (!ahead || !placement_takes_long(set))
		return -ENOENT;
	hash = set_hash(set, options);
	found = computed_find(ahead, hash);
	if (!found && !ahead->computing)
		return -EAGAIN;
	if (!found)
		found = computed_add(ahead, set, hash);
	if (!found)
		return -ENOMEM;
	if (found->error) {
		if (refusal)
			*refusal = found->refusal;
		return found->error;
	}
	*ret = placement_share(found->placement);
	return 0;
}

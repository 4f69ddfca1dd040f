/* SPDX-License-Identifier: Apache-2.0 */
/* Placements, shared between the images of generations whose member sets are equal. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "image_pool.h"

struct shared_placement {
	unsigned int references;
	struct placement *placement;
	uint64_t digest;
	struct member_set set; /* members and their texts are the holder's own */
	char *texts;
};

struct placement *shared_placement_placement(const struct shared_placement *shared)
{
	return shared->placement;
}

uint64_t shared_placement_digest(const struct shared_placement *shared)
{
	return shared->digest;
}

void shared_placement_drop(struct shared_placement *shared)
{
	if (!shared || --shared->references)
		return;
	placement_free(shared->placement);
	free((void *)shared->set.members);
	free(shared->texts);
	free(shared);
}

static bool same_set(const struct member_set *set, const struct model *model, const struct pool *pool)
{
	if (set->scheme != pool->scheme || set->slots != pool->slots || set->seed != pool_seed(model, pool) ||
	    set->count != pool->backend_count)
		return false;
	for (size_t i = 0; i < set->count; i++) {
		const struct member *member = &set->members[i];
		const struct backend *backend = &pool->backends[i];

		if (member->weight != backend->weight || strcmp(member->name, backend->name) != 0 ||
		    strcmp(member->zone, backend->zone) != 0)
			return false;
	}
	return true;
}

/* The set outlives the model, so it keeps its own names. */
static int copy_set(struct shared_placement *shared, const struct model *model, const struct pool *pool)
{
	struct member *members = calloc(pool->backend_count + 1, sizeof *members);
	char *text = malloc(2 * NAME_SIZE * pool->backend_count + 1);

	shared->set = (struct member_set){.scheme = pool->scheme,
					  .slots = pool->slots,
					  .seed = pool_seed(model, pool),
					  .members = members,
					  .count = pool->backend_count};
	shared->texts = text;
	if (!members || !text)
		return -ENOMEM;
	for (size_t i = 0; i < pool->backend_count; i++) {
		members[i].weight = pool->backends[i].weight;
		members[i].name = text;
		text = stpcpy(text, pool->backends[i].name) + 1;
		members[i].zone = text;
		text = stpcpy(text, pool->backends[i].zone) + 1;
	}
	return 0;
}

int shared_placement_get(const struct model *model, const struct pool *pool, const struct pool_image *before,
			 struct shared_placement **ret, struct refusal *refusal)
{
	struct shared_placement *shared;
	int error;

	if (before && before->shared_placement && same_set(&before->shared_placement->set, model, pool)) {
		before->shared_placement->references++;
		*ret = before->shared_placement;
		return 0;
	}
	shared = calloc(1, sizeof *shared);
	if (!shared)
		return -ENOMEM;
	shared->references = 1;
	error = copy_set(shared, model, pool);
	if (error == 0)
		error = placement_rebuild(before ? before->placement : NULL, &shared->set, &shared->placement,
					  refusal);
	if (error == 0) {
		shared->digest = placement_digest(shared->placement);
		error = shared->digest ? 0 : -ENOMEM;
	}
	if (error < 0) {
		shared_placement_drop(shared);
		return error;
	}
	*ret = shared;
	return 0;
}

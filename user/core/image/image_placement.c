/* SPDX-License-Identifier: Apache-2.0 */
/* Placements, shared between the images of generations whose member sets are equal. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/pool_placement.h"
#include "image_pool.h"
#include "core/model/pool_options.h"

struct shared_placement {
	unsigned int references;
	struct placement *placement;
	uint64_t digest;
	struct member_set set; /* members and their texts are the holder's own */
	struct pool_options options;
	char *texts;
	uint16_t *walks;
};

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
	pool_options_release(&shared->options);
	free(shared->texts);
	free(shared->walks);
	free(shared);
}

static bool set_is_of(const struct shared_placement *shared, const struct model *model,
		      const struct pool *pool)
{
	const struct member_set *set = &shared->set;

	if (!pool_options_equal(&shared->options, &pool->options) || set->scheme != pool->scheme ||
	    set->slots != pool->slots || set->seed != pool_seed(model, pool) ||
	    set->count != pool_members(pool))
		return false;
	for (size_t i = 0; i < set->count; i++) {
		const struct member *member = &set->members[i];
		const struct backend *backend = &pool->backends[i];

		if (member->weight != placed_weight(backend) || strcmp(member->name, backend->name) != 0 ||
		    strcmp(member->zone, backend->zone) != 0)
			return false;
	}
	return true;
}

/* The set outlives the model, so it keeps its own names. */
static int set_copy(struct shared_placement *shared, const struct model *model, const struct pool *pool)
{
	size_t count = pool_members(pool);
	struct member *members = calloc(count + 1, sizeof *members);
	char *text = malloc(2 * NAME_SIZE * count + 1);

	shared->set = (struct member_set){.scheme = pool->scheme,
					  .slots = pool->slots,
					  .seed = pool_seed(model, pool),
					  .members = members,
					  .count = count};
	shared->texts = text;
	if (!members || !text || pool_options_copy(&shared->options, &pool->options) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		members[i].weight = placed_weight(&pool->backends[i]);
		members[i].name = text;
		text = stpcpy(text, pool->backends[i].name) + 1;
		members[i].zone = text;
		text = stpcpy(text, pool->backends[i].zone) + 1;
	}
	return 0;
}

static int shared_placement_make(const struct pool_job *job, struct shared_placement **ret,
				 struct refusal *refusal)
{
	struct shared_placement *shared = calloc(1, sizeof *shared);
	int error;

	if (!shared)
		return -ENOMEM;
	shared->references = 1;
	error = set_copy(shared, job->model, job->pool);
	if (error == 0)
		error = pool_placement(job->model, job->pool, job->before ? job->before->placement : NULL,
				       &shared->placement, refusal);
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

int shared_placement_get(const struct pool_job *job, struct pool_image *image, struct refusal *refusal)
{
	struct shared_placement *shared = job->before ? job->before->shared_placement : NULL;
	int error;

	if (shared && set_is_of(shared, job->model, job->pool)) {
		shared->references++;
	} else {
		error = shared_placement_make(job, &shared, refusal);
		if (error < 0)
			return error;
	}
	image->shared_placement = shared;
	image->placement = shared->placement;
	return 0;
}

const uint16_t *shared_placement_walks(struct shared_placement *shared)
{
	uint32_t slots = placement_slots(shared->placement);
	size_t bytes = (size_t)slots * WALK_DEPTH * sizeof *shared->walks;

	if (shared->walks)
		return shared->walks;
	shared->walks = malloc(bytes);
	if (!shared->walks)
		return NULL;
	memset(shared->walks, 0xff, bytes);
	for (uint32_t slot = 0; slot < slots; slot++)
		placement_walk(shared->placement, slot, shared->walks + (size_t)slot * WALK_DEPTH,
			       WALK_DEPTH);
	return shared->walks;
}

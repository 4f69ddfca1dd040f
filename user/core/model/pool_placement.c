/* SPDX-License-Identifier: Apache-2.0 */
#include "pool_placement.h"

#include <errno.h>
#include <stdlib.h>

#include "core/placement/ahead.h"
#include "core/value/slot_range.h"
#include "history.h"
#include "pool_options.h"

/* Builds the placement of set with the options, unless it was computed ahead. */
static int placement_of_set(struct ahead *ahead, struct member_set *set, const struct pool_options *options,
			    const struct placement *previous, struct placement **ret, struct refusal *refusal)
{
	struct placement_options given = {.hash = options->ring_hash,
					  .virtual_nodes = options->virtual_nodes,
					  .after = options->ring_owner == RING_AFTER,
					  .ketama = options->ketama,
					  .tolerance = options->tolerance};
	struct slot_range *ranges = NULL;
	int error = 0;

	if (options->ranges && set->scheme == PLACEMENT_SLOTS)
		error = slot_ranges_parse(options->ranges, &ranges, &given.range_count);
	given.ranges = ranges;
	set->options = &given;
	/* -ENOENT: it is not one of those. */
	if (error == 0)
		error = ahead_placement(ahead, set, pool_options_digest(options), ret, refusal);
	if (error == -ENOENT)
		error = placement_rebuild(previous, set, ret, refusal);
	free(ranges);
	return error;
}

int pool_placement(const struct model *model, const struct pool *pool, const struct placement *previous,
		   struct placement **ret, struct refusal *refusal)
{
	size_t count = pool_members(pool);
	struct member *members = calloc(count + 1, sizeof *members);
	struct member_set set = {.scheme = pool->scheme,
				 .slots = pool->slots,
				 .seed = pool_seed(model, pool),
				 .members = members,
				 .count = count};
	int error;

	if (!members)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		members[i] = (struct member){pool->backends[i].name, pool->backends[i].zone,
					     placed_weight(&pool->backends[i])};
	error = placement_of_set(model->ahead, &set, &pool->options, previous, ret, refusal);
	free(members);
	return error;
}

int record_placement(const struct member_record *record, struct placement **ret, struct refusal *refusal)
{
	struct member_set set = {.scheme = record->scheme, .slots = record->slots, .seed = record->seed};
	struct member *members;
	int error = members_parse(record->members, &members, &set.count);

	if (error < 0)
		return error;
	set.members = members;
	error = placement_of_set(NULL, &set, &record->options, NULL, ret, refusal);
	free(members);
	return error;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "hot.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double busiest_over_mean(const double *loads, size_t members, uint64_t total)
{
	double most = 0;

	for (size_t i = 0; i < members; i++)
		most = fmax(most, loads[i]);
	return most * (double)members / (double)total;
}

static bool load_keys(const struct placement *placement, const struct key_count *keys, size_t count,
		      double *loads, struct heat *heat)
{
	for (size_t i = 0; i < count; i++) {
		uint16_t owner = placement_lookup(placement, keys[i].key, strlen(keys[i].key));

		if (owner == PLACEMENT_NONE)
			return false;
		loads[owner] += (double)keys[i].count;
		heat->total += keys[i].count;
		if (keys[i].count > keys[heat->hottest].count)
			heat->hottest = i;
	}
	return heat->total > 0;
}

/* Moves the hottest key's load to where its shards live. */
static void split_hottest(const struct placement *placement, const struct key_count *hottest, size_t shards,
			  double *loads, struct heat *heat)
{
	bool *reached = calloc(placement_members(placement), sizeof *reached);
	size_t room = strlen(hottest->key) + 24;
	char *name = malloc(room);

	loads[placement_lookup(placement, hottest->key, strlen(hottest->key))] -= (double)hottest->count;
	for (size_t shard = 0; shard < shards && reached && name; shard++) {
		size_t length = (size_t)snprintf(name, room, "%s#%zu", hottest->key, shard);
		uint16_t owner = placement_lookup(placement, name, length);

		loads[owner] += (double)hottest->count / (double)shards;
		heat->reached += !reached[owner];
		reached[owner] = true;
	}
	free(reached);
	free(name);
}

int heat_measure(const struct placement *placement, const struct key_count *keys, size_t count, size_t shards,
		 double factor, struct heat *ret)
{
	size_t members = placement_members(placement);
	struct heat heat = {.shards = shards};
	double *loads = calloc(members + 1, sizeof *loads);

	if (!loads)
		return -ENOMEM;
	if (!count || !load_keys(placement, keys, count, loads, &heat)) {
		free(loads);
		return -EINVAL;
	}
	heat.share = (double)keys[heat.hottest].count / (double)heat.total;
	heat.now = busiest_over_mean(loads, members, heat.total);
	heat.best = fmax(1, heat.share * (double)members);
	split_hottest(placement, &keys[heat.hottest], shards, loads, &heat);
	heat.split = busiest_over_mean(loads, members, heat.total);
	heat.bounded = fmin(heat.now, factor);
	free(loads);
	*ret = heat;
	return 0;
}

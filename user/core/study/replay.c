/* SPDX-License-Identifier: Apache-2.0 */
#include "replay.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/placement/table/score.h"

enum { CELLS_MAX = 1 << 26, NOBODY = 0xffffffff };

/* One cache: its keys as a list from the most recently asked for to the least. */
struct cache {
	uint32_t *newer, *older; /* by key; newer[key] == key: not here */
	uint32_t newest, oldest, count;
};

struct run {
	const struct replay *replay;
	struct cache *caches;
	size_t cache_count;
	uint32_t *links;
	double *popularity;       /* cumulative */
	uint16_t *before, *after; /* the cache that each key is asked of */
	uint64_t dice;
};

static void cache_unlink(struct cache *cache, uint32_t key)
{
	uint32_t newer = cache->newer[key], older = cache->older[key];

	if (newer == NOBODY)
		cache->newest = older;
	else
		cache->older[newer] = older;
	if (older == NOBODY)
		cache->oldest = newer;
	else
		cache->newer[older] = newer;
	cache->newer[key] = key;
	cache->count--;
}

static bool cache_has(const struct cache *cache, uint32_t key)
{
	return cache->newer[key] != key;
}

static void cache_touch(struct cache *cache, uint32_t key, uint32_t room)
{
	if (cache_has(cache, key))
		cache_unlink(cache, key);
	else if (room && cache->count == room)
		cache_unlink(cache, cache->oldest);
	cache->newer[key] = NOBODY;
	cache->older[key] = cache->newest;
	if (cache->newest != NOBODY)
		cache->newer[cache->newest] = key;
	else
		cache->oldest = key;
	cache->newest = key;
	cache->count++;
}

/* Before's members have the first caches, those that are new in after the following. */
static int run_owners(struct run *run)
{
	const struct placement *before = run->replay->before, *after = run->replay->after;
	size_t members = placement_members(before);
	uint16_t *numbers = malloc((placement_members(after) + 1) * sizeof *numbers);

	run->cache_count = members;
	for (size_t i = 0; numbers && i < placement_members(after); i++) {
		numbers[i] = placement_member_number(before, placement_member_name(after, (uint16_t)i));
		if (numbers[i] == PLACEMENT_NONE)
			numbers[i] = (uint16_t)run->cache_count++;
	}
	run->before = malloc(run->replay->keys * sizeof *run->before);
	run->after = malloc(run->replay->keys * sizeof *run->after);
	if (!numbers || !run->before || !run->after) {
		free(numbers);
		return -ENOMEM;
	}
	for (uint32_t key = 0; key < run->replay->keys; key++) {
		char text[24];
		size_t length = (size_t)snprintf(text, sizeof text, "key%u", key);
		uint16_t owner = placement_lookup(after, text, length);

		run->before[key] = placement_lookup(before, text, length);
		run->after[key] = owner == PLACEMENT_NONE ? owner : numbers[owner];
	}
	free(numbers);
	return 0;
}

static int run_caches(struct run *run)
{
	uint32_t keys = run->replay->keys;

	run->caches = calloc(run->cache_count, sizeof *run->caches);
	run->links = malloc(2 * run->cache_count * keys * sizeof *run->links);
	if (!run->caches || !run->links)
		return -ENOMEM;
	for (size_t i = 0; i < run->cache_count; i++) {
		run->caches[i] = (struct cache){.newer = run->links + 2 * i * keys,
						.older = run->links + (2 * i + 1) * keys,
						.newest = NOBODY,
						.oldest = NOBODY};
		for (uint32_t key = 0; key < keys; key++)
			run->caches[i].newer[key] = key;
	}
	return 0;
}

static int run_popularity(struct run *run)
{
	double sum = 0;

	run->popularity = malloc(run->replay->keys * sizeof *run->popularity);
	if (!run->popularity)
		return -ENOMEM;
	for (uint32_t key = 0; key < run->replay->keys; key++)
		run->popularity[key] = sum += pow(key + 1.0, -run->replay->skew);
	return 0;
}

static uint32_t run_draw(struct run *run)
{
	uint32_t from = 0, to = run->replay->keys - 1;
	double at;

	run->dice += 0x9e3779b97f4a7c15ULL;
	at = (double)(score_mix(run->dice) >> 11) / 9007199254740992.0 * run->popularity[to];
	while (from < to) {
		uint32_t middle = from + (to - from) / 2;

		if (run->popularity[middle] > at)
			to = middle;
		else
			from = middle + 1;
	}
	return from;
}

/* One request; whether a cache answered it. */
static bool run_ask(struct run *run, uint32_t key, bool changed)
{
	const struct replay *replay = run->replay;
	uint16_t owner = changed ? run->after[key] : run->before[key];
	struct cache *cache;
	bool hit;

	if (owner == PLACEMENT_NONE)
		return false;
	cache = &run->caches[owner];
	hit = cache_has(cache, key) || (changed && replay->warm && run->before[key] != PLACEMENT_NONE &&
					cache_has(&run->caches[run->before[key]], key));
	cache_touch(cache, key, replay->room);
	return hit;
}

int replay_run(const struct replay *replay, double *ret_rates, struct refusal *refusal)
{
	size_t most = placement_members(replay->before) + placement_members(replay->after);
	struct run run = {.replay = replay, .dice = replay->seed};
	int error;

	if (!replay->keys || !replay->requests || !most || most * replay->keys > CELLS_MAX) {
		refuse(refusal, -EINVAL, "%zu caches and %u keys cannot be replayed", most, replay->keys);
		refusal_right(refusal, "at least one of each, and %d or fewer keys times caches", CELLS_MAX);
		return -EINVAL;
	}
	error = run_owners(&run);
	if (!error)
		error = run_caches(&run);
	if (!error)
		error = run_popularity(&run);
	for (uint32_t step = 0; step < replay->steps && !error; step++) {
		uint32_t hits = 0;

		for (uint32_t request = 0; request < replay->requests; request++)
			hits += run_ask(&run, run_draw(&run), step >= replay->change_at);
		ret_rates[step] = (double)hits / replay->requests;
	}
	free(run.caches);
	free(run.links);
	free(run.popularity);
	free(run.before);
	free(run.after);
	return error;
}

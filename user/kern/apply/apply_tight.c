// SPDX-License-Identifier: Apache-2.0
/*
 * Plans where room is short. The tables are put in force one after the other, and may have to be moved before
 * and after (room.h). Each takes a grace period or two. The plan is tried on a copy of what is in use first,
 * so that a plan that is refused has changed nothing.
 */
#include "apply_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Places ------------------------------------------------------------------------------ */

static struct place pool_place(const struct dataplane *dataplane, uint32_t pool)
{
	const struct hf_table *table = &dataplane->tables[pool_table(dataplane, pool)];
	struct place place = {0};

	if (!pool_table(dataplane, pool))
		return place;
	place = (struct place){.first = table->first, .size = table->size};
	if (table->old_size) {
		place.old_first = table->old_first;
		place.old_size = table->old_size;
	}
	return place;
}

static struct place *places_read(const struct dataplane *dataplane)
{
	uint32_t count = dataplane->maps[MAP_POOLS].entries;
	struct place *places = calloc(count, sizeof *places);

	for (uint32_t i = 0; places && i < count; i++)
		places[i] = pool_place(dataplane, i);
	return places;
}

/* How large a hole must be left when the plan is through; 0: there is no room for one. */
static uint32_t hole_to_leave(const struct dataplane *dataplane, const struct plan *plan,
			      struct place *places)
{
	uint32_t count = dataplane->maps[MAP_POOLS].entries, largest = 0;

	for (size_t i = 0; i < plan->pool_count; i++) {
		const struct plan_pool *pool = &plan->pools[i];
		struct place after = {0};

		if (pool->number >= count)
			return 0;
		if (pool->image) {
			after.size = pool->image->table.size;
			after.old_size = pool->image->table.old_size;
		}
		places[pool->number] = after;
	}
	for (uint32_t i = 0; i < count; i++) {
		largest = places[i].size > largest ? places[i].size : largest;
		largest = places[i].old_size > largest ? places[i].old_size : largest;
	}
	return room_needed(places, count) > ranges_limit(dataplane->slot_ranges) ? 0 : largest;
}

static void release_replaced(struct ranges *ranges, const struct dataplane *dataplane,
			     const struct plan *plan)
{
	for (size_t i = 0; i < plan->pool_count; i++) {
		const struct plan_pool *pool = &plan->pools[i];
		struct place before = pool_place(dataplane, pool->number);
		enum room_keeps keeps = pool->image ? keeps_of(dataplane, pool->image) : ROOM_KEEPS_NOTHING;

		room_give_back(ranges, &before, keeps);
	}
}

bool tables_leave_room(const struct dataplane *dataplane, const struct plan *plan)
{
	struct ranges *after = NULL;
	struct place *places;
	bool leave = true;

	if (!plan->pool_count)
		return true;
	places = places_read(dataplane);
	if (places && !ranges_copy(dataplane->slot_ranges, &after)) {
		ranges_reclaim(after);
		release_replaced(after, dataplane, plan);
		leave = room_largest_hole(after) >= hole_to_leave(dataplane, plan, places);
	}
	ranges_close(after);
	free(places);
	return leave;
}

/* Work ---------------------------------------------------------------------------------- */

/* What is done for one plan. */
struct tight {
	struct dataplane *dataplane;
	const struct plan *plan;
	uint32_t generation;
};

/* Names another record in a pool's word, and gives back the record before when no packet reads it. */
static int record_switch(struct dataplane *dataplane, uint32_t pool, uint32_t number, uint32_t generation)
{
	uint32_t before = pool_table(dataplane, pool);
	int r;

	__atomic_store_n(&dataplane->pools[pool], (uint64_t)generation << 32 | number, __ATOMIC_RELEASE);
	r = packets_wait();
	if (before)
		since_follow(dataplane, &dataplane->tables[before], &dataplane->tables[number]);
	if (before)
		ranges_release(dataplane->table_ranges, before);
	return r;
}

static int work_move(void *context, uint32_t pool, uint32_t from, uint32_t to)
{
	struct dataplane *dataplane = ((struct tight *)context)->dataplane;
	struct hf_table table = dataplane->tables[pool_table(dataplane, pool)];
	bool live = table.first == from;
	uint32_t size = live ? table.size : table.old_size, number;
	int r = ranges_take(dataplane->table_ranges, 1, 1, &number);

	if (r)
		return r;
	memcpy(&dataplane->slots[to], &dataplane->slots[from], size * sizeof *dataplane->slots);
	/* Tables begin at even slots, where entries for two of them do. */
	memcpy(&dataplane->since[to / 2], &dataplane->since[from / 2],
	       (size + 1) / 2 * sizeof *dataplane->since);
	*(live ? &table.first : &table.old_first) = to;
	dataplane->tables[number] = table;
	return record_switch(dataplane, pool, number, (uint32_t)(dataplane->pools[pool] >> 32));
}

static const struct pool_image *image_of(const struct plan *plan, uint32_t pool)
{
	for (size_t i = 0; i < plan->pool_count; i++)
		if (plan->pools[i].number == pool)
			return plan->pools[i].image;
	return NULL;
}

static int work_put(void *context, uint32_t pool, uint32_t first)
{
	const struct tight *tight = context;
	struct dataplane *dataplane = tight->dataplane;
	struct reservation at = {.first = first};
	int r = ranges_take(dataplane->table_ranges, 1, 1, &at.table);

	if (!r)
		r = table_write(dataplane, image_of(tight->plan, pool), at);
	return r ?: record_switch(dataplane, pool, at.table, tight->generation);
}

static int put_all(struct room *room, const struct tight *tight, uint32_t largest, struct refusal *refusal)
{
	for (size_t i = 0; i < tight->plan->pool_count; i++) {
		const struct pool_image *image = tight->plan->pools[i].image;
		int r = image ? room_put(room, image->number, image->table.size,
					 keeps_of(tight->dataplane, image), largest)
			      : 0;

		if (!r)
			continue;
		refuse(refusal, 0, "no room for %u slots: %llu of %u are in use", image->table.size,
		       (unsigned long long)ranges_used(room->ranges), ranges_limit(room->ranges));
		refusal_where(refusal, "pool %s", image->name);
		refusal_right_raise(refusal, "one change after the other, smaller tables, fewer pools",
				    "--max-slots", 2 * (uint64_t)ranges_limit(room->ranges));
		return r;
	}
	return 0;
}

/* On a copy. */
static int try_all(const struct tight *tight, const struct place *places, uint32_t largest,
		   struct refusal *refusal)
{
	uint32_t count = tight->dataplane->maps[MAP_POOLS].entries;
	struct room room = {.count = count, .places = malloc(count * sizeof *places)};
	int r = room.places ? ranges_copy(tight->dataplane->slot_ranges, &room.ranges) : -ENOMEM;

	if (!r) {
		memcpy(room.places, places, count * sizeof *places);
		r = put_all(&room, tight, largest, refusal);
	}
	ranges_close(room.ranges);
	free(room.places);
	return r;
}

/* What else may be missing. Records of hops that are written here are found again when the tables are. */
static int check_rest(struct dataplane *dataplane, const struct plan *plan, struct refusal *refusal)
{
	uint32_t index;
	int r = 0;

	for (size_t i = 0; i < plan->pool_count; i++) {
		const struct pool_image *image = plan->pools[i].image;

		if (image && image->number >= dataplane->maps[MAP_POOLS].entries)
			return refuse_pool_number(dataplane, image->number, refusal);
		for (uint32_t slot = 0; !r && image && image->hops && slot < image->table.size; slot++)
			if (image->hops[slot].count)
				r = hops_intern(dataplane->hops_store, &image->hops[slot], &index);
		dataplane->hops_retired = dataplane->hops_retired || (image && image->hops);
		if (r)
			return refuse_hops(dataplane, image, r, refusal);
	}
	return 0;
}

static int put_in_force(struct tight *tight, struct place *places, uint32_t largest, struct refusal *refusal)
{
	const struct room_work work = {work_move, work_put, tight};
	struct dataplane *dataplane = tight->dataplane;
	struct room room = {dataplane->slot_ranges, places, dataplane->maps[MAP_POOLS].entries, &work};
	uint32_t directory = 0;
	int r = reserve_directory(dataplane, tight->plan, &directory, refusal);

	if (r)
		return r;
	backends_write(dataplane, tight->plan);
	r = put_all(&room, tight, largest, refusal);
	dataplane->changes++;
	if (r) /* not for want of room: what is written is written, and the caller says that it was not all */
		return r;
	services_switch(dataplane, tight->plan, directory, tight->generation);
	backends_retire(dataplane, tight->plan);
	return 0;
}

int apply_tight(struct dataplane *dataplane, const struct plan *plan, uint32_t generation,
		struct refusal *refusal)
{
	struct tight tight = {dataplane, plan, generation};
	struct place *places = NULL, *after = NULL;
	uint32_t largest;
	int r = dataplane_reclaim(dataplane);

	if (!r)
		r = check_rest(dataplane, plan, refusal);
	if (r)
		return r;
	places = places_read(dataplane);
	after = places_read(dataplane);
	r = places && after ? 0 : -ENOMEM;
	if (!r) {
		largest = hole_to_leave(dataplane, plan, after);
		r = try_all(&tight, places, largest, refusal);
		if (!r)
			r = put_in_force(&tight, places, largest, refusal);
	}
	free(places);
	free(after);
	return r;
}

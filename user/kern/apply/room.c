// SPDX-License-Identifier: Apache-2.0
#include "room.h"

#include <errno.h>
#include <stddef.h>

uint64_t room_needed(const struct place *places, uint32_t count)
{
	uint64_t sum = 0, largest = 0;

	for (uint32_t i = 0; i < count; i++) {
		const uint64_t sizes[] = {table_rounded(places[i].size), table_rounded(places[i].old_size)};

		for (int j = 0; j < 2; j++) {
			sum += sizes[j];
			largest = sizes[j] > largest ? sizes[j] : largest;
		}
	}
	return sum + largest;
}

uint32_t room_largest_hole(const struct ranges *ranges)
{
	uint32_t first = 0, count = 0, largest = 0;

	for (uint32_t from = 0; ranges_hole(ranges, from, TABLE_ALIGN, &first, &count); from = first + count)
		largest = count > largest ? count : largest;
	return largest;
}

/* Moving ------------------------------------------------------------------------------ */

static struct place *place_at(struct room *room, uint32_t first)
{
	for (uint32_t i = 0; i < room->count; i++) {
		struct place *place = &room->places[i];

		if ((place->size && place->first == first) || (place->old_size && place->old_first == first))
			return place;
	}
	return NULL;
}

/* To where room is claimed already. */
static int move_table(struct room *room, uint32_t from, uint32_t to)
{
	struct place *place = place_at(room, from);
	int r = 0;

	if (!place)
		return -ENOENT;
	if (room->work)
		r = room->work->move(room->work->context, (uint32_t)(place - room->places), from, to);
	if (r)
		return r;
	if (place->size && place->first == from)
		place->first = to;
	else
		place->old_first = to;
	ranges_release(room->ranges, from);
	return 0;
}

/* Moves a table down to where the hole below it begins; by another hole, where they overlap. 1: there is
 * none. */
static int slide(struct room *room, uint32_t first, uint32_t count, uint32_t to)
{
	uint32_t between;
	int r;

	if (first - to < count) {
		r = ranges_take(room->ranges, count, TABLE_ALIGN, &between);
		if (r)
			return r == -ENOSPC ? 1 : r;
		r = move_table(room, first, between);
		if (r)
			return r;
		first = between;
	}
	r = ranges_claim(room->ranges, to, count);
	return r ?: move_table(room, first, to);
}

/* Slides tables down, the lowest first, until a hole holds wanted entries. */
static int compact(struct room *room, uint64_t wanted)
{
	uint32_t first, count, end = 0;

	while (room_largest_hole(room->ranges) < wanted && ranges_next(room->ranges, end, &first, &count)) {
		uint32_t to = (uint32_t)table_rounded(end);
		int r = first > to ? slide(room, first, count, to) : 1;

		if (r < 0)
			return r;
		end = (r ? first : to) + count;
	}
	return 0;
}

/* Choosing ---------------------------------------------------------------------------- */

void room_give_back(struct ranges *ranges, const struct place *before, enum room_keeps keeps)
{
	if (before->size && keeps != ROOM_KEEPS_LIVE)
		ranges_release(ranges, before->first);
	if (before->old_size && keeps != ROOM_KEEPS_OLD)
		ranges_release(ranges, before->old_first);
}

/* The largest hole if a table lay here and the ones it replaces were given back. */
static uint32_t hole_after(struct room *room, const struct place *before, enum room_keeps keeps,
			   uint32_t first, uint32_t size)
{
	uint32_t largest = 0;

	if (ranges_claim(room->ranges, first, size))
		return 0;
	room_give_back(room->ranges, before, keeps);
	largest = room_largest_hole(room->ranges);
	ranges_release(room->ranges, first);
	if (before->size && keeps != ROOM_KEEPS_LIVE)
		ranges_claim(room->ranges, before->first, before->size);
	if (before->old_size && keeps != ROOM_KEEPS_OLD)
		ranges_claim(room->ranges, before->old_first, before->old_size);
	return largest;
}

/* The smallest hole that holds the table and leaves one of largest entries. */
static bool room_choose(struct room *room, const struct place *before, enum room_keeps keeps, uint32_t size,
			uint32_t largest, uint32_t *ret_first)
{
	uint32_t first, count, best = UINT32_MAX;

	for (uint32_t from = 0; ranges_hole(room->ranges, from, TABLE_ALIGN, &first, &count);
	     from = first + count) {
		if (count < size || count >= best || hole_after(room, before, keeps, first, size) < largest)
			continue;
		best = count;
		*ret_first = first;
	}
	return best != UINT32_MAX;
}

static int put_at(struct room *room, uint32_t pool, uint32_t first, uint32_t size, enum room_keeps keeps)
{
	struct place before = room->places[pool], *place = &room->places[pool];
	int r = ranges_claim(room->ranges, first, size);

	if (!r && room->work)
		r = room->work->put(room->work->context, pool, first);
	if (r)
		return r;
	*place = (struct place){.first = first, .size = size};
	if (keeps != ROOM_KEEPS_NOTHING) {
		place->old_first = keeps == ROOM_KEEPS_LIVE ? before.first : before.old_first;
		place->old_size = keeps == ROOM_KEEPS_LIVE ? before.size : before.old_size;
	}
	room_give_back(room->ranges, &before, keeps);
	return 0;
}

/* Where a table had to break up the hole for the largest, it goes where that is whole again. */
static int go_home(struct room *room, uint32_t pool, uint32_t largest)
{
	struct place now = {.first = room->places[pool].first, .size = room->places[pool].size};
	uint32_t to;
	int r;

	if (room_largest_hole(room->ranges) >= largest ||
	    !room_choose(room, &now, ROOM_KEEPS_NOTHING, now.size, largest, &to))
		return 0;
	r = ranges_claim(room->ranges, to, now.size);
	return r ?: move_table(room, now.first, to);
}

int room_put(struct room *room, uint32_t pool, uint32_t size, enum room_keeps keeps, uint32_t largest)
{
	struct place before = room->places[pool];
	uint32_t first;
	int r;

	if (room_choose(room, &before, keeps, size, largest, &first))
		return put_at(room, pool, first, size, keeps);
	r = compact(room, table_rounded(size) + largest);
	if (r)
		return r;
	before = room->places[pool];
	if (room_choose(room, &before, keeps, size, largest, &first))
		return put_at(room, pool, first, size, keeps);
	if (!room_choose(room, &before, keeps, size, 0, &first))
		return -ENOSPC;
	r = put_at(room, pool, first, size, keeps);
	return r ?: go_home(room, pool, largest);
}

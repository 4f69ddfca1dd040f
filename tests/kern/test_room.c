// SPDX-License-Identifier: Apache-2.0
/* Where tables lie: whatever was accepted, every later change finds its place. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <kern/apply/room.h>

enum { LIMIT = 4096, POOLS = 24, CHANGES = 40000 };

/* What the array holds, as packets would find it: by slot, which table it belongs to (0: none). */
struct world {
	struct ranges *ranges;
	struct place places[POOLS];
	uint32_t holds[LIMIT];
	uint32_t tables; /* made so far */
	uint32_t next;   /* size of the table that is put next */
	uint64_t moves, puts;
};

static uint64_t draw(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545f4914f6cdd1dULL;
}

static bool lies_in(uint32_t slot, uint32_t first, uint32_t size)
{
	return slot >= first && slot - first < size;
}

/* Nothing that a pool reads is written over. */
static void assert_free(const struct world *world, uint32_t first, uint32_t size)
{
	assert_true(first % TABLE_ALIGN == 0 && first + size <= LIMIT);
	for (uint32_t slot = first; slot < first + size; slot++)
		for (int i = 0; i < POOLS; i++) {
			const struct place *place = &world->places[i];

			assert_false(lies_in(slot, place->first, place->size));
			assert_false(lies_in(slot, place->old_first, place->old_size));
		}
}

static int moved(void *context, uint32_t pool, uint32_t from, uint32_t to)
{
	struct world *world = context;
	const struct place *place = &world->places[pool];
	uint32_t size = place->size && place->first == from ? place->size : place->old_size;

	assert_free(world, to, size);
	memcpy(&world->holds[to], &world->holds[from], size * sizeof *world->holds);
	world->moves++;
	return 0;
}

static int written(void *context, uint32_t pool, uint32_t first)
{
	struct world *world = context;

	(void)pool;
	assert_free(world, first, world->next);
	world->tables++;
	for (uint32_t i = 0; i < world->next; i++)
		world->holds[first + i] = world->tables;
	world->puts++;
	return 0;
}

static uint32_t largest_of(const struct place *places)
{
	uint32_t largest = 0;

	for (int i = 0; i < POOLS; i++) {
		largest = places[i].size > largest ? places[i].size : largest;
		largest = places[i].old_size > largest ? places[i].old_size : largest;
	}
	return largest;
}

/* Each table is whole, wherever it has been moved to. */
static void assert_whole(const struct world *world)
{
	for (int i = 0; i < POOLS; i++) {
		const struct place *place = &world->places[i];

		for (uint32_t slot = 1; slot < place->size; slot++)
			assert_int_equal(world->holds[place->first + slot], world->holds[place->first]);
		for (uint32_t slot = 1; slot < place->old_size; slot++)
			assert_int_equal(world->holds[place->old_first + slot],
					 world->holds[place->old_first]);
	}
}

static void put(struct world *world, uint32_t pool, uint32_t size, enum room_keeps keeps,
		const struct place *after)
{
	const struct room_work work = {moved, written, world};
	struct room room = {world->ranges, world->places, POOLS, &work};
	uint32_t old = keeps == ROOM_KEEPS_LIVE  ? world->holds[world->places[pool].first]
		       : keeps == ROOM_KEEPS_OLD ? world->holds[world->places[pool].old_first]
						 : 0;

	world->next = size;
	assert_int_equal(room_put(&room, pool, size, keeps, largest_of(after)), 0);
	assert_int_equal(world->places[pool].size, size);
	assert_int_equal(world->holds[world->places[pool].first], world->tables);
	if (old)
		assert_int_equal(world->holds[world->places[pool].old_first], old);
	assert_true(room_largest_hole(world->ranges) >= largest_of(after));
}

static void remove_pool(struct world *world, uint32_t pool)
{
	struct place *place = &world->places[pool];

	if (place->size)
		ranges_release(world->ranges, place->first);
	if (place->old_size)
		ranges_release(world->ranges, place->old_first);
	*place = (struct place){0};
}

/* One change: a pool that comes, goes, changes, migrates, migrates again, or has migrated. Accepted where
 * room for one more copy of the largest table is left; a change that grows nothing always is. */
static void change(struct world *world, uint64_t *random, uint32_t most)
{
	uint32_t pool = (uint32_t)(draw(random) % POOLS), size = 1 + (uint32_t)(draw(random) % most);
	const struct place *before = &world->places[pool];
	struct place after[POOLS];
	enum room_keeps keeps = ROOM_KEEPS_NOTHING;
	uint64_t besides = 0;
	int kind = (int)(draw(random) % 8);

	memcpy(after, world->places, sizeof after);
	after[pool] = (struct place){.size = size};
	if (before->size && kind == 0) {
		remove_pool(world, pool);
		return;
	}
	if (before->size && kind <= 4) { /* other words, and the end of a migration in half of the cases */
		after[pool].size = before->size;
		keeps = before->old_size && kind <= 2 ? ROOM_KEEPS_OLD : ROOM_KEEPS_NOTHING;
	} else if (before->size && kind <= 6) {
		keeps = before->old_size ? ROOM_KEEPS_OLD : ROOM_KEEPS_LIVE;
	}
	if (keeps != ROOM_KEEPS_NOTHING)
		after[pool].old_size = keeps == ROOM_KEEPS_LIVE ? before->size : before->old_size;
	if (keeps != ROOM_KEEPS_LIVE) /* what goes is still there when the next is put beside it */
		besides += (before->size + TABLE_ALIGN - 1) / TABLE_ALIGN * TABLE_ALIGN;
	if (keeps != ROOM_KEEPS_OLD)
		besides += (before->old_size + TABLE_ALIGN - 1) / TABLE_ALIGN * TABLE_ALIGN;
	if ((after[pool].size != before->size || keeps == ROOM_KEEPS_LIVE) &&
	    room_needed(after, POOLS) + besides > LIMIT)
		return;
	put(world, pool, after[pool].size, keeps, after);
}

static void every_change_that_was_accepted_finds_its_place(void **state)
{
	static const uint32_t mosts[] = {100, 500, 1400, 40};
	struct world *world = calloc(1, sizeof *world);
	uint64_t random = 7;

	(void)state;
	assert_int_equal(ranges_open(LIMIT, &world->ranges), 0);
	for (int i = 0; i < CHANGES; i++) {
		change(world, &random, mosts[i / 500 % 4]);
		if (i % 50 == 0)
			assert_whole(world);
	}
	assert_true(world->moves > 100); /* holes were scattered, or all of this shows nothing */
	assert_true(world->puts > CHANGES / 4);
	ranges_close(world->ranges);
	free(world);
}

/* Holes of 32, 32 and 56: together they hold a table of 96. */
static void tables_move_where_holes_are_scattered(void **state)
{
	struct world *world = calloc(1, sizeof *world);
	const struct room_work work = {moved, written, world};
	struct room room = {NULL, world->places, POOLS, &work};

	(void)state;
	assert_int_equal(ranges_open(240, &world->ranges), 0);
	room.ranges = world->ranges;
	for (uint32_t i = 0; i < 3; i++) {
		world->places[i] = (struct place){.first = i * 80, .size = i < 2 ? 48 : 24};
		assert_int_equal(ranges_claim(world->ranges, i * 80, world->places[i].size), 0);
	}
	world->next = 96;
	assert_int_equal(room_put(&room, 3, 96, ROOM_KEEPS_NOTHING, 0), 0);
	assert_int_equal(world->places[3].size, 96);
	assert_true(world->moves > 0);
	world->next = 32;
	assert_int_equal(room_put(&room, 4, 32, ROOM_KEEPS_NOTHING, 0), -ENOSPC);
	ranges_close(world->ranges);
	free(world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_change_that_was_accepted_finds_its_place),
		cmocka_unit_test(tables_move_where_holes_are_scattered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

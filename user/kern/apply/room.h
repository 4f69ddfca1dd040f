/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where tables lie when room is short. A change writes a pool's next table beside the one in force. So that
 * every later change finds its place, a hole must be left that holds the largest table, in one piece.
 *
 * Holes get scattered as tables of many sizes come and go. While one of them holds the largest table, every
 * table can be moved, one after the other, until all holes are one. A table that would break up that hole is
 * put there for one grace period alone, and then where the one before it was. So the hole is never lost, and
 * what image_check_room() accepts can always be changed.
 */
#pragma once

#include "core/image/image.h"
#include "kern/maps/ranges.h"

/* Where a pool's tables lie; size 0: it has none. */
struct place {
	uint32_t first, size;
	uint32_t old_first, old_size; /* while it migrates */
};

/* What is done besides counting. Returns 0 or a negative errno, after which the room must not be used. */
struct room_work {
	/* A table was copied to another place, where nothing else lies; no packet reads the one before. */
	int (*move)(void *context, uint32_t pool, uint32_t from, uint32_t to);
	/* Pool's next table is written at first and in force; no packet reads what it replaces. */
	int (*put)(void *context, uint32_t pool, uint32_t first);
	void *context;
};

struct room {
	struct ranges *ranges; /* nothing in it is retired */
	struct place *places;  /* by pool */
	uint32_t count;
	const struct room_work *work; /* NULL: it is only tried whether it goes */
};

/* Entries that pools' tables take with room to change the largest of them. */
uint64_t room_needed(const struct place *places, uint32_t count);
/* The largest hole that a table may lie in. */
uint32_t room_largest_hole(const struct ranges *ranges);
/* Which of a pool's present tables its next one keeps as its old table. */
enum room_keeps { ROOM_KEEPS_NOTHING, ROOM_KEEPS_LIVE, ROOM_KEEPS_OLD };
/* Gives back those of a pool's ranges that its next table does not keep. */
void room_give_back(struct ranges *ranges, const struct place *before, enum room_keeps keeps);
/*
 * Puts pool's next table, of size slots, beside its present one, and gives back what it does not keep.
 * largest: what a hole must hold afterwards, where there are as many entries; 0: nothing. -ENOSPC: there is
 * no hole for it, and moving tables makes none. Nothing has changed but the places of tables then.
 */
int room_put(struct room *room, uint32_t pool, uint32_t size, enum room_keeps keeps, uint32_t largest);

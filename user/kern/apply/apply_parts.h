/* SPDX-License-Identifier: Apache-2.0 */
/* How a plan becomes the maps' contents, part by part. */
#pragma once

#include "core/image/plan.h"
#include "room.h"
#include "kern/maps/state.h"

/* Where a pool's next table lies: its number, and its first slot. */
struct reservation {
	uint32_t table; /* 0: nothing reserved */
	uint32_t first;
};

/* table_write.c */
enum room_keeps keeps_of(const struct dataplane *dataplane, const struct pool_image *image);
/* Writes a pool's next table into memory that no packet reads yet. */
int table_write(struct dataplane *dataplane, const struct pool_image *image, struct reservation at);
/* Takes over from the live table what packets have put off, once the next one is in force. */
void since_follow(struct dataplane *dataplane, const struct hf_table *live, const struct hf_table *table);
/* -ENOSPC: there is no such number. */
int refuse_pool_number(const struct dataplane *dataplane, uint32_t number, struct refusal *refusal);
/* Returns error, of hops that find no room. */
int refuse_hops(const struct dataplane *dataplane, const struct pool_image *image, int error,
		struct refusal *refusal);

/* plan_switch.c */
int reserve_directory(struct dataplane *dataplane, const struct plan *plan, uint32_t *ret_first,
		      struct refusal *refusal);
void pool_switch(struct dataplane *dataplane, uint32_t pool, uint32_t table, uint32_t generation);
/* The directory of services, then the pools that go. */
void services_switch(struct dataplane *dataplane, const struct plan *plan, uint32_t directory,
		     uint32_t generation);

/* backends_write.c */
void backends_write(struct dataplane *dataplane, const struct plan *plan);
void backends_retire(struct dataplane *dataplane, const struct plan *plan);

/* apply_tight.c */
/* Whether a plan whose tables are reserved leaves the hole that later changes need (room.h). */
bool tables_leave_room(const struct dataplane *dataplane, const struct plan *plan);
/* Applies a plan whose tables do not fit in all at once: one by one, with a grace period for each. */
int apply_tight(struct dataplane *dataplane, const struct plan *plan, uint32_t generation,
		struct refusal *refusal);

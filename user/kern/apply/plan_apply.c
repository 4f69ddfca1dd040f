// SPDX-License-Identifier: Apache-2.0
/*
 * A plan becomes the maps' contents. Everything that may fail comes first (space is reserved, nothing that a
 * packet reads is touched); then new memory is written, each pool and the directory are switched by one
 * store, and what they named before is retired.
 */
#include "plan_apply.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "apply_parts.h"

static void reservation_release(struct dataplane *dataplane, const struct reservation *reservation)
{
	ranges_release(dataplane->table_ranges, reservation->table);
	ranges_release(dataplane->slot_ranges, reservation->first);
}

static int reserve_pool(struct dataplane *dataplane, const struct plan_pool *pool, struct reservation *ret,
			struct refusal *refusal)
{
	struct reservation reservation;
	int r;

	if (pool->number >= dataplane->maps[MAP_POOLS].entries)
		return refuse_pool_number(dataplane, pool->number, refusal);
	r = ranges_take(dataplane->table_ranges, 1, 1, &reservation.table);
	if (r) {
		refuse(refusal, 0, "no room for one more table: %u are in use or waiting to be freed",
		       dataplane->maps[MAP_TABLES].entries);
		refusal_right(refusal, "the same command again in a second, or fewer pools");
		return r;
	}
	r = ranges_take(dataplane->slot_ranges, pool->image->table.size, TABLE_ALIGN, &reservation.first);
	if (r) {
		ranges_release(dataplane->table_ranges, reservation.table);
		refuse(refusal, 0, "no room for %u slots: %llu of %u are in use", pool->image->table.size,
		       (unsigned long long)ranges_used(dataplane->slot_ranges),
		       dataplane->maps[MAP_SLOTS].entries);
		refusal_where(refusal, "pool %s", pool->image->name);
		refusal_right_raise(refusal, "smaller tables, fewer pools", "--max-slots",
				    2 * (uint64_t)dataplane->maps[MAP_SLOTS].entries);
		return r;
	}
	r = table_write(dataplane, pool->image, reservation);
	if (r) {
		reservation_release(dataplane, &reservation);
		return refuse_hops(dataplane, pool->image, r, refusal);
	}
	*ret = reservation;
	return 0;
}

static int reserve_pools(struct dataplane *dataplane, const struct plan *plan,
			 struct reservation *reservations, struct refusal *refusal)
{
	int r = 0;

	for (size_t i = 0; !r && i < plan->pool_count; i++) {
		if (plan->pools[i].image)
			r = reserve_pool(dataplane, &plan->pools[i], &reservations[i], refusal);
	}
	return r;
}

static void reservations_release(struct dataplane *dataplane, const struct plan *plan,
				 const struct reservation *reservations)
{
	for (size_t i = 0; i < plan->pool_count; i++) {
		if (reservations[i].table)
			reservation_release(dataplane, &reservations[i]);
	}
}

static int reservations_make(struct dataplane *dataplane, const struct plan *plan,
			     struct reservation *reservations, uint32_t *ret_directory,
			     struct refusal *refusal)
{
	int r = reserve_pools(dataplane, plan, reservations, refusal);

	if (!r)
		r = reserve_directory(dataplane, plan, ret_directory, refusal);
	if (r) {
		reservations_release(dataplane, plan, reservations);
		memset(reservations, 0, (plan->pool_count + 1) * sizeof *reservations);
	}
	return r;
}

static void execute(struct dataplane *dataplane, const struct plan *plan,
		    const struct reservation *reservations, uint32_t directory, uint32_t generation)
{
	backends_write(dataplane, plan);
	for (size_t i = 0; i < plan->pool_count; i++) {
		if (!plan->pools[i].image)
			continue;
		pool_switch(dataplane, plan->pools[i].number, reservations[i].table, generation);
	}
	services_switch(dataplane, plan, directory, generation);
	backends_retire(dataplane, plan);
	dataplane->changes++;
}

/* All at once, in place of nothing that is in use. -EAGAIN: it would fit, but nothing after it. */
static int apply_beside(struct dataplane *dataplane, const struct plan *plan, uint32_t generation,
			struct refusal *refusal)
{
	struct reservation *reservations = calloc(plan->pool_count + 1, sizeof *reservations);
	uint32_t directory = 0;
	int r;

	if (!reservations)
		return -ENOMEM;
	r = reservations_make(dataplane, plan, reservations, &directory, refusal);
	if (r == -ENOSPC &&
	    dataplane_reclaimable(dataplane)) { /* what is retired may be all that is missing */
		r = dataplane_reclaim(dataplane);
		if (!r)
			r = reservations_make(dataplane, plan, reservations, &directory, refusal);
	}
	if (!r && !tables_leave_room(dataplane, plan)) {
		reservations_release(dataplane, plan, reservations);
		if (plan->services && plan->directory->entries)
			ranges_release(dataplane->service_ranges, directory);
		r = -EAGAIN;
	}
	if (!r)
		execute(dataplane, plan, reservations, directory, generation);
	free(reservations);
	return r;
}

int dataplane_apply(struct dataplane *dataplane, const struct plan *plan, uint32_t generation,
		    struct refusal *refusal)
{
	struct refusal beside = {};
	int r;

	if (!dataplane->writable)
		return -EROFS;
	r = apply_beside(dataplane, plan, generation, &beside);
	if (r == -EAGAIN || r == -ENOSPC)
		return apply_tight(dataplane, plan, generation, refusal);
	if (r && refusal)
		*refusal = beside;
	return r;
}
